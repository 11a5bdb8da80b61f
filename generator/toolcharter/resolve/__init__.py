"""Description and charter, resolved into frozen contracts."""

from .api import ResolvedApi, ResolvedTool
from .resolve import resolve_api

__all__ = ["ResolvedApi", "ResolvedTool", "resolve_api"]
