"""`[tool.toolcharter]` of a `pyproject.toml`: where the charters lie and where the packages go."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

__all__ = ["Config", "ConfigError", "find_charters", "load_config"]

_FILE = "pyproject.toml"
_KEYS = ("specs", "out")


class ConfigError(ValueError):
    """The settings cannot be used; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Config:
    """Folders, absolute. Without settings: `specs` and `generated` below the working folder."""

    root: Path
    specs: Path
    out: Path


def load_config(start: Path) -> Config:
    """Return the settings of the nearest `pyproject.toml` at or above `start` that has `[tool.toolcharter]`."""
    for folder in (start.absolute(), *start.absolute().parents):
        table = _table(folder / _FILE)
        if table is not None:
            return _config(folder, table)
    return _config(start.absolute(), {})


def _table(path: Path) -> dict[str, Any] | None:
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError):
        return None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    if "toolcharter" not in text:
        return None
    try:
        table: Any = tomllib.loads(text).get("tool", {}).get("toolcharter")
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.toolcharter] is not a table")
    return cast("dict[str, Any] | None", table)


def _config(folder: Path, table: dict[str, Any]) -> Config:
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        known = " and ".join(_KEYS)
        raise ConfigError(f"{folder / _FILE}: [tool.toolcharter] has {known}, not {unknown[0]}")
    for key, value in table.items():
        if not isinstance(value, str) or not value:
            raise ConfigError(f"{folder / _FILE}: tool.toolcharter.{key} is not a folder's name")
    return Config(
        folder, folder / table.get("specs", "specs"), folder / table.get("out", "generated")
    )


def find_charters(config: Config) -> tuple[Path, ...]:
    """Return `charter.yaml` of each folder below the specs, in the order of names."""
    return tuple(sorted(config.specs.glob("*/charter.yaml")))
