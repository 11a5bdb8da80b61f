"""Every operation of the description is asked of the running service, and its real answer is checked against it."""

import uuid
from typing import Any

import httpx2
import jsonschema_rs
import pytest
from openapi_spec_validator import validate

from upstreams.crm import CrmServer
from upstreams.crm.description import load_description, operations

UNKNOWN = str(uuid.UUID(int=7))


def key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4())}


def check(operation_id: str, answer: httpx2.Response) -> Any:
    """Assert that status, media type, headers and body are as described; return the body."""
    description = load_description()
    node = next(
        item[method]
        for item in description["paths"].values()
        for method in item
        if method != "parameters" and item[method]["operationId"] == operation_id
    )
    described = node["responses"][str(answer.status_code)]
    if "$ref" in described:
        described = description["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
    media = answer.headers["content-type"].split(";")[0]
    schema = {**described["content"][media]["schema"], "components": description["components"]}
    jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(answer.json())
    for name, entry in described.get("headers", {}).items():
        named = entry.get("$ref", "").rsplit("/", 1)[-1]
        header = description["components"]["headers"][named] if named else entry
        if header.get("required") or name in answer.headers:
            jsonschema_rs.Draft202012Validator(header["schema"]).validate(answer.headers[name])
    return answer.json()


def test_description_is_valid_openapi() -> None:
    validate(load_description())


def test_every_operation_answers_as_described(crm: CrmServer, client: httpx2.Client) -> None:
    seen = set[str]()

    def ask(operation_id: str, method: str, path: str, **options: Any) -> Any:
        seen.add(operation_id)
        answer = client.request(method, path, **options)
        assert answer.is_success, answer.text
        return check(operation_id, answer)

    ask("getCustomer", "GET", "/customers/C-1842")
    search = {"filter": {"kind": "name", "prefix": "Mar"}, "limit": 20}
    first = ask("searchCustomers", "POST", "/customers/search", json=search)
    second = ask(
        "searchCustomers",
        "POST",
        "/customers/search",
        json=search | {"cursor": first["next_cursor"]},
    )
    assert {row["id"] for row in first["items"]}.isdisjoint(row["id"] for row in second["items"])
    page = ask("listAddresses", "GET", "/customers/C-1842/addresses", params={"limit": 1})
    assert (
        ask(
            "listAddresses",
            "GET",
            "/customers/C-1842/addresses",
            params={"cursor": page["next_cursor"]},
        )["next_cursor"]
        is None
    )
    ask("getAddress", "GET", "/customers/C-1842/addresses/A-2002")
    change = {"reason": "moved", "destination": {"kind": "saved", "address_id": "A-2002"}}
    headers = {**key(), "If-Match": '"17"'}
    changed = ask(
        "changeAddress", "POST", "/customers/C-1842/address-changes", json=change, headers=headers
    )
    assert (changed["status"], changed["target_version"]) == ("succeeded", 18)
    assert ask("getOperation", "GET", f"/operations/{changed['id']}") == changed
    assert ask("getOperationByKey", "GET", f"/operations/by-key/{changed['key']}") == changed
    assert ask("getEnvelope", "GET", "/messages/M-3001/envelope")["read"] is False
    read = ask("readMessage", "GET", "/messages/M-3001")
    assert ask("getEnvelope", "GET", "/messages/M-3001/envelope")["read_at"] == read["read_at"]
    ask("getPayment", "GET", "/payments/P-4001")
    refund = {"amount": 900, "currency": "EUR", "reason": "duplicate"}
    ask("createRefund", "POST", "/payments/P-4001/refunds", json=refund, headers=key())
    email = {"subject": "Your refund", "text": "It is on its way."}
    ask("sendEmail", "POST", "/customers/C-1843/emails", json=email, headers=key())
    wanted = {"kind": "customers", "format": "csv"}
    begun = ask("startExport", "POST", "/exports", json=wanted, headers=key())
    crm.control.step(begun["id"])
    assert ask("getOperation", "GET", f"/operations/{begun['id']}")["status"] == "running"
    crm.control.step(begun["id"])
    done = ask("getOperation", "GET", f"/operations/{begun['id']}")
    ask("getExport", "GET", f"/exports/{done['resource_id']}")
    again = ask("startExport", "POST", "/exports", json=wanted, headers=key())
    assert (
        ask("cancelOperation", "POST", f"/operations/{again['id']}/cancel")["status"] == "cancelled"
    )
    assert (
        ask("cancelOperation", "POST", f"/operations/{begun['id']}/cancel")["status"] == "succeeded"
    )
    assert seen == {operation.name for operation in operations()}


SAVED = {"kind": "saved", "address_id": "A-2002"}
MOVE = {"reason": "moved", "destination": SAVED}
CHANGES = "/customers/C-1842/address-changes"
REFUNDS = "/payments/P-4001/refunds"


@pytest.mark.parametrize(
    ("operation_id", "method", "path", "headers", "body", "status"),
    [
        ("getCustomer", "GET", "/customers/C-9999", {}, None, 404),
        ("getAddress", "GET", "/customers/C-1843/addresses/A-2002", {}, None, 404),
        ("searchCustomers", "POST", "/customers/search", {}, {"filter": {"kind": "id"}, "limit": 5}, 422),
        ("changeAddress", "POST", CHANGES, {"If-Match": '"17"'}, MOVE, 400),
        ("changeAddress", "POST", CHANGES, {"Idempotency-Key": UNKNOWN}, MOVE, 428),
        ("changeAddress", "POST", CHANGES, {"Idempotency-Key": UNKNOWN, "If-Match": '"16"'}, MOVE, 412),
        (
            "changeAddress", "POST", CHANGES, {"Idempotency-Key": UNKNOWN, "If-Match": '"17"'},
            {"reason": "moved", "destination": {"kind": "saved", "address_id": "A-2011"}}, 422,
        ),
        ("createRefund", "POST", REFUNDS, {"Idempotency-Key": UNKNOWN},
         {"amount": 4901, "currency": "EUR", "reason": "goodwill"}, 422),
        ("createRefund", "POST", REFUNDS, {"Idempotency-Key": UNKNOWN},
         {"amount": 1, "currency": "USD", "reason": "goodwill"}, 422),
        ("getOperationByKey", "GET", f"/operations/by-key/{UNKNOWN}", {}, None, 404),
        ("getPayment", "GET", "/payments/P-4001", {"Authorization": "Bearer other"}, None, 401),
    ],
)  # fmt: skip
def test_refusals_are_described_problems_and_apply_nothing(
    crm: CrmServer, client: httpx2.Client, operation_id, method, path, headers, body, status
) -> None:
    answer = client.request(method, path, headers=headers, json=body)
    assert answer.status_code == status
    assert check(operation_id, answer)["status"] == status
    assert crm.control.ledger() == []
