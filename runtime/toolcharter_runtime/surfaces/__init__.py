"""Surfaces: a run's tools in the form of one vendor, and a vendor's call back to the run. They translate, and decide nothing."""

from __future__ import annotations

from .anthropic import anthropic, call_anthropic
from .openai import call_openai, openai

__all__ = ["anthropic", "call_anthropic", "call_openai", "openai"]
