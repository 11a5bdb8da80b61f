"""TC109."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, Severity, ToolRule
from toolcharter.rules._schemas import place_of, places_reached, words_of

__all__ = ["SystemFieldAsInput"]

_KEPT: frozenset[tuple[str, ...]] = frozenset(
    tuple(words.split("_"))
    for words in [
        "created_at",
        "updated_at",
        "modified_at",
        "deleted_at",
        "last_modified",
        "created_by",
        "updated_by",
        "createdat",
        "updatedat",
        "etag",
    ]
)
_PRIVILEGED: frozenset[tuple[str, ...]] = frozenset(
    tuple(words.split("_"))
    for words in ["is_admin", "admin", "role", "roles", "permissions", "balance", "verified"]
)


class SystemFieldAsInput(ToolRule):
    """Finds inputs at a field that the service keeps itself (an error), or that carries privilege (a warning).

    Why: mass assignment. Some services store whatever the body says, so a model could set a record's times, author or
    role together with the field that it was asked to change.

    Bad:

        input: {name: /data/name, last_modified: {to: /data/last_modified, type: integer}}

    Good:

        input: {name: /data/name}
    """

    code = "TC109"
    name = "system-field-as-input"
    hint = "Take the input out; if the field must be sent, it is a constant or comes from the run (`send`)."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.write is None:
            return
        for name, places in sorted(places_reached(tool.contract).items()):
            for at in places:
                words = words_of(at.rpartition("/")[2]) if at.startswith("/") else ()
                severity: Severity | None = "error" if words in _KEPT else None
                severity = severity or ("warning" if words in _PRIVILEGED else None)
                if severity is None:
                    continue
                what = "the service keeps itself" if severity == "error" else "carries privilege"
                yield Finding(
                    f"{tool.contract.tool}: `{name}` sets {at}, which {what}",
                    place_of(tool, "input", tuple(name.split("."))),
                    tool.contract.tool,
                    severity=severity,
                )
