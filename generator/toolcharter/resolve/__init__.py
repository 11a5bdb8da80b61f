"""Description and charter, resolved into frozen contracts."""

from .api import ResolvedApi, ResolvedTool
from .merging import has_bound
from .resolve import resolve_api

__all__ = ["ResolvedApi", "ResolvedTool", "has_bound", "resolve_api"]
