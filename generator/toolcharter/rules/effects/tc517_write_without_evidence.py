"""TC517."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutEvidence"]


class WriteWithoutEvidence(CharterRule):
    """Finds writes whose result proves nothing.

    Why: a model reports success in a confident sentence whether or not there was one. Evidence is what the service
    itself says: an operation id, the new version, a condition on the target read again.

    Bad:

        refund: {effect: write, evidence: {}}

    Good:

        refund:
          effect: write
          evidence: {operation_id: operation, new_version: $after.version, state: state}
    """

    code = "TC517"
    name = "write-without-evidence"
    hint = "Name what the answer proves: `evidence: {operation_id: …, new_version: …}`, or a `proof` on `$after`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            origin = place(charter, "tools", name, "evidence")
            evidence = tool.evidence
            if evidence is None:
                yield Finding(f"{name} is a write without evidence", origin, name)
                continue
            sources = (evidence.operation_id, evidence.new_version, *evidence.facts().values())
            if not evidence.proof and not any(s is not None and s.name for s in sources):
                yield Finding(
                    f"{name} is a write whose evidence is no more than a status", origin, name
                )
