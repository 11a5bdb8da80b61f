"""Toolcharter's runtime: the boundary between a model that reasons and what it may do.

Names load when they are first used, so that importing a generated package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .boundary import Boundary, BoundaryError
    from .caller import Caller
    from .calls.proposed import Proposal
    from .catalog import Catalog, CatalogError
    from .codes import ErrorCode
    from .contract import ToolArguments, ToolResult
    from .declare import ReadTool, WriteTool
    from .envelope import Evidence, Failure, Problem, Success
    from .run import Run
    from .upstream.client import Upstream
    from .upstream.credentials import Credential, Need

__all__ = [
    "Boundary",
    "BoundaryError",
    "Caller",
    "Catalog",
    "CatalogError",
    "Credential",
    "ErrorCode",
    "Evidence",
    "Failure",
    "Need",
    "Problem",
    "Proposal",
    "ReadTool",
    "Run",
    "Success",
    "ToolArguments",
    "ToolResult",
    "Upstream",
    "WriteTool",
]

_HOMES = {
    "Boundary": "boundary",
    "BoundaryError": "boundary",
    "Caller": "caller",
    "Catalog": "catalog",
    "CatalogError": "catalog",
    "Credential": "upstream.credentials",
    "ErrorCode": "codes",
    "Evidence": "envelope",
    "Failure": "envelope",
    "Need": "upstream.credentials",
    "Problem": "envelope",
    "Proposal": "calls.proposed",
    "ReadTool": "declare",
    "Run": "run",
    "Success": "envelope",
    "ToolArguments": "contract",
    "ToolResult": "contract",
    "Upstream": "upstream.client",
    "WriteTool": "declare",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first asked for."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
