"""A small frozen catalog, written by hand: what the tests of the boundary run from."""

from __future__ import annotations

from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import digest
from toolcharter_runtime.catalog import Catalog, Snapshot
from toolcharter_runtime.frozen import Contract

TEXT = {"type": "string", "maxLength": 200}
CUSTOMER = {"type": "string", "pattern": "^C-[0-9]{4,8}$"}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def contract(**fields: Any) -> Contract:
    base: dict[str, Any] = {
        "version": 1,
        "description": f"{fields['tool']} for tests.",
        "operation": f"{fields['request']['method']} {fields['request']['path']}",
        "successes": [{"status": "200", "media": "application/json"}],
        "timeout": {"connect": 1, "read": 2, "total": 5},
    }
    return Contract.model_validate(base | fields)


def path(name: str, value: str) -> dict[str, Any]:
    return {"location": "path", "name": name, "value": value, "style": "simple"}


def header(name: str, value: str) -> dict[str, Any]:
    return {"location": "header", "name": name, "value": value, "style": "simple"}


def field(name: str, at: str, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "at": at, "accepts": schema or TEXT, **more}


def view(
    fields: list[dict[str, Any]], *, size: int = 100_000, page: bool = False
) -> dict[str, Any]:
    shown = {
        one["name"]: _shown(one)
        for one in fields
        if not one.get("hidden") and not one.get("secret")
    }
    if page:
        shown["next_cursor"] = {"type": ["string", "null"], "maxLength": 4096}
    required = [one["name"] for one in fields if one.get("required") and one["name"] in shown]
    return {"fields": fields, "result": closed(shown, *required), "maximum_bytes": size}


def _shown(one: dict[str, Any]) -> dict[str, Any]:
    if one.get("redact"):
        return {"type": "string", "minLength": 3, "maxLength": 40}
    if one.get("each"):
        inner = {item["name"]: item["accepts"] for item in one["each"]}
        return {"type": "array", "maxItems": 100, "items": closed(inner)}
    return dict(one["accepts"])


INTEGER = {"type": "integer"}
STATE = {"enum": ["queued", "running", "succeeded", "failed", "cancelled"]}

GET_CUSTOMER = contract(
    tool="get_customer",
    effect="read",
    arguments=closed({"customer": CUSTOMER}, "customer"),
    request={
        "method": "GET",
        "path": "/customers/{customer_id}",
        "parameters": [path("customer_id", "{customer}")],
    },
    view=view(
        [
            field("customer", "/id", CUSTOMER, required=True),
            field("name", "/name", required=True),
            field("city", "/city"),
            field("email", "/email", redact="mask"),
            field("blocked", "/blocked", {"type": "boolean"}),
            field("version", "/version", INTEGER, required=True),
            field("etag", "header.ETag", hidden=True),
        ]
    ),
    retry=True,
    limits={"per_run": 40},
)
SEARCH = contract(
    tool="search_customers",
    effect="read",
    arguments=closed({"prefix": TEXT, "cursor": {"type": "string", "maxLength": 4096}}, "prefix"),
    request={
        "method": "POST",
        "path": "/customers/search",
        "body": {
            "media": "application/json",
            "kind": "json",
            "bindings": [
                {"at": "/prefix", "value": "{prefix}"},
                {"at": "/cursor", "value": "{$cursor}"},
                {"at": "/limit", "value": 2},
            ],
        },
    },
    view=view(
        [
            field(
                "customers",
                "/items",
                {"type": "array", "maxItems": 100},
                required=True,
                each=[field("customer", "/id", CUSTOMER), field("name", "/name")],
            )
        ],
        page=True,
    ),
    page={"kind": "answer", "next": "/next_cursor", "items": "customers", "size": 2},
)
FIND_OPERATION = contract(
    tool="find_operation",
    effect="read",
    hidden=True,
    arguments=closed({"key": {"type": "string", "format": "uuid"}}, "key"),
    request={
        "method": "GET",
        "path": "/operations/by-key/{key}",
        "parameters": [path("key", "{key}")],
    },
    view=view(
        [
            field("operation", "/id", required=True),
            field("key", "/key", required=True),
            field("state", "/status", STATE, required=True),
            field("reason", "/reason"),
        ]
    ),
)
GET_STATUS = FIND_OPERATION.model_copy(
    update={
        "tool": "get_operation_status",
        "operation": "GET /operations/{operation_id}",
        "arguments": closed({"operation": TEXT}, "operation"),
        "request": frozen.Request.model_validate(
            {
                "method": "GET",
                "path": "/operations/{operation_id}",
                "parameters": [path("operation_id", "{operation}")],
            }
        ),
    }
)

