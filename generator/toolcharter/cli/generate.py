"""`toolcharter generate`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .charters import charter_arguments, choose, finish, progress

if TYPE_CHECKING:
    from ._formats import Format

__all__ = ["generate"]

_ID = re.compile(r"[a-z][a-z0-9_]*\.v[1-9][0-9]*")


def _registry_ids(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> frozenset[str]:
    for value in values:
        if not _ID.fullmatch(value):
            raise click.BadParameter(f"{value} is not of the form TOOL.vN, e.g. get_customer.v1")
    return frozenset(values)


@click.command()
@charter_arguments
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of all packages; from [tool.toolcharter], else generated/.",
)
@click.option("--force", is_flag=True, help="Write over files that were edited by hand.")
@click.option("--upgrade", is_flag=True, help="Write with another version than the lock's.")
@click.option(
    "--unreleased",
    metavar="TOOL.vN",
    multiple=True,
    callback=_registry_ids,
    help="Let the contract of a version that nobody has yet change or go.",
)
def generate(charters: tuple[Path, ...], form: Format, out: Path | None, **stated: Any) -> None:
    """Write the packages of charters; without a CHARTER, of every specs/*/charter.yaml.

    Nothing is written where any charter has an error, and files that are the same are not touched.

    \b
    Example:
      toolcharter generate specs/crm/charter.yaml
    """
    from toolcharter.output import BusyError
    from toolcharter.pipeline import Options, generate_charters

    chosen = choose(charters, out)
    options = Options(out=chosen.out, progress=progress(), **stated)
    try:
        reports = generate_charters(chosen.charters, options)
    except BusyError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if error.strerror is None:
            raise
        raise click.ClickException(f"{error.filename or chosen.out}: {error.strerror}") from None
    finish(reports, form)
