"""`toolcharter vendor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolcharter.diagnostics import Diagnostic, Origin, Staged
from toolcharter.source.shapes import is_object

from ._counting import counted

if TYPE_CHECKING:
    from toolcharter.source import Description

__all__ = ["vendor"]


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--charter",
    type=click.Path(path_type=Path),
    required=True,
    help="The charter whose tools decide which operations are kept.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write, .json or .yaml; the charter's `spec` if it is not given.",
)
@click.option("--name", help="How the slice names its source; the file's name if it is not given.")
@click.option("--source-version", help="The source's version, such as that of its package.")
def vendor(
    source: Path, charter: Path, out: Path | None, name: str | None, source_version: str | None
) -> None:
    """Write the slice of a description that a charter reaches.

    SOURCE is a JSON or YAML file, packed with gzip or not, for example in a folder of node_modules. The slice keeps the
    source's version of OpenAPI and its spelling, and names the source and its digest.

    \b
    Example:
      toolcharter vendor node_modules/@octokit/openapi/generated/api.github.com.json \\
        --charter specs/github/charter.yaml --name @octokit/openapi --source-version 23.0.2
    """
    findings = _vendor(source, charter, out, (name or source.name, source_version))
    if findings:
        from .render import has_failed, print_findings

        print_findings(findings, err=True)
        if has_failed(findings):
            unreadable = any("TC710" <= finding.code <= "TC724" for finding in findings)
            click.get_current_context().exit(2 if unreadable else 1)


def _vendor(
    source: Path, charter: Path, out: Path | None, named: tuple[str, str | None]
) -> tuple[Diagnostic, ...]:
    from toolcharter.source import load_description
    from toolcharter.source.vendoring import vendored_text

    from ._files import write_whole

    wanted = _wanted(charter)
    if wanted.value is None:
        return wanted.diagnostics
    spec, places = wanted.value
    target = out or (charter.parent / spec if spec else None)
    if target is None:
        raise click.UsageError(f"{charter} names no `spec`: say where to write with --out")
    if target.resolve() == source.resolve():
        raise click.UsageError("the slice would replace its source: write elsewhere with --out")
    loaded = load_description(source)
    if loaded.value is None:
        return loaded.diagnostics
    missing = _missing(loaded.value, places)
    if missing:
        return missing
    is_yaml = target.suffix in {".yaml", ".yml"}
    text = vendored_text(loaded.value, places, source=named[0], version=named[1], as_yaml=is_yaml)
    if text.value is None:
        return text.diagnostics
    failure = write_whole(target, text.value, replace=True)
    if failure is None:
        count = counted(len(places), "operation")
        click.echo(f"{target.as_posix()}: {count} of {named[0]}", err=True)
    return (failure,) if failure else ()


def _missing(description: Description, places: Mapping[str, Origin]) -> tuple[Diagnostic, ...]:
    """Return, where the charter names them, the operations that are not there."""
    return tuple(
        replace(finding, origin=places[name])
        for name in places
        for finding in description.find(name).diagnostics
        if finding.code in {"TC707", "TC726"}
    )


def _wanted(path: Path) -> Staged[tuple[str, Mapping[str, Origin]]]:
    """Return `spec` and the operations, with their places, of a charter that may still be undecided elsewhere."""
    from toolcharter.charter.load import read_charter
    from toolcharter.source import load_document

    loaded = load_document(path)
    if loaded.value is None:
        return Staged(None, loaded.diagnostics)
    charter = loaded.value
    tools, spec = charter.value.get("tools"), charter.value.get("spec")
    places: dict[str, Origin] = {}
    is_shaped = is_object(tools) and bool(tools)
    for name, tool in tools.items() if is_object(tools) else ():
        operation = tool.get("operation") if is_object(tool) else None
        if isinstance(operation, str):
            places.setdefault(operation, charter.origin(("tools", name, "operation")))
        else:
            is_shaped = False
    if is_shaped:
        is_named = isinstance(spec, str) and spec != "DECIDE"
        return Staged((str(spec) if is_named else "", places))
    read = read_charter(charter).diagnostics
    if not any(finding.severity == "error" for finding in read):
        raise click.UsageError(f"{path} lists no operations")
    return Staged(None, read)