LEAD = {"name": "lead", "approvers": "leads", "quorum": 1, "expires_in": 1800}
LEAD_KEPT = LEAD | {"name": "lead_kept", "after_transient": "keep"}
LEAD_SELF = LEAD | {"name": "lead_self", "self_approval": True}
NOBODY = {"name": "nobody", "none": "nothing is lost", "expires_in": 900}
BY_KEY = {
    "read": {"tool": "find_operation.v1", "arguments": {"key": "{$key}"}},
    "where": {"key": "{$key}"},
}
READ_CUSTOMER = {"tool": "get_customer.v1", "arguments": {"customer": "{customer}"}}
OPERATION_VIEW = view(
    [
        field("operation", "/id", required=True),
        field("state", "/status", STATE, required=True),
    ]
)


def write(tool: str, *, terms: dict[str, Any], **fields: Any) -> Contract:
    whole: dict[str, Any] = {
        "summary": "Do it",
        "target": {
            "type": "customer",
            "id": "{customer}",
            "read": READ_CUSTOMER,
            "version": ["version"],
        },
        "approval": [{"policy": LEAD}],
        "idempotency": {"by": "key", "window": 86400},
        "version_check": "advisory",
        "evidence": {"operation_id": "operation", "state": "state"},
        "compensation": {"none": "a new write"},
    }
    return contract(tool=tool, effect="write", write=whole | terms, **fields)


