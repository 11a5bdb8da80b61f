"""Each charter's package, generated once a session from the description beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .building import build, import_catalog
from .sources import FOLDER, SOURCES, Source
from .stage import Fake, Stage


def lay_slice(source: Source, folder: Path) -> None:
    """Put the description of this folder beside the charter."""
    shutil.copy(FOLDER / source.name / source.spec, folder / source.spec)


@pytest.fixture(scope="session")
def catalog_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Return what generates a charter's package, the first time that it is asked for."""
    made: dict[str, Any] = {}

    def find(name: str) -> Any:
        if name not in made:
            source = next(source for source in SOURCES if source.name == name)
            folder = tmp_path_factory.mktemp(name)
            report = build(source, folder, lay_slice)
            errors = [one for one in report.diagnostics if one.severity == "error"]
            assert report.exit_code == 0, errors
            made[name] = import_catalog(folder / "out")
        return made[name]

    return find


@pytest.fixture
def stage(catalog_of: Callable[[str], Any], tmp_path: Path) -> Callable[..., Stage]:
    """Return what sets the stage for a charter: its name, the fake upstream, the role."""

    def make(name: str, fake: Fake, role: str, **more: Any) -> Stage:
        return Stage(tmp_path, catalog_of(name), fake, role, **more)

    return make
