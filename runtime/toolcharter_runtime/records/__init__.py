"""The rows of the store as frozen values: what a run, a proposal, a decision and an execution are.

Times are aware datetimes in UTC. Every row names its tenant; an empty tenant is an error (S8).
"""

from __future__ import annotations

from toolcharter_runtime.records.audit import AuditRow, AuditVerdict, Checkpoint, Notice
from toolcharter_runtime.records.executions import (
    OPERATOR_PREFIX,
    SETTLED_STATES,
    CommitRows,
    ExecutionRow,
    ExecutionState,
    Lease,
    Outcome,
    Reason,
    Refused,
    Settlement,
    SettlementOutcome,
    UnknownItem,
)
from toolcharter_runtime.records.proposals import (
    PROPOSAL_DOMAIN,
    DecisionOutcome,
    DecisionRow,
    Proposal,
    ProposalRow,
    ProposalState,
    seal,
)
from toolcharter_runtime.records.runs import Charge, RunRow, Slot
from toolcharter_runtime.records.values import Cause, Json, instant_text, mint_id, parse_instant

__all__ = [
    "OPERATOR_PREFIX",
    "PROPOSAL_DOMAIN",
    "SETTLED_STATES",
    "AuditRow",
    "AuditVerdict",
    "Cause",
    "Charge",
    "Checkpoint",
    "CommitRows",
    "DecisionOutcome",
    "DecisionRow",
    "ExecutionRow",
    "ExecutionState",
    "Json",
    "Lease",
    "Notice",
    "Outcome",
    "Proposal",
    "ProposalRow",
    "ProposalState",
    "Reason",
    "Refused",
    "RunRow",
    "Settlement",
    "SettlementOutcome",
    "Slot",
    "UnknownItem",
    "instant_text",
    "mint_id",
    "parse_instant",
    "seal",
]
