"""`toolcharter init`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolcharter.source.shapes import is_array, is_object

from ._counting import counted

if TYPE_CHECKING:
    from toolcharter.diagnostics import Diagnostic
    from toolcharter.source import Description, Operation

__all__ = ["init"]

_MAX_LISTED = 40
_PACKAGE = re.compile(r"[a-z][a-z0-9_]*")


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--tool", "tools", multiple=True, help='An operation: its id, or "GET /v1/x". Repeat it.'
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The charter to write, in SPEC's folder or above; charter.yaml beside SPEC if it is not given. Never overwritten.",
)
@click.option("--package", help="Name of the Python package; from the folder if it is not given.")
def init(spec: Path, tools: tuple[str, ...], out: Path | None, package: str | None) -> None:
    """Write a charter to start from, with DECIDE where only a person can answer.

    It lists what the operations take and give, with the description's bounds. It never takes an effect from a verb.
    Without --tool it lists the operations to choose from.

    \b
    Example:
      toolcharter init specs/crm/openapi.yaml --tool getCustomer --tool createRefund
    """
    from toolcharter.source import load_description

    context = click.get_current_context()
    target = out or spec.parent / "charter.yaml"
    name = package or _package_name(target)
    if not _PACKAGE.fullmatch(name):
        raise click.UsageError("--package takes lower case letters, digits and underscores")
    loaded = load_description(spec)
    if loaded.value is None:
        _print(loaded.diagnostics)
        context.exit(2)
    description = loaded.value
    if not tools:
        _list(description, spec)
        context.exit(2)
    if not spec.resolve().is_relative_to(target.resolve().parent):
        raise click.UsageError(
            "--out: a charter reads a description of its own folder or below; copy SPEC there"
        )
    findings = _write(description, tools, target, (name, _relative(spec, target)))
    if findings:
        _print(findings)
        context.exit(1)


def _write(
    description: Description, tools: tuple[str, ...], target: Path, named: tuple[str, str]
) -> tuple[Diagnostic, ...]:
    from ._draft import draft_charter
    from ._files import write_whole

    operations: list[Operation] = []
    findings: list[Diagnostic] = []
    for tool in dict.fromkeys(tools):
        staged = description.operation(tool)
        findings.extend(finding for finding in staged.diagnostics if finding.severity == "error")
        if staged.value is not None:
            operations.append(staged.value)
    if findings:
        return tuple(dict.fromkeys(findings))
    text = draft_charter(description, operations, package=named[0], spec=named[1])
    failure = write_whole(target, text, replace=False)
    if failure is not None:
        return (failure,)
    tools_written, answers = counted(len(operations), "tool"), counted(_undecided(text), "answer")
    click.echo(f"{target.as_posix()}: {tools_written}, {answers} to give", err=True)
    return ()


def _undecided(text: str) -> int:
    from toolcharter.source.yaml_text import read_yaml

    waiting, count = [read_yaml(text).value], 0
    while waiting:
        part = waiting.pop()
        count += part == "DECIDE"
        waiting.extend(part.values() if is_object(part) else part if is_array(part) else ())
    return count


def _list(description: Description, spec: Path) -> None:
    from toolcharter.wording import visible

    keys = description.operations()
    click.echo(f"Name the operations that become tools with --tool; {spec.name} has:", err=True)
    for key in keys[:_MAX_LISTED]:
        called = f"  {key.operation_id or ''}".ljust(40)
        click.echo(visible(f"{called} {key.method} {key.path}", 160), err=True)
    if len(keys) > _MAX_LISTED:
        click.echo(f"  … and {len(keys) - _MAX_LISTED} more", err=True)
    _print(description.index.findings)


def _package_name(target: Path) -> str:
    from ._draft import snake_name

    return f"{snake_name(target.resolve().parent.name or 'api')}_tools"


def _relative(spec: Path, target: Path) -> str:
    return Path(os.path.relpath(spec.resolve(), target.resolve().parent)).as_posix()


def _print(findings: tuple[Diagnostic, ...] | list[Diagnostic]) -> None:
    from .render import print_findings

    print_findings(findings, err=True)
