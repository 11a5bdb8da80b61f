"""The charter: its model, its file, its published schema."""

from .schema import Charter, charter_schema

__all__ = ["Charter", "charter_schema"]
