"""The operations that change something; each runs in the one write transaction of its request."""

from __future__ import annotations

import time
import uuid
from typing import Any

from upstreams.crm.database import Database, now
from upstreams.crm.problems import Problem
from upstreams.crm.reads import Sent, customer_of, get_payment, operation_of, show_operation

__all__ = [
    "cancel_operation",
    "change_address",
    "create_refund",
    "read_message",
    "send_email",
    "start_export",
]


def _begin(database: Database, sent: Sent, kind: str, **facts: object) -> str:
    operation_id = str(uuid.uuid4())
    begun = {
        "id": operation_id,
        "key": sent["Idempotency-Key"],
        "kind": kind,
        "status": "succeeded",
    }
    database.insert("operations", **{**begun, "begun_at": time.time(), **facts})
    return operation_id


def change_address(database: Database, sent: Sent) -> dict[str, Any]:
    """Move a customer to a saved or a new address, if the version sent is still the current one."""
    body, key = sent["body"], sent["Idempotency-Key"]
    customer = customer_of(database, sent["customer_id"])
    if sent["If-Match"] != f'"{customer["version"]}"':
        raise Problem("version_conflict", current_version=customer["version"])
    address_id = _destination(database, customer["id"], body["destination"])
    version = customer["version"] + 1
    database.run(
        "UPDATE customers SET address_id = ?, version = ? WHERE id = ?",
        address_id,
        version,
        customer["id"],
    )
    operation_id = _begin(
        database, sent, "address_change", resource_id=address_id, target_version=version
    )
    database.record(
        "changeAddress",
        customer["id"],
        key,
        {
            "from": customer["address_id"],
            "to": address_id,
            "version": version,
            "reason": body["reason"],
        },
    )
    return show_operation(operation_of(database, operation_id))


def _destination(database: Database, customer_id: str, destination: dict[str, Any]) -> str:
    if destination["kind"] == "saved":
        address_id: str = destination["address_id"]
        owned = database.one(
            "SELECT id FROM addresses WHERE id = ? AND customer_id = ?", address_id, customer_id
        )
        if owned is None:
            raise Problem(
                "unprocessable", "not an address of this customer", field="/destination/address_id"
            )
        return address_id
    row = database.one("SELECT max(CAST(substr(id, 3) AS INTEGER)) AS last FROM addresses")
    address_id = f"A-{(row['last'] if row and row['last'] else 9000) + 1}"
    database.insert("addresses", id=address_id, customer_id=customer_id, **destination["address"])
    return address_id


def read_message(database: Database, sent: Sent) -> dict[str, Any]:
    """Return a message's text; the first reading marks it as read."""
    row = database.one("SELECT * FROM messages WHERE id = ?", sent["message_id"])
    if row is None:
        raise Problem("not_found")
    read_at = row["read_at"]
    if read_at is None:
        read_at = now()
        database.run("UPDATE messages SET read_at = ? WHERE id = ?", read_at, row["id"])
        database.record("readMessage", row["id"], None, {"read_at": read_at})
    return {"id": row["id"], "subject": row["subject"], "body": row["body"], "read_at": read_at}


def create_refund(database: Database, sent: Sent) -> dict[str, Any]:
    """Give back part or all of what is still refundable."""
    body, key = sent["body"], sent["Idempotency-Key"]
    payment = get_payment(database, sent)
    if payment["status"] != "captured":
        raise Problem("unprocessable", "the payment is not captured")
    if body["currency"] != payment["currency"]:
        raise Problem("unprocessable", "not the payment's currency", field="/currency")
    if body["amount"] > payment["refundable"]:
        raise Problem("unprocessable", "more than can be refunded", field="/amount")
    left = payment["refundable"] - body["amount"]
    version = payment["version"] + 1
    database.run(
        "UPDATE payments SET refundable = ?, status = ?, version = ? WHERE id = ?",
        left,
        "captured" if left else "refunded",
        version,
        payment["id"],
    )
    refund_id = f"R-{uuid.uuid4().hex[:12]}"
    database.insert("refunds", id=refund_id, payment_id=payment["id"], **body)
    operation_id = _begin(database, sent, "refund", resource_id=refund_id, target_version=version)
    database.record("createRefund", payment["id"], key, {"refund": refund_id, **body})
    return {
        "id": refund_id,
        "operation_id": operation_id,
        "amount": body["amount"],
        "currency": body["currency"],
        "status": "succeeded",
    }


def send_email(database: Database, sent: Sent) -> dict[str, Any]:
    """Hand an e-mail to a customer over for delivery."""
    body, key = sent["body"], sent["Idempotency-Key"]
    customer = customer_of(database, sent["customer_id"])
    email_id = f"E-{uuid.uuid4().hex[:12]}"
    database.insert("emails", id=email_id, customer_id=customer["id"], **body)
    operation_id = _begin(database, sent, "email", resource_id=email_id)
    database.record(
        "sendEmail", customer["id"], key, {"email": email_id, "subject": body["subject"]}
    )
    return {"id": email_id, "operation_id": operation_id, "status": "sent"}


def start_export(database: Database, sent: Sent) -> dict[str, Any]:
    """Begin an export, which is queued."""
    body = sent["body"]
    operation_id = _begin(database, sent, "export", status="queued", export_kind=body["kind"])
    database.record("startExport", operation_id, sent["Idempotency-Key"], dict(body))
    return show_operation(operation_of(database, operation_id))


def cancel_operation(database: Database, sent: Sent) -> dict[str, Any]:
    """Stop an operation that is queued or running; a finished one stays as it is."""
    row = operation_of(database, sent["operation_id"])
    if row["status"] in {"queued", "running"}:
        database.run("UPDATE operations SET status = 'cancelled' WHERE id = ?", row["id"])
        database.record("cancelOperation", row["id"], None, {"was": row["status"]})
    return show_operation(operation_of(database, row["id"]))
