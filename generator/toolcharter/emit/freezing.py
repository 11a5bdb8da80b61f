"""Frozen contracts as text."""

from __future__ import annotations

import json

from toolcharter_runtime.frozen import Contract

__all__ = ["frozen_text", "json_text", "refreeze"]


def frozen_text(contract: Contract) -> str:
    """Return the bytes of a frozen contract; those of one version and revision never change."""
    return json_text(contract.to_json())


def json_text(value: object) -> str:
    """Return JSON for people: indented, sorted, ASCII, so that no character hides."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n"


def refreeze(contract: Contract) -> Contract:
    """Return the contract as its JSON gives it back: maps in the order of keys."""
    return Contract.model_validate_json(frozen_text(contract))
