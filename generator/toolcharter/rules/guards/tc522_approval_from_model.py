"""TC522."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, names_of, place_of, places_reached
from toolcharter.rules._secrets import is_credential

__all__ = ["ApprovalFromModel"]

_APPROVAL = frozenset(
    {
        "approval", "approvals", "approve", "approved", "approver", "authorised", "authorized", "bypass", "confirm",
        "confirmation", "confirmed", "consent", "force", "override", "preapproved", "signoff",
    }
)  # fmt: skip
_PAIRS = frozenset(
    {
        ("approval", "code"), ("approval", "id"), ("approval", "status"), ("approval", "token"), ("approved", "by"),
        ("approver", "id"), ("authorized", "by"), ("dry", "run"), ("idempotency", "key"), ("if", "match"),
        ("on", "behalf"), ("proposal", "id"), ("reviewed", "by"), ("sign", "off"), ("skip", "approval"),
        ("skip", "checks"), ("skip", "confirmation"), ("skip", "review"), ("skip", "validation"),
    }
)  # fmt: skip


class ApprovalFromModel(ToolRule):
    """Finds inputs by which a model could say that something is approved, or pass a credential.

    Why: "approved: true" from a model is not an approval, and a model that holds a password has it in its context.

    Bad:

        input: {amount: /amount, approved: {to: /approved, type: boolean}}

    Good:

        input: {amount: /amount}
        send: {/approved: true}          # sent after a person has approved the proposal
    """

    code = "TC522"
    name = "approval-from-model"
    hint = "Send it as a constant, or from the run or the credentials; the approval itself is the charter's `approval`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.hidden:
            return
        places = places_reached(tool.contract)
        for node in input_nodes(tool.contract):
            names = names_of(node, places) if node.path and node.path[-1] != "*" else ()
            gives_secret = any(map(is_credential, names))
            if gives_secret or any(w[-2:] in _PAIRS or w[-1] in _APPROVAL for w in names):
                what = "a credential" if gives_secret else "an approval, a key or a credential"
                yield Finding(
                    f"{tool.contract.tool} takes {what} from the model as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
