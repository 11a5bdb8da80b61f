"""What the commands on charters share: which charters, which folders, and how a run's findings are shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ._counting import counted
from ._formats import FORMATS

if TYPE_CHECKING:
    from toolcharter.pipeline import Report

    from ._formats import Format

__all__ = ["Chosen", "charter_arguments", "choose", "end_progress", "finish", "progress"]

F = TypeVar("F", bound=Callable[..., Any])

_ERASE = "\r\x1b[2K"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The charters of a command, and the folder of all packages."""

    charters: tuple[Path, ...]
    out: Path


def charter_arguments(command: F) -> F:
    """Add what every command on charters takes."""
    command = click.option(
        "--validate",
        type=click.Choice(("slice", "full")),
        default="slice",
        show_default=True,
        help="Apply OpenAPI's own rules to what the charter reaches, or to all of the description.",
    )(command)
    command = click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How findings are printed.",
    )(command)
    return click.argument(
        "charters", metavar="[CHARTER]...", nargs=-1, type=click.Path(path_type=Path)
    )(command)


def choose(charters: tuple[Path, ...], out: Path | None = None) -> Chosen:
    """Return the charters that were named, or those of the specs folder; a folder stands for its `charter.yaml`."""
    from toolcharter.config import ConfigError, find_charters, load_config

    try:
        config = load_config(Path.cwd())
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    named = tuple(path / "charter.yaml" if path.is_dir() else path for path in charters)
    found = named or find_charters(config)
    if not found:
        message = f"no charter below {_shown(config.specs)}: name one, or write one with: toolcharter init"
        raise click.UsageError(message)
    return Chosen(tuple(dict.fromkeys(found)), (out or config.out).absolute())


def _shown(path: Path) -> str:
    try:
        return f"{path.relative_to(Path.cwd()).as_posix()}/"
    except ValueError:
        return f"{path.as_posix()}/"


def progress() -> Callable[[str], None]:
    """Return what shows the stage of a long run: one line that is written over, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda _: None

    def show(stage: str) -> None:
        click.echo(f"{_ERASE}{stage}", nl=False, err=True)

    return show


def end_progress() -> None:
    """Take the line of the last stage away, before anything else is printed."""
    if sys.stderr.isatty():
        click.echo(_ERASE, nl=False, err=True)


def finish(reports: Iterable[Report], form: Format) -> None:
    """Print what the runs found and leave with the highest of their codes.

    A run that succeeds prints its warnings for machines only; people get a line on standard error that counts them.
    """
    from .render import print_findings

    done = tuple(reports)
    end_progress()
    found = [finding for report in done for finding in report.diagnostics]
    found += [drift.diagnostic for report in done for drift in report.drifts]
    code = max((report.exit_code for report in done), default=0)
    is_for_people = form in ("text", "concise")
    if code or not is_for_people:
        print_findings(found, form)
    elif found:
        click.echo(f"{counted(len(found), 'warning')}: toolcharter lint shows them.", err=True)
    if is_for_people:
        for line in (line for r in done for drift in r.drifts for line in drift.diff):
            click.echo(line)
    if code:
        raise click.exceptions.Exit(code)
