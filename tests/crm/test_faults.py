"""The service does what a test asks of it: keys, versions, faults, and a ledger that tells what really happened."""

import subprocess
import sys
import threading
import time
import uuid
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from upstreams.crm import FAULTS, CrmServer

ROOT = Path(__file__).parents[2]
MOVE = {"reason": "moved", "destination": {"kind": "saved", "address_id": "A-2002"}}


def move(
    client: httpx2.Client, key: str, *, version: int = 17, body: Any = MOVE
) -> httpx2.Response:
    headers = {"Idempotency-Key": key, "If-Match": f'"{version}"'}
    return client.post("/customers/C-1842/address-changes", headers=headers, json=body)


@pytest.fixture
def key() -> str:
    return str(uuid.uuid4())


def test_same_key_and_request_returns_the_stored_answer(
    crm: CrmServer, client: httpx2.Client, key: str
) -> None:
    first, second = move(client, key), move(client, key)
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert len(crm.control.ledger(target="C-1842")) == 1


def test_same_key_with_another_request_is_refused(
    crm: CrmServer, client: httpx2.Client, key: str
) -> None:
    move(client, key)
    other = move(client, key, body=MOVE | {"reason": "correction"})
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")
    assert len(crm.control.ledger()) == 1


def test_a_key_under_way_is_refused(crm: CrmServer, client: httpx2.Client, key: str) -> None:
    crm.control.fault("changeAddress", "apply_then_delay", seconds=1.0)
    slow = threading.Thread(target=move, args=(client, key))
    slow.start()
    while not crm.control.ledger():
        time.sleep(0.01)
    second = move(client, key)
    slow.join()
    assert (second.status_code, second.json()["code"]) == (409, "in_flight")
    assert len(crm.control.ledger()) == 1


def test_drop_resets_the_connection_and_applies_nothing(
    crm: CrmServer, client: httpx2.Client, key: str
) -> None:
    crm.control.fault("changeAddress", "drop")
    with pytest.raises(httpx2.TransportError):
        move(client, key)
    assert crm.control.ledger() == []
    assert client.get(f"/operations/by-key/{key}").status_code == 404
    assert crm.control.requests()[0]["fault"] == "drop"


@pytest.mark.parametrize("version", [17, 99])
def test_apply_then_drop_applies_only_what_would_be_applied(
    crm: CrmServer, client: httpx2.Client, key: str, version: int
) -> None:
    crm.control.fault("changeAddress", "apply_then_drop")
    if version == 17:
        with pytest.raises(httpx2.TransportError):
            move(client, key)
        assert client.get(f"/operations/by-key/{key}").json()["status"] == "succeeded"
    else:
        assert move(client, key, version=99).status_code == 412
    assert len(crm.control.ledger()) == (version == 17)


def test_apply_then_500(crm: CrmServer, client: httpx2.Client, key: str) -> None:
    crm.control.fault("changeAddress", "apply_then_500")
    assert move(client, key).status_code == 500
    assert len(crm.control.ledger()) == 1


def test_malformed_success_was_applied(crm: CrmServer, client: httpx2.Client, key: str) -> None:
    crm.control.fault("changeAddress", "malformed_success")
    answer = move(client, key)
    assert (answer.status_code, "status" in answer.json()) == (202, False)
    assert len(crm.control.ledger()) == 1


def test_key_ignored_applies_twice(crm: CrmServer, client: httpx2.Client, key: str) -> None:
    crm.control.fault("sendEmail", "key_ignored", times=2)
    body = {"subject": "Hello", "text": "Twice."}
    for _ in range(2):
        client.post("/customers/C-1842/emails", headers={"Idempotency-Key": key}, json=body)
    assert [effect.key for effect in crm.control.ledger(operation="sendEmail")] == [key, key]


def test_rate_limited_says_when_in_both_forms(crm: CrmServer, client: httpx2.Client) -> None:
    crm.control.fault("getCustomer", "rate_limited", seconds=3)
    crm.control.fault("getCustomer", "rate_limited", seconds=3, as_date=True)
    first, second = client.get("/customers/C-1842"), client.get("/customers/C-1842")
    assert (first.status_code, first.headers["retry-after"]) == (429, "3")
    assert 0 < parsedate_to_datetime(second.headers["retry-after"]).timestamp() - time.time() <= 4


def test_delay_unavailable_count_skip_and_path(crm: CrmServer, client: httpx2.Client) -> None:
    crm.control.fault("*", "unavailable", times=1, skip=1, path="/customers/C-1842")
    paths = ["/customers/C-1842", "/customers/C-1843", "/customers/C-1842", "/customers/C-1842"]
    assert [client.get(path).status_code for path in paths] == [200, 200, 503, 200]
    crm.control.fault("getCustomer", "delay", seconds=0.2, times=None)
    began = time.monotonic()
    client.get("/customers/C-1842")
    assert time.monotonic() - began >= 0.2
    crm.control.clear_faults()
    assert crm.control.faults() == []


def test_an_unknown_fault_is_refused(crm: CrmServer, client: httpx2.Client) -> None:
    answer = client.post("/_faults", json={"operation": "getCustomer", "kind": "explode"})
    assert answer.status_code == 422
    assert all(kind in answer.json()["detail"] for kind in FAULTS)


def test_a_message_stays_read_with_its_first_time(crm: CrmServer, client: httpx2.Client) -> None:
    first, second = client.get("/messages/M-3001").json(), client.get("/messages/M-3001").json()
    assert first["read_at"] == second["read_at"]
    assert len(crm.control.ledger(operation="readMessage")) == 1


def test_an_export_can_fail_and_moves_by_time(crm: CrmServer, client: httpx2.Client) -> None:
    def begin() -> str:
        body = {"kind": "payments", "format": "jsonl"}
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        started: str = client.post("/exports", headers=headers, json=body).json()["id"]
        return started

    failing = begin()
    crm.control.step(failing, "failed", "the disk is full")
    assert client.get(f"/operations/{failing}").json()["reason"] == "the disk is full"
    timed = begin()
    crm.control.move_exports(seconds=0.05)
    time.sleep(0.11)
    assert client.get(f"/operations/{timed}").json()["status"] == "succeeded"


def test_it_serves_as_a_process_and_keeps_its_file(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "upstreams.crm",
        "--port",
        "0",
        "--database",
        str(tmp_path / "crm.db"),
    ]
    for known in (404, 200):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            headers = {"Authorization": "Bearer crm-local-token"}
            with httpx2.Client(base_url=url, headers=headers) as client:
                fixed = str(uuid.UUID(int=1))
                assert client.get(f"/operations/by-key/{fixed}").status_code == known
                move(client, fixed)
        finally:
            process.terminate()
            process.communicate(timeout=10)
