"""SARIF 2.1.0, the format that code scanning services read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import quote

from toolcharter.diagnostics import Diagnostic
from toolcharter.rules import Rule, find_rule
from toolcharter.rules.pages import rule_page
from toolcharter.wording import visible

__all__ = ["sarif_log"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """Return one run with the findings and the rules that they name."""
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    driver: dict[str, Any] = {
        "name": "toolcharter",
        "semanticVersion": _version(),
        "rules": [_rule(code, find_rule(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "SRCROOT": {"description": {"text": "The folder that the command ran in."}}
        },
        "results": [
            _result(diagnostic, codes.index(diagnostic.code)) for diagnostic in diagnostics
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _version() -> str:
    try:
        return version("toolcharter")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0.0.0"


def _rule(code: str, rule: Rule | None) -> dict[str, Any]:
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
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(diagnostic: Diagnostic, index: int) -> dict[str, Any]:
    origin = diagnostic.origin
    text = visible(diagnostic.message)
    if diagnostic.hint:
        text += f" Hint: {visible(diagnostic.hint)}"
    identity = f"{diagnostic.code}\x1f{origin.file}\x1f{origin.pointer}\x1f{diagnostic.message}"
    location = {
        "physicalLocation": {
            "artifactLocation": _artifact(origin.file),
            "region": {"startLine": max(origin.line, 1), "startColumn": max(origin.column, 1)},
        },
        "logicalLocations": [{"fullyQualifiedName": origin.pointer or "/"}],
    }
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {"toolcharter/v1": hashlib.sha256(identity.encode()).hexdigest()},
    }


def _artifact(file: str) -> dict[str, str]:
    """Return a location relative to the working folder, or a whole address of a file that lies outside it."""
    if file.startswith("/"):
        return {"uri": "file://" + quote(file)}
    return {"uri": quote(file), "uriBaseId": "SRCROOT"}
