"""Runs: 201 is new and 200 a replay, an answer must echo what was sent, and set_state means what was measured."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toolcharter.pipeline import Options, lint_charter
from toolcharter_runtime.envelope import Failure, Success

from .sources import SOURCES
from .stage import Fake, Stage, code_of, json_of

REPORT = "8b7d1c0a-1111-4222-8333-444455556666"
OTHER = "8b7d1c0a-9999-4222-8333-444455556666"
RUNS = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(1, 6)]


class Prefect(Fake):
    """Deployments that are run by key; runs that are cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, dict[str, Any]] = {}
        self.deployment = REPORT
        self.refuses = False

    def is_write(self, request: httpx2.Request) -> bool:
        return request.method == "POST" and not request.url.path.endswith("/filter")

    def add(self, number: int, state: str = "RUNNING", **more: Any) -> dict[str, Any]:
        run = {
            "id": RUNS[number], "flow_id": OTHER, "name": f"run-{number}", "state_type": state,
            "state": {"type": state, "message": None}, "deployment_id": self.deployment, **more,
        }  # fmt: skip
        self.runs[RUNS[number]] = run
        return run

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.removeprefix("/api")
        if path == f"/deployments/{REPORT}/create_flow_run":
            return self._create(json_of(request))
        if path == "/flow_runs/filter":
            return self._filter(json_of(request))
        if path == "/flow_runs/bulk_set_state":
            return self._bulk(json_of(request))
        name = path.split("/")[2]
        if path.endswith("/set_state"):
            return self._set(self.runs[name], json_of(request)["state"]["type"])
        run = self.runs.get(name)
        return httpx2.Response(404) if run is None else httpx2.Response(200, json=run)

    def _create(self, body: dict[str, Any]) -> httpx2.Response:
        if self.refuses:
            detail = "secret: the parameters do not fit the schema"
            return httpx2.Response(409, json={"detail": detail})
        assert body["enforce_parameter_schema"] is True
        known = [
            r for r in self.runs.values() if r.get("idempotency_key") == body["idempotency_key"]
        ]
        if known:
            return httpx2.Response(200, json=known[0])
        run = self.add(0, "SCHEDULED", idempotency_key=body["idempotency_key"])
        run["parameters"] = body["parameters"]
        return httpx2.Response(201, json=run)

    def _filter(self, body: dict[str, Any]) -> httpx2.Response:
        (key,) = body["flow_runs"]["idempotency_key"]["any_"]
        found = [run for run in self.runs.values() if run.get("idempotency_key") == key]
        return httpx2.Response(200, json=found[body.get("offset", 0) :][: body["limit"]])

    def _set(self, run: dict[str, Any], state: str) -> httpx2.Response:
        if run["state_type"] in ("COMPLETED", "CANCELLED"):
            return httpx2.Response(200, json=_decision("ABORT", run["state_type"]))
        run["state_type"] = state
        return httpx2.Response(201, json=_decision("REJECT", state))

    def _bulk(self, body: dict[str, Any]) -> httpx2.Response:
        results = []
        for name in body["flow_runs"]["id"]["any_"]:
            run = self.runs[name]
            is_over = run["state_type"] == "COMPLETED"
            if not is_over:
                run["state_type"] = body["state"]["type"]
            status = "ABORT" if is_over else "ACCEPT"
            results.append({"flow_run_id": name, **_decision(status, run["state_type"])})
        return httpx2.Response(200, json={"results": results})


def _decision(status: str, state: str) -> dict[str, Any]:
    details = {"type": f"{status.lower()}_details", "reason": "as measured"}
    return {"status": status, "state": {"type": state}, "details": details}


@pytest.fixture
def prefect() -> Prefect:
    return Prefect()


@pytest.fixture
def staged(stage: Callable[..., Stage], prefect: Prefect) -> Callable[[str], Stage]:
    return lambda role: stage("prefect", prefect, role, context={"daily_report": REPORT})


DAY = {"day": "2026-08-14"}


def followed_to_its_end(stage: Stage, prefect: Prefect) -> None:
    """Start the report, let it complete, and ask what became of it."""

    async def story() -> None:
        async with stage.run() as run:
            reply = await stage.write(run, "start_daily_report", DAY)
            assert isinstance(reply, Success), reply
            assert reply.status == "accepted"
            prefect.runs[RUNS[0]]["state_type"] = "COMPLETED"
            ended = await stage.end_of(run, reply.operation_id)
            assert isinstance(ended, Success), ended
            assert ended.result["state"] == "succeeded"
            assert ended.evidence is not None
            assert ended.evidence.upstream_operation_id == RUNS[0]

    asyncio.run(story())


