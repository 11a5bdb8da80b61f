"""Toolcharter's generator: an OpenAPI description and a charter in, a package of typed tools out.

`generate`, `check` and `lint` are the commands as functions of a charter's path and `Options`; nothing is imported
before one of them is used.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagnostics import Diagnostic, Origin
    from .pipeline import Options, Report
    from .pipeline import check_charter as check
    from .pipeline import generate_charter as generate
    from .pipeline import lint_charter as lint

    __version__: str

__all__ = [
    "Diagnostic",
    "Options",
    "Origin",
    "Report",
    "__version__",
    "check",
    "generate",
    "lint",
]

_HOMES = {
    "Diagnostic": ("diagnostics", "Diagnostic"),
    "Options": ("pipeline", "Options"),
    "Origin": ("diagnostics", "Origin"),
    "Report": ("pipeline", "Report"),
    "check": ("pipeline", "check_charter"),
    "generate": ("pipeline", "generate_charter"),
    "lint": ("pipeline", "lint_charter"),
}


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first asked for."""
    if name == "__version__":
        return version("toolcharter")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, known_there_as = _HOMES[name]
    return getattr(import_module(f"{__name__}.{home}"), known_there_as)
