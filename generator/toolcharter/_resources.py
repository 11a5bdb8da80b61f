"""Where the templates lie: the only code that knows of the wheel and the checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["templates_dir"]

_PACKAGE = Path(__file__).resolve().parent
_IN_WHEEL = _PACKAGE / "_templates"
_IN_CHECKOUT = _PACKAGE.parents[1] / "templates"


def templates_dir() -> Path:
    """Return the template folder: the wheel's copy, else the checkout's own."""
    for candidate in (_IN_WHEEL, _IN_CHECKOUT):
        if (candidate / "_header.py.j2").is_file():
            return candidate
    raise FileNotFoundError("toolcharter's templates are missing: reinstall the distribution")
