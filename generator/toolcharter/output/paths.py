"""Where a file may lie: below its folder, over no link, and under one spelling."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

__all__ = ["collisions", "is_inside", "link_on_the_way", "other_spelling"]


def is_inside(path: PurePosixPath) -> bool:
    """Say whether a relative path stays below the folder that it is taken from."""
    text = str(path)
    return (
        bool(path.parts)
        and not path.is_absolute()
        and ".." not in path.parts
        and "\\" not in text
        and ":" not in text
    )


def collisions(paths: Iterable[PurePosixPath]) -> tuple[tuple[PurePosixPath, PurePosixPath], ...]:
    """Return pairs of paths that a file system without case would take for one."""
    seen: dict[str, PurePosixPath] = {}
    found: list[tuple[PurePosixPath, PurePosixPath]] = []
    for path in sorted(paths):
        other = seen.setdefault(str(path).casefold(), path)
        if other != path:
            found.append((other, path))
    return tuple(found)


def link_on_the_way(folder: Path, path: PurePosixPath) -> Path | None:
    """Return the first link, or other thing that is no plain folder or file, from the folder to the path."""
    here = folder
    for part in ("", *path.parts):
        here = here / part if part else here
        try:
            mode = os.lstat(here).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        last = here == folder / path
        if not (stat.S_ISREG(mode) if last else stat.S_ISDIR(mode)):
            return here
    return None


def other_spelling(folder: Path, path: PurePosixPath) -> str | None:
    """Return an entry on disk that differs from the path in case only."""
    here = folder
    for part in path.parts:
        try:
            names = {entry.name for entry in here.iterdir()}
        except (FileNotFoundError, NotADirectoryError):
            return None
        if part not in names:
            return next(
                (name for name in sorted(names) if name.casefold() == part.casefold()), None
            )
        here = here / part
    return None
