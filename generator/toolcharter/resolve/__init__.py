"""Description and charter, resolved into frozen contracts."""

from .api import ResolvedApi, ResolvedTool

__all__ = ["ResolvedApi", "ResolvedTool"]
