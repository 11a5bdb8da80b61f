"""Codes that the other stages report themselves: registered here so that every printed code can be explained."""

from __future__ import annotations

from .charters import CHARTER_CODES
from .loading import LOADING_CODES
from .output import OUTPUT_CODES
from .resolving import RESOLVING_CODES

__all__ = ["REPORTED"]

REPORTED = tuple(
    sorted(
        (*LOADING_CODES, *CHARTER_CODES, *RESOLVING_CODES, *OUTPUT_CODES),
        key=lambda rule: rule.code,
    )
)
