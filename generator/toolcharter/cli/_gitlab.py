"""GitLab's code quality report."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from toolcharter.diagnostics import Diagnostic
from toolcharter.wording import visible

__all__ = ["gitlab_report", "identity", "with_hint"]

_SEVERITY = {"error": "major", "warning": "minor"}


def gitlab_report(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """Return one entry a finding; fingerprints are the same while place and words are, whatever the line."""
    seen: Counter[str] = Counter()
    entries: list[dict[str, Any]] = []
    for each in diagnostics:
        own = identity(each)
        fingerprint = (
            own if not seen[own] else hashlib.sha256(f"{own}{seen[own]}".encode()).hexdigest()
        )
        seen[own] += 1
        entries.append(
            {
                "description": with_hint(each),
                "check_name": each.code,
                "fingerprint": fingerprint,
                "severity": _SEVERITY[each.severity],
                "location": {
                    "path": visible(each.origin.file),
                    "lines": {"begin": max(each.origin.line, 1)},
                },
            }
        )
    return entries


def identity(diagnostic: Diagnostic) -> str:
    """Return a digest of what a finding is: code, file, pointer and words, and neither line nor column."""
    origin = diagnostic.origin
    text = f"{diagnostic.code}\x1f{origin.file}\x1f{origin.pointer}\x1f{diagnostic.message}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def with_hint(diagnostic: Diagnostic) -> str:
    """Return what is wrong and how to mend it, as one text."""
    message, hint = visible(diagnostic.message), visible(diagnostic.hint)
    end = "" if message.endswith((".", "?", "!", "…")) else "."
    return f"{message}{end} Hint: {hint}" if hint else message
