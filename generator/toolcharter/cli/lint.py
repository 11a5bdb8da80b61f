"""`toolcharter lint`: what is wrong with charters, without writing or comparing anything; what a description is fit for."""

from __future__ import annotations

from collections.abc import Sequence
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

    Without CHARTER, the `charter.yaml` of each folder below the configured specs is checked. Of an OpenAPI description
    instead, say which of its operations are ready to be tools and what the others need; that fails nothing.

    \b
    Example:
      toolcharter lint specs/crm/charter.yaml
      toolcharter lint --strict --format github
      toolcharter lint specs/crm/openapi.yaml
    """
    from toolcharter.pipeline import Options, lint_charter

    from ._readiness import is_description

    described = [path for path in charters if path.is_file() and is_description(path)]
    if described:
        if len(described) < len(charters):
            raise click.UsageError("name charters, or descriptions, and not both at once")
        _describe(described, form)
        return
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


def _describe(paths: Sequence[Path], form: Format) -> None:
    """Print how far each operation of the descriptions is from being a tool."""
    from toolcharter.pipeline import Options, lint_description

    from ._readiness import readiness_as_findings, render_readiness

    options = Options(out=Path.cwd(), progress=progress())
    staged = [(path, lint_description(path, options)) for path in paths]
    end_progress()
    broken = [each for _, one in staged for each in one.diagnostics if one.value is None]
    if broken:
        print_findings(broken, form)
        raise click.exceptions.Exit(_UNREADABLE)
    ready = [(path, one.value) for path, one in staged if one.value is not None]
    if form == "github":
        print_findings([each for _, one in ready for each in readiness_as_findings(one)], form)
    else:
        click.echo(render_readiness(ready, form))