def test_new_run_is_accepted_and_followed(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    followed_to_its_end(staged("reporter"), prefect)
    assert json_of(prefect.writes[0])["parameters"] == DAY


def test_bad_parameter_is_named_and_its_detail_is_not(
    staged: Callable[[str], Stage], prefect: Prefect
) -> None:
    prefect.refuses = True
    reply = staged("reporter").written("start_daily_report", DAY)
    assert isinstance(reply, Failure)
    assert (reply.error.code, reply.error.field) == ("INVALID_ARGUMENT", "/day")
    assert "secret" not in repr(reply)


def test_answer_of_another_deployments_run_is_unknown(
    staged: Callable[[str], Stage], prefect: Prefect
) -> None:
    """The answer must echo the deployment: a key that was used elsewhere gives that one's run."""
    prefect.deployment = OTHER
    reply = staged("reporter").written("start_daily_report", DAY)
    assert code_of(reply) == "UNKNOWN_OUTCOME"


def test_lost_answer_is_found_by_the_key(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    prefect.loses = 1
    reply = staged("reporter").written("start_daily_report", DAY)
    assert isinstance(reply, Success), reply
    assert reply.status == "accepted"
    assert len(prefect.writes) == 1


def test_cancelling_reads_201_as_done(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    prefect.add(1)
    reply = staged("operator").written("cancel_run", {"run": RUNS[1]})
    assert isinstance(reply, Success), reply
    assert reply.result == {"decision": "REJECT"}
    assert reply.evidence is not None
    assert reply.evidence.next_state == "CANCELLED"


def test_cancelling_reads_200_as_refused(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    """The run ends after the boundary has looked, and before the write arrives."""
    prefect.add(1)
    original = prefect._set

    def late(run: dict[str, Any], state: str) -> httpx2.Response:
        run["state_type"] = "COMPLETED"
        return original(run, state)

    prefect._set = late  # type: ignore[method-assign]
    reply = staged("operator").written("cancel_run", {"run": RUNS[1]})
    assert code_of(reply) == "UPSTREAM_REJECTED"


def test_run_that_has_ended_fails_its_requirement(
    staged: Callable[[str], Stage], prefect: Prefect
) -> None:
    prefect.add(1, "COMPLETED")

    async def story() -> None:
        async with staged("operator").run() as run:
            reply = await run.call("preview_cancel_run", {"run": RUNS[1]})
            assert code_of(reply) == "PRECONDITION_FAILED"

    asyncio.run(story())


def test_runs_are_cancelled_one_by_one(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    prefect.add(1)
    prefect.add(2)
    stage = staged("operator")
    reply = stage.written("cancel_runs", {"runs": [RUNS[1], RUNS[2]]})
    assert isinstance(reply, Success), reply
    assert [one["decision"] for one in reply.result["results"]] == ["ACCEPT", "ACCEPT"]
    assert json_of(prefect.writes[0])["flow_runs"] == {"id": {"any_": [RUNS[1], RUNS[2]]}}


def test_a_mixed_result_is_unknown(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    prefect.add(1)
    prefect.add(2, "COMPLETED")
    reply = staged("operator").written("cancel_runs", {"runs": [RUNS[1], RUNS[2]]})
    assert isinstance(reply, Failure)
    assert reply.error.code == "UNKNOWN_OUTCOME"


def test_a_follow_that_no_answer_leads_to_is_told(tmp_path: Path) -> None:
    source = next(source for source in SOURCES if source.name == "prefect")
    text = source.charter.read_text("utf-8").replace("is: accepted", "is: completed")
    (tmp_path / "charter.yaml").write_text(text, "utf-8")
    shutil.copy(source.charter.with_name(source.spec), tmp_path / source.spec)
    report = lint_charter(tmp_path / "charter.yaml", Options(out=tmp_path / "out"))
    (found,) = (one for one in report.diagnostics if one.code == "TC805")
    assert (found.tool, found.severity) == ("start_daily_report", "warning")
    assert "`follow`" in found.message


def test_replay_of_a_known_key_says_so(staged: Callable[[str], Stage], prefect: Prefect) -> None:
    """200 is what a key gets that made its run before."""
    original = prefect._create

    def twice(body: dict[str, Any]) -> httpx2.Response:
        original(body)
        return original(body)

    prefect._create = twice  # type: ignore[method-assign]
    followed_to_its_end(staged("reporter"), prefect)
    assert len(prefect.runs) == 1
