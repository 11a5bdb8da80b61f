"""What a model and an application get of a proposal (P20)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toolcharter_runtime.language import ABSENT
from toolcharter_runtime.records import ProposalRow, instant_text, parse_instant

from .call import Call
from .views import show_value

__all__ = ["Change", "Proposal", "propose_reply"]


@dataclass(frozen=True, slots=True)
class Change:
    """One field before and after; a side that is not there is None."""

    label: str
    before: Any = None
    after: Any = None

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"label": self.label, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal as its requester sees it; holding its id authorises nothing (P11)."""

    proposal_id: str
    effect: str
    state: str
    expires_at: datetime
    changes: tuple[Change, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "proposal_id": self.proposal_id,
            "effect": self.effect,
            "state": self.state,
            "expires_at": instant_text(self.expires_at),
            "changes": [change.to_json() for change in self.changes],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Proposal:
        """Return the proposal of a wire form."""
        return cls(
            value["proposal_id"],
            value["effect"],
            value["state"],
            parse_instant(value["expires_at"]),
            tuple(Change(**change) for change in value["changes"]),
        )


def propose_reply(call: Call, row: ProposalRow) -> Proposal:
    """Return what the requester sees: changes only of fields that a read tool of the role shows, in that view."""
    proposal = row.proposal
    return Proposal(
        proposal.proposal_id,
        proposal.effect,
        row.state,
        proposal.expires_at,
        tuple(_visible(call, proposal.difference.get("changes", ()))),
    )


def _visible(call: Call, rows: list[Mapping[str, Any]]) -> Iterator[Change]:
    read = call.write.target.read
    if read is None or read.tool not in call.run.versions.values():
        return
    contract = call.parts.snapshot.contract(read.tool)
    if contract.hidden:
        return
    fields = {field.name: field for field in contract.view.fields if not field.hidden}
    named = {change.label: change.before for change in call.write.changes}
    for row in rows:
        shown = fields.get(named.get(row["label"]) or "")
        if shown is not None and not shown.secret:
            before, after = (
                show_value(shown, row.get(side, ABSENT), call.parts.seal)
                for side in ("before", "after")
            )
            yield Change(row["label"], before, after)
