"""SARIF 2.1.0, the format that code scanning services read."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, metadata, version
from typing import Any
from urllib.parse import quote

from toolcharter.diagnostics import Diagnostic, Origin
from toolcharter.rules import Rule, Silenced, find_rule
from toolcharter.rules.pages import rule_page
from toolcharter.wording import visible

from ._gitlab import identity, with_hint

__all__ = ["sarif_log"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(
    diagnostics: Sequence[Diagnostic], silenced: Sequence[Silenced] = ()
) -> dict[str, Any]:
    """Return one run with the findings and the rules that they name; what is silenced is suppressed, with its reason."""
    every: list[tuple[Diagnostic, str | None]] = [(each, None) for each in diagnostics]
    every += [(each.diagnostic, each.because) for each in silenced]
    codes = sorted({diagnostic.code for diagnostic, _ in every})
    pages = _pages()
    driver: dict[str, Any] = {
        "name": "toolcharter",
        "semanticVersion": _version(),
        "rules": [_rule(code, find_rule(code), pages) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "SRCROOT": {"description": {"text": "The folder that the command ran in."}}
        },
        "results": [_result(each, codes.index(each.code), because) for each, because in every],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _version() -> str:
    try:
        return version("toolcharter")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0.0.0"


def _pages() -> str | None:
    """Return where the package says that its documentation is, if it says so."""
    try:
        listed = metadata("toolcharter").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = (entry.partition(",") for entry in listed)
    urls = {name.strip().lower(): url.strip().rstrip("/") for name, _, url in named}
    return urls.get("documentation")


def _rule(code: str, rule: Rule | None, pages: str | None) -> dict[str, Any]:
    if rule is None:
        return {"id": code}
    parts = rule.explanation()
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": parts.what},
        "fullDescription": {"text": parts.why},
        "help": {
            "text": f"{parts.what} {parts.why} {rule.hint}".strip(),
            "markdown": rule_page(rule),
        },
        **({"helpUri": f"{pages}/rules/{code}.md"} if pages else {}),
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(diagnostic: Diagnostic, index: int, because: str | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": with_hint(diagnostic)},
        "locations": [_location(diagnostic.origin)],
        "partialFingerprints": {"toolcharter/v1": identity(diagnostic)},
        "suppressions": [],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": visible(each.text)}, **_location(each.origin)}
            for number, each in enumerate(diagnostic.related, 1)
        ]
    if because is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": visible(because)}]
    return result


def _location(origin: Origin) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(origin.file),
            "region": {"startLine": max(origin.line, 1), "startColumn": max(origin.column, 1)},
        },
        "logicalLocations": [{"fullyQualifiedName": origin.pointer or "/"}],
    }


def _artifact(file: str) -> dict[str, str]:
    """Return a location relative to the working folder, or a whole address of a file that lies outside it."""
    if file.startswith("/"):
        return {"uri": "file://" + quote(file, errors="replace")}
    return {"uri": quote(file, errors="replace"), "uriBaseId": "SRCROOT"}
