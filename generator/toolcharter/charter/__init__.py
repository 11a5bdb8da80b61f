"""The charter: its model, its file, its published schema."""

from .load import load_charter, read_charter
from .schema import Charter, charter_schema

__all__ = ["Charter", "charter_schema", "load_charter", "read_charter"]
