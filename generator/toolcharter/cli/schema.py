"""`toolcharter schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click

__all__ = ["schema"]


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write; without it, the schema is printed.",
)
def schema(out: Path | None) -> None:
    """Write the JSON Schema of the charter format, for editors.

    \b
    Example:
      toolcharter schema --out specs/crm/charter-1.schema.json
    """
    from toolcharter.charter import charter_schema

    text = json.dumps(charter_schema(), indent=2, sort_keys=True) + "\n"
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror}") from None
