"""`toolcharter explain`: what a code means, why it matters and how to mend it."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any

import click

from toolcharter.rules import RULES, Rule, find_rule
from toolcharter.rules.pages import rule_page, rule_text
from toolcharter.wording import visible

from .render import Look

__all__ = ["explain"]

_UNREADABLE = 2
_ONE_CHARACTER = 0.88
"""Likeness of a code to itself with one character more or less; another digit is another rule."""


@click.command()
@click.argument("codes", nargs=-1, metavar="[CODE]...")
@click.option("--all", "everything", is_flag=True, help="Explain every code.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
def explain(codes: tuple[str, ...], output_format: str, *, everything: bool) -> None:
    """Explain a code that another command printed.

    \b
    Example:
      toolcharter explain TC501
      toolcharter explain --all --format json
    """
    if everything == bool(codes):
        raise click.UsageError("name a code, such as TC501, or say --all")
    chosen = RULES if everything else tuple(_find(code) for code in codes)
    if output_format == "json":
        click.echo(json.dumps([_facts(rule) for rule in chosen], indent=2, ensure_ascii=False))
        return
    page = rule_page if output_format == "markdown" else _text
    click.echo("\n\n".join(page(rule).rstrip() for rule in chosen))


def _find(code: str) -> Rule:
    """Return the rule of a code, or of a rule's name; an unknown one ends the command with the nearest."""
    wanted = code.strip()
    by_name = {rule.name: rule for rule in RULES}
    rule = find_rule(wanted.upper()) or by_name.get(wanted.lower())
    if rule is not None:
        return rule
    known = [rule.code for rule in RULES]
    near = get_close_matches(
        wanted.upper(), known, n=1, cutoff=_ONE_CHARACTER
    ) or get_close_matches(wanted.lower(), by_name, n=1)
    advice = f" Did you mean {near[0]}?" if near else " `toolcharter explain --all` lists them."
    click.echo(f"Error: {visible(wanted, 40)} is not a code.{advice}", err=True)
    raise click.exceptions.Exit(_UNREADABLE)


def _text(rule: Rule) -> str:
    width = Look.of_stream(err=False).width
    if width is None:
        return rule_text(rule)
    lines = rule_text(rule).split("\n")
    return "\n".join(
        line if line.startswith("    ") else click.wrap_text(line, min(width, 100))
        for line in lines
    )


def _facts(rule: Rule) -> dict[str, Any]:
    parts = rule.explanation()
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "silenceable": rule.may_be_silenced(),
        "what": parts.what,
        "why": parts.why,
        "hint": rule.hint or None,
        "bad": parts.bad,
        "good": parts.good,
    }