ADDRESS_CHANGE = write(
    "address_change",
    arguments=closed(
        {
            "customer": CUSTOMER,
            "city": TEXT,
            "reason": {"enum": ["moved", "correction"], "default": "moved"},
        },
        "customer",
        "city",
    ),
    inputs={"city": {"free_text": True}},
    request={
        "method": "POST",
        "path": "/customers/{customer_id}/address-changes",
        "key_form": "uuid",
        "parameters": [
            path("customer_id", "{customer}"),
            header("Idempotency-Key", "{$key}"),
            header("If-Match", '"{$version}"'),
        ],
        "body": {
            "media": "application/json",
            "kind": "json",
            "bindings": [
                {"at": "/city", "value": "{city}"},
                {"at": "/reason", "value": "{reason}"},
            ],
        },
    },
    view=OPERATION_VIEW,
    terms={
        "summary": "Change the address of customer {customer} ({reason})",
        "changes": [{"label": "city", "before": "city", "after": "{city}"}],
        "version_check": "atomic",
        "unknown": BY_KEY,
        "target": {
            "type": "customer",
            "id": "{customer}",
            "read": READ_CUSTOMER,
            "version": ["version"],
            "require": {"blocked": {"not": True}},
            "show": ["name"],
        },
    },
    limits={"per_run": 5, "per_tenant_in_flight": 4},
)
WEAK_CHANGE = ADDRESS_CHANGE.model_copy(
    update={
        "tool": "weak_change",
        "request": ADDRESS_CHANGE.request.model_copy(
            update={
                "parameters": (
                    *ADDRESS_CHANGE.request.parameters[:2],
                    frozen.Parameter.model_validate(header("If-Match", "{$version}")),
                )
            }
        ),
        "write": ADDRESS_CHANGE.write.model_copy(  # type: ignore[union-attr]
            update={
                "target": ADDRESS_CHANGE.write.target.model_copy(  # type: ignore[union-attr]
                    update={"version": ("etag",)}
                )
            }
        ),
    }
)
NOTE = write(
    "note",
    arguments=closed({"customer": CUSTOMER, "text": TEXT}, "customer", "text"),
    inputs={"text": {"free_text": True}},
    request={
        "method": "POST",
        "path": "/customers/{customer_id}/notes",
        "parameters": [path("customer_id", "{customer}")],
        "body": {
            "media": "application/json",
            "kind": "json",
            "bindings": [{"at": "/text", "value": "{text}"}],
        },
    },
    view=OPERATION_VIEW,
    terms={"summary": "Note something on {customer}", "idempotency": {"by": "marker"}},
)
SELF_NOTE = NOTE.model_copy(
    update={
        "tool": "self_note",
        "write": NOTE.write.model_copy(  # type: ignore[union-attr]
            update={"approval": (frozen.ApprovalRow(policy=frozen.Policy(**LEAD_SELF)),)}  # type: ignore[arg-type]
        ),
    }
)
KEPT_NOTE = NOTE.model_copy(
    update={
        "tool": "kept_note",
        "write": NOTE.write.model_copy(  # type: ignore[union-attr]
            update={"approval": (frozen.ApprovalRow(policy=frozen.Policy(**LEAD_KEPT)),)}  # type: ignore[arg-type]
        ),
    }
)
TOUCH = write(
    "touch",
    arguments=closed({"customer": CUSTOMER}, "customer"),
    request={
        "method": "POST",
        "path": "/customers/{customer_id}/touch",
        "parameters": [path("customer_id", "{customer}")],
    },
    view=OPERATION_VIEW,
    terms={
        "summary": "Touch {customer}",
        "approval": [{"policy": NOBODY}],
        "idempotency": {"by": "nature", "because": "touching twice is touching once"},
        "resend": True,
        "target": {
            "type": "customer",
            "id": "{customer}",
            "read": READ_CUSTOMER,
            "unversioned": "touching replaces nothing",
        },
        "version_check": "none",
    },
)
REFUND = write(
    "refund",
    arguments=closed(
        {"customer": CUSTOMER, "amount": {"type": "integer", "minimum": 1, "maximum": 50000}},
        "customer",
        "amount",
    ),
    inputs={"amount": {"money": {"unit": "minor", "currency": "'EUR'"}}},
    request={
        "method": "POST",
        "path": "/customers/{customer_id}/refunds",
        "key_form": "uuid",
        "parameters": [
            path("customer_id", "{customer}"),
            header("Idempotency-Key", "{$key}"),
        ],
        "body": {
            "media": "application/json",
            "kind": "json",
            "bindings": [{"at": "/amount", "value": "{amount}"}],
        },
    },
    view=OPERATION_VIEW,
    terms={
        "summary": "Refund {amount} to {customer}",
        "approval": [
            {"policy": LEAD, "when": {"amount": {"at_most": 5000}}},
            {"policy": LEAD | {"name": "two", "quorum": 2}},
        ],
        "consequences": ["payment"],
        "unknown": BY_KEY,
        "resend": True,
    },
    limits={"per_run": 3, "total": {"amount": 60000}},
)
CANCEL = write(
    "export_cancellation",
    arguments=closed({"operation": TEXT}, "operation"),
    request={
        "method": "POST",
        "path": "/operations/{operation_id}/cancel",
        "parameters": [path("operation_id", "{operation}")],
    },
    view=OPERATION_VIEW,
    terms={
        "summary": "Stop {operation}",
        "approval": [{"policy": NOBODY}],
        "idempotency": {"by": "nature", "because": "it stays cancelled"},
        "target": {"type": "operation", "id": "{operation}", "unversioned": "nothing is replaced"},
        "version_check": "none",
    },
)
EXPORT = write(
    "export",
    arguments=closed({"kind": {"enum": ["all", "new"]}}, "kind"),
    request={
        "method": "POST",
        "path": "/exports",
        "key_form": "uuid",
        "parameters": [header("Idempotency-Key", "{$key}")],
        "body": {
            "media": "application/json",
            "kind": "json",
            "bindings": [{"at": "/kind", "value": "{kind}"}],
        },
    },
    successes=[{"status": "202", "media": "application/json"}],
    view=OPERATION_VIEW,
    terms={
        "summary": "Export {kind}",
        "target": {
            "type": "export",
            "id": "{$run.tenant}/{kind}",
            "unversioned": "a file is added",
        },
        "version_check": "none",
        "unknown": BY_KEY,
        "follow": {
            "read": {
                "tool": "get_operation_status.v1",
                "arguments": {"operation": "{$answer.operation}"},
            },
            "states": [{"state": name, "when": {"state": name}} for name in STATE["enum"]],
            "reason": "reason",
            "every": 0.01,
            "deadline": 1800,
            "cancel": {
                "tool": "export_cancellation.v1",
                "arguments": {"operation": "{$answer.operation}"},
            },
        },
    },
)
BLOCKS = write(
    "block_customers",
    arguments=closed(
        {"customers": {"type": "array", "items": CUSTOMER, "minItems": 1, "maxItems": 5}},
        "customers",
    ),
    request={
        "method": "POST",
        "path": "/blocks",
        "body": {
            "media": "application/json",
            "kind": "json",
            "bindings": [{"at": "/customers", "value": "{customers}"}],
        },
    },
    view=view(
        [
            field(
                "results",
                "/results",
                {"type": "array", "maxItems": 5},
                required=True,
                each=[field("customer", "/id", CUSTOMER), field("status", "/status")],
            )
        ]
    ),
    answers=[
        {"when": {"/results/*/status": "BLOCKED"}, "outcome": "completed"},
        {"when": {"/results/*/status": "REFUSED"}, "outcome": "rejected"},
    ],
    terms={
        "summary": "Block {$records} customers",
        "affects": "customers",
        "consequences": ["bulk"],
        "target": {
            "type": "customer",
            "id": "{customers}",
            "unversioned": "each is blocked or it is not",
        },
        "version_check": "none",
        "idempotency": {"by": "nature", "because": "blocked twice is blocked"},
        "evidence": {"absent": {"operation_id": "it has none"}},
    },
)
READS = (GET_CUSTOMER, SEARCH, FIND_OPERATION, GET_STATUS)
WRITES = (
    ADDRESS_CHANGE,
    WEAK_CHANGE,
    NOTE,
    SELF_NOTE,
    KEPT_NOTE,
    TOUCH,
    REFUND,
    EXPORT,
    CANCEL,
    BLOCKS,
)
ROLES = {
    "explorer": {
        "reads": ["get_customer.v1", "search_customers.v1"],
        "writes": [],
        "purposes": ["qa", "production"],
    },
    "agent": {
        "reads": ["get_customer.v1", "search_customers.v1"],
        "writes": [one.id for one in WRITES if one is not CANCEL],
        "purposes": ["production"],
    },
}


class MemorySnapshot(Snapshot):
    """A snapshot whose files are in memory."""

    def __init__(self, contracts: tuple[Contract, ...], roles: dict[str, Any]) -> None:
        super().__init__("memory", {})
        self._files = {
            f"{one.id}.json": one.model_dump_json(exclude_defaults=True) for one in contracts
        }
        body = {
            "catalog": 1,
            "package": "memory",
            "context": {},
            "roles": roles,
            "tools": {one.id: {"digest": digest("contract", one.to_json())} for one in contracts},
        }
        import json

        self._files["catalog.json"] = json.dumps({**body, "digest": digest("catalog", body)})

    def _text(self, name: str) -> str:
        return self._files[name]


class MemoryCatalog(Catalog):
    """A catalog whose snapshot is in memory."""

    def __init__(self, *changed: Contract, roles: dict[str, Any] | None = None) -> None:
        super().__init__("memory")
        by_id = {one.id: one for one in (*READS, *WRITES, *changed)}
        self.__dict__["__snapshot__"] = MemorySnapshot(tuple(by_id.values()), roles or ROLES)
