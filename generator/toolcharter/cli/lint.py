"""`toolcharter lint`: what is wrong with charters, without writing or comparing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from ._formats import Format
from .charters import charter_arguments, choose, end_progress, progress
from .render import has_failed, print_findings

__all__ = ["lint"]

_FOUND = 1
_UNREADABLE = 2


@click.command()
@charter_arguments
@click.option("--strict", is_flag=True, help="Let warnings fail, too.")
def lint(
    charters: tuple[Path, ...], form: Format, validate: Literal["slice", "full"], *, strict: bool
) -> None:
    """Check charters against their descriptions and the rules, and write nothing.

    Without CHARTER, the `charter.yaml` of each folder below the configured specs is checked.

    \b
    Example:
      toolcharter lint specs/crm/charter.yaml
      toolcharter lint --strict --format github
    """
    from toolcharter.pipeline import Options, lint_charter

    chosen = choose(charters)
    reports = [
        lint_charter(path, Options(out=chosen.out, validate=validate, progress=progress()))
        for path in chosen.charters
    ]
    found = [finding for report in reports for finding in report.diagnostics]
    end_progress()
    print_findings(
        found, form, silenced=[silenced for report in reports for silenced in report.silenced]
    )
    if any(report.is_unreadable for report in reports):
        raise click.exceptions.Exit(_UNREADABLE)
    if has_failed(found, strict=strict):
        raise click.exceptions.Exit(_FOUND)
