"""The operations that change nothing."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from upstreams.crm.database import Database, Row
from upstreams.crm.problems import Problem

__all__ = [
    "Sent",
    "customer_of",
    "find_operation",
    "get_address",
    "get_customer",
    "get_envelope",
    "get_export",
    "get_operation",
    "get_payment",
    "list_addresses",
    "operation_of",
    "search_customers",
    "show_operation",
]

Sent = dict[str, Any]
"""The parameters of a request by name, and its body under `body`."""

_ADDRESS = ("line1", "line2", "city", "postal_code", "country")
_OPERATION = ("id", "key", "kind", "status", "resource_id", "target_version", "reason")


def _found(row: Row | None) -> Row:
    if row is None:
        raise Problem("not_found")
    return row


def _only(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names if row[name] not in {None, ""}}


def customer_of(database: Database, customer_id: str) -> Row:
    """Return the customer's row, or refuse."""
    return _found(database.one("SELECT * FROM customers WHERE id = ?", customer_id))


def operation_of(database: Database, operation_id: str) -> Row:
    """Return the operation's row, or refuse."""
    return _found(database.one("SELECT * FROM operations WHERE id = ?", operation_id))


def show_operation(row: Row) -> dict[str, Any]:
    """Return an operation as the description has it."""
    return _only(row, _OPERATION)


def _show_customer(database: Database, row: Row) -> dict[str, Any]:
    address = _found(database.one("SELECT * FROM addresses WHERE id = ?", row["address_id"]))
    return {**dict(row), "address": _only(address, _ADDRESS)}


def get_customer(database: Database, sent: Sent) -> dict[str, Any]:
    """Return one customer with the current address."""
    return _show_customer(database, customer_of(database, sent["customer_id"]))


def _after(cursor: str | None) -> str:
    if cursor is None:
        return ""
    try:
        return base64.urlsafe_b64decode(cursor.encode()).decode()
    except (binascii.Error, ValueError):
        raise Problem("invalid", "the cursor is not one of ours") from None


def _page(rows: list[Row], limit: int, shown: list[dict[str, Any]]) -> dict[str, Any]:
    more = len(rows) > limit
    cursor = (
        base64.urlsafe_b64encode(str(rows[limit - 1]["id"]).encode()).decode() if more else None
    )
    return {"items": shown[:limit], "next_cursor": cursor}


def search_customers(database: Database, sent: Sent) -> dict[str, Any]:
    """Return one page of customers, by e-mail address or beginning of the name."""
    body = sent["body"]
    wanted, limit = body["filter"], body["limit"]
    if wanted["kind"] == "email":
        condition, value = "lower(email) = lower(?1)", wanted["email"]
    else:
        # Compared by its beginning, not by LIKE: a percent sign in a name is a percent sign.
        condition, value = "lower(substr(name, 1, length(?1))) = lower(?1)", wanted["prefix"]
    rows = database.all(
        f"SELECT * FROM customers WHERE {condition} AND id > ?2 ORDER BY id LIMIT ?3",
        value,
        _after(body.get("cursor")),
        limit + 1,
    )
    return _page(rows, limit, [_show_customer(database, row) for row in rows])


def list_addresses(database: Database, sent: Sent) -> dict[str, Any]:
    """Return one page of a customer's saved addresses."""
    customer_of(database, sent["customer_id"])
    limit = sent.get("limit", 20)
    rows = database.all(
        "SELECT * FROM addresses WHERE customer_id = ? AND id > ? ORDER BY id LIMIT ?",
        sent["customer_id"],
        _after(sent.get("cursor")),
        limit + 1,
    )
    return _page(rows, limit, [_only(row, ("id", *_ADDRESS)) for row in rows])


def get_address(database: Database, sent: Sent) -> dict[str, Any]:
    """Return one saved address of this customer."""
    row = database.one(
        "SELECT * FROM addresses WHERE id = ? AND customer_id = ?",
        sent["address_id"],
        sent["customer_id"],
    )
    return _only(_found(row), ("id", *_ADDRESS))


def get_envelope(database: Database, sent: Sent) -> dict[str, Any]:
    """Return customer, subject and state of a message."""
    row = _found(database.one("SELECT * FROM messages WHERE id = ?", sent["message_id"]))
    return {
        **_only(row, ("id", "customer_id", "subject", "read_at")),
        "read": row["read_at"] is not None,
    }


def get_payment(database: Database, sent: Sent) -> dict[str, Any]:
    """Return one payment."""
    return dict(_found(database.one("SELECT * FROM payments WHERE id = ?", sent["payment_id"])))


def get_export(database: Database, sent: Sent) -> dict[str, Any]:
    """Return the handle of a finished export."""
    return dict(_found(database.one("SELECT * FROM exports WHERE id = ?", sent["export_id"])))


def get_operation(database: Database, sent: Sent) -> dict[str, Any]:
    """Return one operation."""
    return show_operation(operation_of(database, sent["operation_id"]))


def find_operation(database: Database, sent: Sent) -> dict[str, Any]:
    """Return the operation that was begun with a key."""
    row = database.one(
        "SELECT * FROM operations WHERE key = ? ORDER BY begun_at LIMIT 1", sent["key"]
    )
    return show_operation(_found(row))
