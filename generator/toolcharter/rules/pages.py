"""The pages of the rules: what `explain` prints, and Markdown for `docs/rules/`, all from the registry.

`python -m toolcharter.rules.pages docs/rules` writes them again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ._base import Rule
from .catalogue import CATALOGUE
from .table import RULES

__all__ = ["all_pages", "index_page", "rule_page", "rule_text", "write_pages"]

_FAMILIES = {
    "TC1": "Narrowness",
    "TC2": "Bounds and forms",
    "TC3": "Unions",
    "TC4": "Outputs",
    "TC5": "Effects, guards and roles",
    "TC6": "Names and texts",
    "TC7": "Reading files",
    "TC8": "The charter itself",
    "TC9": "What is on disk",
}


def rule_text(rule: Rule) -> str:
    """Return the explanation as plain text, one paragraph a line."""
    parts = rule.explanation()
    lines = [f"{rule.code} {rule.name} ({rule.severity})", "", parts.what, "", f"Why: {parts.why}"]
    if rule.hint:
        lines += ["", f"To mend it: {rule.hint}"]
    for title, snippet in (("Bad", parts.bad), ("Good", parts.good)):
        lines += ["", f"{title}:", "", *(f"    {line}".rstrip() for line in snippet.splitlines())]
    return "\n".join(lines)


def rule_page(rule: Rule) -> str:
    """Return the explanation as Markdown."""
    parts = rule.explanation()
    can = (
        "may be silenced, with a reason and a last day"
        if rule.may_be_silenced()
        else "can only be mended"
    )
    lines = [
        f"# {rule.code} {rule.name}",
        "",
        f"{_capital(rule.severity)}; {can}.",
        "",
        parts.what,
        "",
        f"**Why.** {_capital(parts.why)}",
    ]
    if rule.hint:
        lines += ["", f"**To mend it.** {rule.hint}"]
    for title, snippet in (("Bad", parts.bad), ("Good", parts.good)):
        lines += ["", f"{title}:", "", "```yaml", snippet, "```"]
    return "\n".join(lines) + "\n"


def index_page() -> str:
    """Return the list of all codes by family, as Markdown."""
    lines = [
        "# Rules",
        "",
        "Every code that `toolcharter` can print.",
        "`toolcharter explain CODE` prints the same pages; this folder is made from the rules themselves.",
    ]
    for family, title in _FAMILIES.items():
        rows = [rule for rule in RULES if rule.code.startswith(family)]
        lines += ["", f"## {title}", "", "| code | name | severity | what |", "|---|---|---|---|"]
        lines += [
            f"| [{r.code}]({r.code}.md) | {r.name} | {r.severity} | {_cell(r.explanation().what)} |"
            for r in rows
        ]
    return "\n".join([*lines, *_catalogue()]) + "\n"


def _catalogue() -> Iterator[str]:
    yield from (
        "",
        "## What became of the first catalogue",
        "",
        "The rules were planned before they were written.",
        "Practice merged some and dropped others; a code that was released keeps its meaning.",
        "",
        "| planned | as | now | why |",
        "|---|---|---|---|",
    )
    for row in CATALOGUE:
        now = f"[{row.now}]({row.now}.md)" if row.now else "dropped"
        yield f"| {row.code} | {_cell(row.name)} | {now} | {_cell(row.why)} |"


def all_pages() -> dict[str, str]:
    """Return every page by its file name."""
    return {"README.md": index_page(), **{f"{rule.code}.md": rule_page(rule) for rule in RULES}}


def write_pages(folder: Path) -> None:
    """Write every page, and remove those of codes that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = all_pages()
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
