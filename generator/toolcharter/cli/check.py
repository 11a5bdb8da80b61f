"""`toolcharter check`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .charters import charter_arguments, choose, finish, progress

if TYPE_CHECKING:
    from toolcharter.pipeline import Report

    from ._formats import Format

__all__ = ["check"]


@click.command()
@charter_arguments
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of all packages; from [tool.toolcharter], else generated/.",
)
def check(charters: tuple[Path, ...], form: Format, out: Path | None, **stated: Any) -> None:
    """Say whether the packages on disk are what would be written; writes nothing.

    Tells files apart that are out of date, edited, missing and orphaned, and prints the command that mends it.

    \b
    Example:
      toolcharter check --format github
    """
    from toolcharter.pipeline import Options, check_charter

    chosen = choose(charters, out)
    reports: list[Report] = []
    for path in chosen.charters:
        options = Options(out=chosen.out, progress=progress(), **stated)
        reports.append(check_charter(path, options, _mend(charters, out)))
    finish(reports, form)


def _mend(charters: tuple[Path, ...], out: Path | None) -> str:
    words = ["toolcharter", "generate", *map(str, charters)]
    if out is not None:
        words += ["--out", str(out)]
    return shlex.join(words)
