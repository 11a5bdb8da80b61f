"""Frozen contracts written by hand: a paged read, a plain read, and a write with a tagged union."""

from __future__ import annotations

from typing import Any

from toolcharter.emit import Package
from toolcharter_runtime.frozen import Contract

CUSTOMER = {"type": "string", "pattern": "^C-[0-9]{4,8}$", "maxLength": 10}
NAME = {"type": "string", "maxLength": 120}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }


def get_customer(version: int = 1, **changes: Any) -> Contract:
    return Contract.model_validate(
        {
            "tool": "get_customer",
            "version": version,
            "effect": "read",
            "description": "One customer with name, e-mail and version.",
            "operation": "GET /customers/{customer_id} (getCustomer)",
            "arguments": closed({"customer": CUSTOMER}, "customer"),
            "request": {
                "method": "GET",
                "path": "/customers/{customer_id}",
                "parameters": [
                    {
                        "location": "path",
                        "name": "customer_id",
                        "value": "{customer}",
                        "style": "simple",
                    }
                ],
            },
            "auth": {"scheme": "bearer", "kind": "bearer"},
            "successes": [{"status": "200", "media": "application/json"}],
            "view": {
                "fields": [
                    {"name": "customer", "at": "/id", "required": True},
                    {"name": "name", "at": "/name"},
                    {"name": "email", "at": "/email", "redact": "mask"},
                    {"name": "version", "at": "/version"},
                ],
                "result": closed(
                    {
                        "customer": CUSTOMER,
                        "name": NAME,
                        "email": {"type": ["string", "null"], "maxLength": 254},
                        "version": {"type": "integer", "minimum": 1},
                    },
                    "customer",
                    "version",
                ),
                "maximum_bytes": 32768,
            },
            "retry": True,
            **changes,
        }
    )


def search_customers() -> Contract:
    email = closed(
        {"kind": {"const": "email"}, "email": {"type": "string", "maxLength": 254}},
        "kind",
        "email",
    )
    name = closed({"kind": {"const": "name"}, "prefix": NAME}, "kind", "prefix")
    item = closed({"customer": CUSTOMER, "name": NAME}, "customer")
    return Contract.model_validate(
        {
            "tool": "search_customers",
            "version": 1,
            "effect": "read",
            "description": "Find customers by e-mail address or by the beginning of their name.",
            "operation": "POST /customers/search (searchCustomers)",
            "arguments": closed(
                {
                    "filter": {"oneOf": [email, name]},
                    "cursor": {"type": "string", "maxLength": 2000},
                },
                "filter",
            ),
            "request": {
                "method": "POST",
                "path": "/customers/search",
                "body": {
                    "media": "application/json",
                    "kind": "json",
                    "bindings": [
                        {"at": "/filter", "value": "{filter}"},
                        {"at": "/cursor", "value": "{$cursor}"},
                        {"at": "/limit", "value": 20},
                    ],
                },
            },
            "successes": [{"status": "200", "media": "application/json"}],
            "view": {
                "fields": [
                    {
                        "name": "customers",
                        "at": "/items",
                        "each": [
                            {"name": "customer", "at": "/id"},
                            {"name": "name", "at": "/name"},
                        ],
                    }
                ],
                "result": closed(
                    {
                        "customers": {"type": "array", "maxItems": 100, "items": item},
                        "next_cursor": {"type": ["string", "null"], "maxLength": 2000},
                    },
                    "customers",
                    "next_cursor",
                ),
                "maximum_bytes": 32768,
            },
            "page": {"kind": "answer", "next": "/next_cursor", "items": "customers", "size": 20},
        }
    )


def find_operation() -> Contract:
    return get_customer(
        tool="find_operation",
        hidden=True,
        description="One operation by its key.",
        operation="GET /operations/by-key/{key} (getOperationByKey)",
    )


def address_change(version: int = 1, **changes: Any) -> Contract:
    saved = closed(
        {"kind": {"const": "saved"}, "address": {"type": "string", "pattern": "^A-[0-9]{4,8}$"}},
        "kind",
        "address",
    )
    new = closed(
        {
            "kind": {"const": "new"},
            "line1": NAME,
            "line2": {"type": ["string", "null"], "maxLength": 120},
            "city": NAME,
        },
        "kind",
        "line1",
        "city",
    )
    return Contract.model_validate(
        {
            "tool": "address_change",
            "version": version,
            "effect": "write",
            "description": "Move a customer to a saved or a new address.",
            "operation": "POST /customers/{customer_id}/address-changes (changeAddress)",
            "arguments": closed(
                {
                    "customer": CUSTOMER,
                    "reason": {"enum": ["moved", "correction"]},
                    "effective_on": {"type": "string", "format": "date"},
                    "destination": {"oneOf": [saved, new], "description": "Where to."},
                },
                "customer",
                "reason",
                "destination",
            ),
            "request": {
                "method": "POST",
                "path": "/customers/{customer_id}/address-changes",
                "parameters": [
                    {
                        "location": "path",
                        "name": "customer_id",
                        "value": "{customer}",
                        "style": "simple",
                    },
                    {
                        "location": "header",
                        "name": "Idempotency-Key",
                        "value": "{$key}",
                        "style": "simple",
                    },
                    {
                        "location": "header",
                        "name": "If-Match",
                        "value": '"{$version}"',
                        "style": "simple",
                    },
                ],
                "body": {
                    "media": "application/json",
                    "kind": "json",
                    "bindings": [
                        {"at": "/reason", "value": "{reason}"},
                        {"at": "/destination", "value": "{destination}"},
                    ],
                },
                "key_form": "uuid",
            },
            "successes": [{"status": "202", "media": "application/json"}],
            "answers": [
                {
                    "when": {"http": 422},
                    "outcome": "rejected",
                    "code": "INVALID_ARGUMENT",
                    "field": "destination",
                }
            ],
            "view": {
                "fields": [{"name": "operation", "at": "/id"}],
                "result": closed({"operation": {"type": "string", "format": "uuid"}}),
                "maximum_bytes": 32768,
            },
            "write": {
                "summary": "Change the address of customer {customer} ({reason})",
                "target": {
                    "type": "customer",
                    "id": "{customer}",
                    "read": {"tool": "get_customer.v1", "arguments": {"customer": "{customer}"}},
                    "version": ["version"],
                    "show": ["name"],
                },
                "approval": [
                    {
                        "policy": {
                            "name": "support_lead",
                            "approvers": "support_lead",
                            "expires_in": 1800,
                        }
                    }
                ],
                "idempotency": {"by": "key", "window": 86400},
                "version_check": "atomic",
                "unknown": {
                    "read": {"tool": "find_operation.v1", "arguments": {"key": "{$key}"}},
                    "where": {"key": "{$key}"},
                },
                "evidence": {"operation_id": "operation", "new_version": "$after.version"},
                "compensation": {"none": "A second change needs its own approval"},
            },
            "limits": {"per_run": 5},
            **changes,
        }
    )


def package(**changes: Any) -> Package:
    stated: dict[str, Any] = {
        "name": "crm_tools",
        "current": (address_change(), find_operation(), get_customer(), search_customers()),
        "roles": {
            "explorer": {"reads": ("get_customer", "search_customers"), "purposes": ("qa",)},
            "support_agent": {
                "reads": ("get_customer",),
                "writes": ("address_change",),
                "purposes": ("production",),
            },
        },
    }
    return Package(**{**stated, **changes})
