"""From a charter to an importable package: the whole pipeline, into a folder of the caller's."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolcharter.pipeline import Options, Report, generate_charter

from .sources import Source

__all__ = ["build", "import_catalog"]


def build(source: Source, folder: Path, lay: Callable[[Source, Path], None]) -> Report:
    """Generate a charter's package below `folder`; `lay` puts the description beside the charter."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source.charter, folder / "charter.yaml")
    lay(source, folder)
    return generate_charter(folder / "charter.yaml", Options(out=folder / "out"))


def import_catalog(out: Path) -> Any:
    """Import the one package below `out`, with every contract of it, and return its catalog."""
    # The folder of a package holds its files and, below it, the package that is imported under its name.
    (package,) = (path for path in out.iterdir() if path.is_dir())
    for name in [name for name in sys.modules if name.partition(".")[0] == package.name]:
        del sys.modules[name]  # of another folder
    sys.path.insert(0, str(package))
    try:
        catalog = importlib.import_module(package.name).catalog
        for module in sorted((package / package.name).rglob("*.py")):
            parts = module.relative_to(package).with_suffix("").parts
            importlib.import_module(".".join(part for part in parts if part != "__init__"))
    finally:
        sys.path.remove(str(package))
    return catalog
