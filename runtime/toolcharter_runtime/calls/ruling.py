"""The policy table of this moment, at preview and again at commit (PL1, PL5), and whether an approval stands."""

from __future__ import annotations

from toolcharter_runtime import frozen
from toolcharter_runtime.approvals import Standing, standing
from toolcharter_runtime.envelope import Details
from toolcharter_runtime.language import Scope
from toolcharter_runtime.policy import Verdict, rule
from toolcharter_runtime.records import CommitRows, instant_text

from .call import Call, CallError, refuse

__all__ = ["check_standing", "rule_early", "rule_now"]


def rule_early(call: Call, scope: Scope) -> None:
    """Deny before anything is read, where no row asks about the target (P1)."""
    if not any(
        name.startswith("$before")
        for terms in _tables(call)
        for row in terms.approval
        for name in row.when or {}
    ):
        rule_now(call, scope)


def rule_now(call: Call, scope: Scope) -> Verdict:
    """Return what the table says now; `POLICY_DENIED`, with the alert for the audit, where it says nothing."""
    verdict = _verdict(call, scope)
    if not verdict.is_allowed:
        raise refuse("POLICY_DENIED", note=verdict.alert)
    return verdict


def check_standing(call: Call, rows: CommitRows, scope: Scope) -> Standing:
    """Return the approval of a proposal if it stands now: present, signed, unexpired, by people with authority."""
    found = standing(
        rows,
        _verdict(call, scope),
        call.parts.approvers,
        call.parts.desk_keys,
        call.parts.now(),
    )
    if found.code is not None:
        raise _not_standing(rows, found)
    return found


def _verdict(call: Call, scope: Scope) -> Verdict:
    """An old version runs under its own rows and under those of the newest version (PL5)."""
    own, *newer = (
        rule(terms.approval, scope, consequences=terms.consequences) for terms in _tables(call)
    )
    return own if not newer else own.both(newer[0])


def _tables(call: Call) -> tuple[frozen.WriteTerms, ...]:
    snapshot, contract = call.parts.snapshot, call.contract
    others = (tool_id for tool_id in snapshot.ids if tool_id.rpartition(".v")[0] == contract.tool)
    newest = max((snapshot.contract(one) for one in others), key=lambda one: one.version)
    if newest.version > contract.version and newest.write is not None:
        return (call.write, newest.write)
    return (call.write,)


def _not_standing(rows: CommitRows, found: Standing) -> CallError:
    row, code = rows.row, found.code
    note = f"ignored {', '.join(found.ignored)}" if found.ignored else None
    if code == "APPROVAL_PENDING":
        details = Details(expires_at=instant_text(row.proposal.expires_at))
        return refuse(code, details=details, note=note)
    if code == "APPROVAL_DENIED":
        action = "stop" if row.final else "propose_again"
        return refuse(code, details=Details(reason=row.refusal), next_action=action, note=note)
    if code == "VERSION_CONFLICT" and row.conflict is not None:
        return refuse(code, details=Details(**row.conflict), note=note)
    return refuse(code or "INTERNAL", note=note)
