"""Several processes on one store, and processes that are killed (docs/promises.md, cases 3, 4, 26, 33)."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcharter_runtime.envelope import Success
from toolcharter_runtime.records import Cause, DecisionRow, mint_id
from toolcharter_runtime.signing import DeskKey
from toolcharter_runtime.store import Store
from upstreams.crm import CrmServer

from .worker import CALLER, boundary

ROOT = Path(__file__).resolve().parents[3]
SAVED = {
    "customer": "C-1842",
    "reason": "moved",
    "destination": {"kind": "saved", "address": "A-2002"},
}
COMMIT = "commit_address_change"


class Office:
    """The service, the store's folder, a desk, and workers."""

    def __init__(self, crm: CrmServer, folder: Path) -> None:
        self.crm = crm
        self.folder = folder
        self.key = DeskKey.create(folder / "desk.key", folder / "desk.pub")
        people = "lena: {groups: [support_lead], hash: '$argon2id$none'}\n"
        (folder / "approvers.yaml").write_text(people)

    def order(self, *commits: tuple[str, str, str, int], **more: Any) -> dict[str, Any]:
        base = {"url": self.crm.url, "token": self.crm.token, "folder": str(self.folder)}
        return {**base, "commits": commits, **more}

    def start(self, order: dict[str, Any]) -> subprocess.Popen[str]:
        path = f"{ROOT}:{ROOT / 'generated' / 'crm_tools'}"
        return subprocess.Popen(
            [sys.executable, "-m", "tests.runtime.core.worker", json.dumps(order)],
            cwd=ROOT,
            env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            text=True,
        )

    def finish(self, worker: subprocess.Popen[str]) -> list[dict[str, Any]]:
        said, _ = worker.communicate(timeout=60)
        replies: list[dict[str, Any]] = json.loads(said) if worker.returncode == 0 else []
        return replies

    def propose(self, outcome: Any = "approved") -> tuple[str, str]:
        """Preview in a run of its own and decide; return run and proposal."""

        async def story() -> tuple[str, str]:
            async with (
                boundary(self.order()) as opened,
                opened.run(role="support_agent", caller=CALLER) as run,
            ):
                reply = await run.call("preview_address_change", SAVED)
                assert isinstance(reply, Success), reply
            store = await Store.open(f"sqlite:///{self.folder}/boundary.db")
            row = await store.load_proposal("acme", reply.result["proposal_id"])
            assert row is not None
            decision = DecisionRow(
                decision_id=mint_id("dec"),
                tenant="acme",
                proposal_id=row.proposal.proposal_id,
                sha256=row.sha256,
                outcome=outcome,
                principal="lena",
                method="password",
                session="test",
                decided_at=store.now(),
                until=row.proposal.expires_at,
                reason="as asked",
            )
            cause = Cause(tenant="acme", request_id=mint_id("rq"), actor="person:lena")
            await store.decide(self.key.sign_decision(decision), cause)
            await store.close()
            return run.id, row.proposal.proposal_id

        return asyncio.run(story())

    def effects(self) -> int:
        return len(self.crm.control.ledger())

    def sent(self) -> int:
        return sum(1 for one in self.crm.control.requests() if one["operation"] == "changeAddress")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with CrmServer() as crm:
        yield Office(crm, tmp_path)


def test_denied_from_four_processes(office: Office) -> None:
    """Case 3, P13: one hundred commits from four processes, always APPROVAL_DENIED, ledger empty."""
    run_id, proposal_id = office.propose("denied")
    workers = [office.start(office.order((run_id, COMMIT, proposal_id, 25))) for _ in range(4)]
    replies = [reply for worker in workers for reply in office.finish(worker)]
    assert replies == [{"code": "APPROVAL_DENIED"}] * 100
    assert office.effects() == 0


def test_fifty_commits_from_two_processes(office: Office) -> None:
    """Case 4, P9: one effect; every caller gets the same result or OPERATION_IN_PROGRESS."""
    run_id, proposal_id = office.propose()
    workers = [office.start(office.order((run_id, COMMIT, proposal_id, 25))) for _ in range(2)]
    replies = [reply for worker in workers for reply in office.finish(worker)]
    assert len(replies) == 50
    assert {one["code"] for one in replies if "code" in one} <= {"OPERATION_IN_PROGRESS"}
    assert len({one["operation"] for one in replies if "code" not in one}) == 1
    assert (office.effects(), office.sent()) == (1, 1)


def test_two_proposals_on_one_resource_from_two_processes(office: Office) -> None:
    """Case 33, V6: they do not overlap; the second conflicts and stays unconsumed."""
    made = [office.propose() for _ in range(2)]
    workers = [
        office.start(office.order((run_id, COMMIT, proposal_id, 1))) for run_id, proposal_id in made
    ]
    replies = [reply for worker in workers for reply in office.finish(worker)]
    assert sorted(one.get("code", "done") for one in replies) == ["VERSION_CONFLICT", "done"]
    assert office.effects() == 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(120))
def test_schedule_of_crash_and_fault(office: Office, seed: int) -> None:
    """Case 26, I4, I6: a seeded crash point and fault, then a restart: at most one effect, and never an invented one."""
    chance = random.Random(seed)
    point = chance.choice([None, *CRASHES])
    fault = chance.choice([None, *FAULTS])
    if fault is not None:
        office.crm.control.fault("changeAddress", fault)
    if chance.random() < 0.3:
        office.crm.control.fault("getOperationByKey", "unavailable", times=50)
    run_id, proposal_id = office.propose()
    office.finish(office.start(office.order((run_id, COMMIT, proposal_id, 1), crash=point)))
    again = office.start(office.order((run_id, COMMIT, proposal_id, 1), later=400))
    (reply,) = office.finish(again)
    assert office.effects() <= 1
    assert office.sent() <= 1
    assert office.effects() == 1 or "code" in reply


CRASHES = ("after the claim", "after consuming", "after the answer", "after recording")
FAULTS = ("drop", "apply_then_drop", "apply_then_500", "malformed_success")


@pytest.mark.parametrize(
    ("point", "effects", "answer"),
    [
        ("after the claim", 1, None),
        ("after consuming", 0, "UNKNOWN_OUTCOME"),
        ("after the answer", 1, None),
        ("after recording", 1, None),
    ],
)
def test_kill_at_each_point(office: Office, point: str, effects: int, answer: str | None) -> None:
    """Case 26, I4: killed, started again; never two effects, never `not started` after bytes went out."""
    run_id, proposal_id = office.propose()
    killed = office.start(office.order((run_id, COMMIT, proposal_id, 1), crash=point))
    assert office.finish(killed) == []
    assert killed.returncode == -9
    again = office.start(office.order((run_id, COMMIT, proposal_id, 1), later=400))
    (reply,) = office.finish(again)
    assert reply.get("code") == answer
    assert office.effects() == effects
    assert office.sent() <= 1
