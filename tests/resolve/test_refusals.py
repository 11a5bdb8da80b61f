"""What cannot be resolved: each with its code, its tool, its place, and a word on how to mend it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest

from toolcharter.diagnostics import Diagnostic, Staged
from toolcharter.resolve import ResolvedApi

Errors: TypeAlias = Callable[..., list[Diagnostic]]
SENT = 'send: {header.If-Match: "{$version}"}'
KEYED = "name: Idempotency-Key, in: header, required: true, schema: {type: string, format"
NOTE = "note: {to: /note, maxLength: 300}"
PAGE = "page: {next: /next, to: query.after, size: {query.limit: 20}}"


@dataclass(frozen=True)
class Case:
    """One change of the shop and the one error that it makes."""

    name: str
    code: str
    tool: str | None
    at: str
    """What stands at the place of the error."""
    charter: dict[str, str] = field(default_factory=dict)
    spec: dict[str, str] = field(default_factory=dict)
    hint: str = ""


def one(
    name: str,
    code: str,
    at: str,
    old: str,
    new: str,
    hint: str = "",
    tool: str | None = "change_order",
) -> Case:
    return Case(name, code, tool, at, {old: new}, hint=hint)


CASES = [
    one(
        "operation is not there",
        "TC726",
        "operation: listOrder",
        "operation: listOrders",
        "operation: listOrder",
        "did you mean `listOrders`",
        "list_orders",
    ),
    one(
        "place is not there",
        "TC110",
        "note: {to",
        NOTE,
        "note: {to: /nota, maxLength: 300}",
        "did you mean `note`?",
    ),
    one(
        "no property of that name",
        "TC110",
        "notes:",
        NOTE,
        "note: {to: /note, maxLength: 300}\n      notes: {maxLength: 300}",
        "did you mean `note`?",
    ),
    one(
        "loosened length",
        "TC115",
        "note: {to",
        NOTE,
        "note: {to: /note, maxLength: 6000}",
        "a keyword over a described place",
    ),
    one(
        "other pattern",
        "TC115",
        "order: {to",
        'pattern: "^O-[0-9]+$", maxLength: 12',
        'pattern: "^P-[0-9]+$", maxLength: 12',
        "",
        None,
    ),
    one(
        "bounds that exclude all",
        "TC115",
        "priority: {",
        "priority: {to: /priority}",
        "priority: {to: /priority, minimum: 8, maximum: 7}",
    ),
    one(
        "keyword of another type",
        "TC115",
        "priority: {",
        "priority: {to: /priority}",
        "priority: {to: /priority, maxLength: 3}",
    ),
    one(
        "default outside the bounds",
        "TC115",
        "priority: {",
        "priority: {to: /priority}",
        "priority: {to: /priority, maximum: 3}",
        "state a `default`",
    ),
    one(
        "null where none is allowed",
        "TC115",
        "priority: {",
        "priority: {to: /priority}",
        "priority: {to: /priority, nullable: true}",
    ),
    one(
        "object as an input",
        "TC113",
        "gift: {",
        "priority: {to: /priority}",
        "priority: {to: /priority}\n      gift: {to: /gift}",
        "list its fields",
    ),
    one(
        "an object in a text",
        "TC731",
        'summary: "Place an order',
        'summary: "Place an order delivered by {delivery.by}"',
        'summary: "Place an order delivered by {delivery}"',
        "name a member of it",
        "place_order",
    ),
    one(
        "a list that is compared",
        "TC731",
        "when: {lines: {at_most",
        "    approval: lead\n",
        "    approval:\n      - {policy: nobody, when: {lines: {at_most: 3}}}\n      - {policy: lead}\n",
        "ask `exists` of it",
        "place_order",
    ),
    one(
        "half an object",
        "TC120",
        "gift: {",
        "priority: {to: /priority}",
        "priority: {to: /priority}\n      gift: {to: /gift/text}",
        "fill it",
    ),
    one(
        "constant that does not fit",
        "TC121",
        "/state: lost",
        SENT,
        'send: {header.If-Match: "{$version}", /state: lost}',
        "it takes one of open",
    ),
    one(
        "constant of another type",
        "TC121",
        "/gift/wrap: ",
        SENT,
        'send: {header.If-Match: "{$version}", /gift/wrap: "yes", /gift/text: x}',
        "it takes boolean",
    ),
    one(
        "text that may not fit",
        "TC121",
        "/reference: ",
        SENT,
        'send: {header.If-Match: "{$version}", /reference: "{note}"}',
        "tighten the inputs",
    ),
    one(
        "place filled twice",
        "TC118",
        "/note: x",
        SENT,
        'send: {header.If-Match: "{$version}", /note: x}',
        "leave one",
    ),
    one(
        "required parameter without source",
        "TC120",
        "change_order:",
        SENT,
        "send: {}",
        "fill it in `input` or `send`",
    ),
    one(
        "undeclared header",
        "TC540",
        "header.X-Region",
        SENT,
        'send: {header.If-Match: "{$version}", header.X-Region: eu}',
        "add under tools.change_order:  attest: {header.X-Region: DECIDE}",
    ),
    one(
        "misspelt header",
        "TC110",
        "header.If-Macth",
        SENT,
        'send: {header.If-Macth: "{$version}"}',
        "did you mean `If-Match`?",
    ),
    one(
        "unknown name in a template",
        "TC737",
        "/reference: ",
        SENT,
        'send: {header.If-Match: "{$version}", /reference: "{nobody}"}',
        "known: ",
    ),
    one(
        "unknown name of the context",
        "TC737",
        "/reference: ",
        SENT,
        'send: {header.If-Match: "{$version}", /reference: "{$run.context.regio}"}',
        "did you mean `region`?",
    ),
    one(
        "unknown name before",
        "TC737",
        "summary: ",
        "of {$before.state}",
        "of {$before.status}",
        "did you mean `state`?",
    ),
    one(
        "view is not there",
        "TC110",
        "stat: /stat",
        "view: {order: /id, etag: {at: header.ETag, hidden: true}}\n    approval:\n      - {policy: nobody",
        "view: {order: /id, stat: /stat, etag: {at: header.ETag, hidden: true}}\n    approval:\n      - {policy: nobody",
        "did you mean `state`?",
    ),
    one(
        "view of a union without a branch",
        "TC113",
        "customer: {at",
        "{at: /customer, branch: string}",
        "{at: /customer}",
        "say which with `branch`",
        "get_order",
    ),
    one(
        "branch that is not there",
        "TC113",
        "customer: {at",
        "branch: string",
        "branch: integer",
        "known: Customer, string",
        "get_order",
    ),
    one(
        "view of an object",
        "TC113",
        "lines: /extra",
        "lines: {count: /lines}",
        "lines: /extra",
        "list its fields",
        "get_order",
    ),
    one(
        "untyped under an open object",
        "TC104",
        "marker: /extra",
        "{at: /extra/marker, type: string, maxLength: 30, hidden: true}",
        "/extra/marker",
        "state `type`",
        "list_orders",
    ),
    one(
        "list without pages",
        "TC547",
        "unknown: {read",
        f"    {PAGE}\n",
        "",
        "state `page` of the read",
        "place_order",
    ),
    one(
        "page without size",
        "TC732",
        "page: {next",
        PAGE,
        "page: {next: /next, to: query.after}",
        "state `size",
        "list_orders",
    ),
    one(
        "page that says two things",
        "TC731",
        "next: {last",
        PAGE,
        "page: {next: {last: /id, url: /next, take: x}, to: query.after, size: {query.limit: 20}}",
        "",
        "list_orders",
    ),
    one(
        "unknown branch of a union",
        "TC110",
        "pickups: {",
        "pickup: {shop: /shop}",
        "pickups: {shop: /shop}",
        "did you mean `pickup`?",
        "place_order",
    ),
    one(
        "branch that lacks a field",
        "TC120",
        "street: ",
        "parcel: {city: /address/city, street: /address/street}",
        "parcel: {street: /address/street}",
        "",
        "place_order",
    ),
    one(
        "item that lacks a field",
        "TC120",
        "count: {to",
        "{sku: /sku, count:",
        "{count:",
        "",
        "place_order",
    ),
    one(
        "rule that is never reached",
        "TC545",
        "{when: {http: 201, /state",
        "- {when: {http: 202}, is: accepted}",
        "- {when: {http: 201, /state: paid}, is: accepted}",
        "put it before",
        "place_order",
    ),
    one(
        "undeclared status",
        "TC540",
        "when: {http: 203",
        "{when: {http: 202}, is: accepted}",
        "{when: {http: 203}, is: accepted}",
        'add under tools.place_order:  attest: {"http 203": DECIDE}',
        "place_order",
    ),
    one(
        "code outside the closed set",
        "TC737",
        "code: VERSION",
        "{when: {http: 202}, is: accepted}",
        "{when: {http: 202}, is: rejected, code: VERSION_CONFLICTS}",
        "did you mean `VERSION_CONFLICT`?",
        "place_order",
    ),
    one(
        "read that is not there",
        "TC737",
        "target: {type",
        "read: get_order, version: etag",
        "read: get_orders, version: etag",
        "did you mean `get_order`?",
    ),
    one(
        "policy that is not there",
        "TC526",
        "{policy: leads",
        "- {policy: lead}",
        "- {policy: leads}",
        "did you mean `lead`?",
    ),
    one(
        "state that is not mapped",
        "TC549",
        "states: {running",
        "succeeded: {state: [paid, sent]}",
        "succeeded: {state: [paid]}",
        "map every value",
        "place_order",
    ),
    one(
        "key that is not sent",
        "TC502",
        "idempotency: {by",
        SENT,
        'send: {header.If-Match: "{$version}", header.Idempotency-Key: "123e4567-e89b-42d3-a456-426614174000"}',
        "send it",
    ),
    Case(
        "key that a place takes and nothing says the API keeps",
        "TC540",
        "change_order",
        "idempotency: {by",
        {SENT: 'send: {header.If-Match: "{$version}", header.X-Request-Id: "{$key}"}'},
        {KEYED: "name: X-Request-Id, in: header, required: true, schema: {type: string, format"},
        "add under tools.change_order:  attest: {key: DECIDE}",
    ),
    one(
        "attestation that nothing needs",
        "TC541",
        "marker: It",
        "compensation: {none: Change it back}",
        "compensation: {none: Change it back}\n    attest: {marker: It is kept}",
        "remove it",
    ),
    one(
        "default that fits no tool",
        "TC546",
        "query.tenant",
        'send: {header.Idempotency-Key: "{$key}"}',
        'send: {header.Idempotency-Key: "{$key}", query.tenant: x}',
        "remove it",
        None,
    ),
    one(
        "scheme that is not declared for it",
        "TC737",
        "auth: {scheme: key",
        "    input: {order}\n    view: {order: /id, state",
        "    auth: {scheme: key}\n    input: {order}\n    view: {order: /id, state",
        "state `because`",
        "get_order",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_refusal(errors: Errors, tmp_path: Path, case: Case) -> None:
    found = errors(case.charter, case.spec)
    said = [(finding.code, finding.message, str(finding.origin)) for finding in found]
    assert [finding.code for finding in found] == [case.code], said
    first = found[0]
    assert first.origin.file == "charter.yaml"
    line = (
        (tmp_path / "charter.yaml").read_text(encoding="utf-8").splitlines()[first.origin.line - 1]
    )
    assert line[first.origin.column - 1 :].startswith(case.at), line[first.origin.column - 1 :]
    assert first.tool == case.tool
    assert first.hint.startswith(case.hint), first.hint


SPECS = [
    ("bytes", "TC405", "note: {type: [string, \"null\"], maxLength: 5000}\n        state", "note: {type: string, format: binary}\n        state"),
    ("a pattern that is none", "TC212", "priority: {type: integer, minimum: 1, maximum: 9, default: 5}", 'priority: {type: string, pattern: "^(?<!a"}'),
    ("no type", "TC104", "priority: {type: integer, minimum: 1, maximum: 9, default: 5}", "priority: {description: anything}"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "old", "new"), SPECS, ids=[row[0] for row in SPECS])
def test_refusal_of_a_schema(errors: Errors, name: str, code: str, old: str, new: str) -> None:
    del name
    assert [finding.code for finding in errors(None, {old: new})] == [code]


def test_key_that_fits_nowhere(errors: Errors) -> None:
    """I1: generation fails where no form of the key fits its place."""
    found = errors(
        None,
        {
            "name: Idempotency-Key, in: header, required: true, schema: {type: string, maxLength: 30}": "name: Idempotency-Key, in: header, required: true, schema: {type: string, maxLength: 16}"
        },
    )
    assert [(finding.code, finding.tool) for finding in found] == [("TC122", "place_order")]


def test_version_that_no_answer_refuses(errors: Errors) -> None:
    found = errors(None, {'        "412": {description: Moved}\n': ""})
    assert [(finding.code, finding.tool) for finding in found] == [("TC542", "change_order")]


def test_recursive_input_is_refused(errors: Errors) -> None:
    found = errors(
        {
            "      lines: {to: /lines, maxItems: 5": "      tree: {to: /tree}\n      lines: {to: /lines, maxItems: 5"
        }
    )
    assert [finding.code for finding in found] == ["TC113"]


def test_all_errors_of_all_tools_are_reported_together(errors: Errors) -> None:
    found = errors(
        {
            NOTE: "note: {to: /nota}",
            "operation: listOrders": "operation: listNothing",
            "branch: string": "branch: x",
        }
    )
    assert sorted(finding.code for finding in found if finding.code != "TC737") == [
        "TC110",
        "TC113",
        "TC726",
    ]


def test_nothing_comes_of_an_api_with_one_broken_tool(
    resolve: Callable[..., Staged[ResolvedApi]],
) -> None:
    """A write that fails is not generated at all, and nothing else of that run either."""
    assert resolve({NOTE: "note: {to: /nota}"}).value is None


def test_ceiling_is_used_with_a_warning(resolve: Callable[..., Staged[ResolvedApi]]) -> None:
    staged = resolve(None, {"note: {type: [string, \"null\"], maxLength: 5000}\n            customer": "note: {type: [string, \"null\"], maxLength: 5000}\n            customer", "sku: {type: string, maxLength: 40}": "sku: {type: string}"})  # fmt: skip
    assert [(f.code, f.tool) for f in staged.diagnostics if f.code == "TC222"] == [
        ("TC222", "place_order")
    ]
    assert staged.value is not None


def test_unused_field_is_a_warning(resolve: Callable[..., Staged[ResolvedApi]]) -> None:
    staged = resolve({"fields:\n": "fields:\n  nobody: {to: path.nobody}\n"})
    found = [finding for finding in staged.diagnostics if finding.code == "TC805"]
    assert [
        (finding.severity, finding.origin.line, finding.origin.column) for finding in found
    ] == [("warning", 10, 3)]


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ("{state: state}", 1),
        ("{operation_id: order, state: state}", 0),
        ("{state: state, proof: {$answer.state: paid}}", 0),
    ],
    ids=["nothing is sure", "one fact is sure", "a proof stands beside it"],
)
def test_evidence_that_may_be_missing_altogether_is_a_warning(
    resolve: Callable[..., Staged[ResolvedApi]], evidence: str, expected: int
) -> None:
    staged = resolve(
        {"evidence: {operation_id: order, state: state}": f"evidence: {evidence}"},
        {"required: [state, total, lines]": "required: [total, lines]"},
    )
    found = [finding for finding in staged.diagnostics if finding.code == "TC548"]
    assert [(finding.severity, finding.tool) for finding in found] == [
        ("warning", "place_order")
    ] * expected


def test_findings_are_in_the_order_of_their_places(errors: Errors) -> None:
    found = errors({NOTE: "note: {to: /nota}", "branch: string": "branch: x"})
    assert found == sorted(found, key=lambda finding: finding.sort_key)


def test_error_that_only_a_tag_tells_apart_needs_a_rule(errors: Errors) -> None:
    spec = {
        '        "202": {description: Being placed, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}\n': '        "202": {description: Being placed, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}\n'
        "        default: {description: Refused, content: {application/json: {schema: {type: object, properties: {state: {const: refused}}}}}}\n"
    }
    assert [(finding.code, finding.tool) for finding in errors(None, spec)] == [
        ("TC543", "place_order")
    ]
    rule = {
        "- {when: {http: 202}, is: accepted}": "- {when: {http: 202}, is: accepted}\n      - {when: {/state: refused}, is: rejected, code: UPSTREAM_REJECTED}"
    }
    assert errors(rule, spec) == []


def test_query_language_takes_no_operators_of_a_model(errors: Errors) -> None:
    """Also provable: a joined template whose field admits quotes, spaces or operators."""
    spec = {
        "- {name: after, in: query, schema: {type: string, maxLength: 80}}": "- {name: after, in: query, schema: {type: string, maxLength: 80}}\n        - {name: q, in: query, schema: {type: string}}"
    }
    open_text = {
        "since: {to: query.placed/from}}": 'since: {to: query.placed/from}, by: {type: string, maxLength: 20}}\n    send: {query.q: "by:{by}"}'
    }
    assert [(finding.code, finding.tool) for finding in errors(open_text, spec)] == [
        ("TC544", "list_orders")
    ]
    bounded = {
        "since: {to: query.placed/from}}": 'since: {to: query.placed/from}, by: {type: string, pattern: "^[a-z0-9-]{1,20}$"}}\n    send: {query.q: "by:{by}"}'
    }
    assert errors(bounded, spec) == []


def test_slash_written_in_a_path_is_the_only_one(errors: Errors) -> None:
    """X1: a path value holds a slash only where the contract says so."""
    spec = {
        'parameters:\n      - {name: order_id, in: path, required: true, schema: {type: string, pattern: "^O-[0-9]+$", maxLength: 20}}': "parameters:\n      - {name: order_id, in: path, required: true, schema: {type: string}}"
    }
    old = "    input: {order}\n    view: {order: /id, state"
    free = {
        old: '    input: {number: {type: string, maxLength: 9}}\n    send: {path.order_id: "all/{number}"}\n    view: {order: /id, state',
        'target: {type: order, id: "{order}", read: get_order, version': 'target: {type: order, id: "{order}", read: get_order, with: {number: "{order}"}, version',
        "unknown: {read: get_order, where": 'unknown: {read: get_order, with: {number: "{order}"}, where',
        'with: {order: "{$answer.order}"}': 'with: {number: "{$answer.order}"}',
    }
    assert [(finding.code, finding.tool) for finding in errors(free, spec)] == [
        ("TC121", "get_order")
    ]
    bounded = {
        **free,
        old: free[old].replace(
            "{type: string, maxLength: 9}", '{type: string, pattern: "^[0-9]{1,9}$"}'
        ),
    }
    assert errors(bounded, spec) == []
    spanning = {**free, old: free[old].replace("maxLength: 9", "maxLength: 9, multi_segment: true")}
    assert errors(spanning, spec) == []


@pytest.mark.parametrize("name", ["{x", "a b", "", "a.b", "$key", "1", "\u202e", "x" * 200])
def test_a_name_that_no_template_could_name_is_refused(errors: Errors, name: str) -> None:
    written = json.dumps(name)
    found = errors({NOTE: f"{NOTE}\n      {written}: {{to: /extra, maxLength: 9}}"})
    assert ("TC613", "change_order") in {(finding.code, finding.tool) for finding in found}


@pytest.mark.parametrize("name", ["{x", "a b", "", "a/b", "\u202e", "x" * 65])
def test_a_member_whose_name_no_model_writes_safely_is_refused(errors: Errors, name: str) -> None:
    written = json.dumps(name)
    inside = errors({"pickup: {shop: /shop}": f"pickup: {{{written}: {{to: /shop}}}}"})
    assert ("TC613", "place_order") in {(finding.code, finding.tool) for finding in inside}


@pytest.mark.parametrize("tag", ["{x}", "{{ 7 }}", "a b", "\u202e"])
def test_a_tag_that_no_model_writes_safely_is_refused(errors: Errors, tag: str) -> None:
    old = "discriminator: {propertyName: by, "
    found = errors(None, {old: f"discriminator: {{propertyName: {json.dumps(tag)}, "})
    assert [(finding.code, finding.tool) for finding in found] == [("TC705", "place_order")]
    assert found[0].hint == "take one branch with `branch`, and send the tag as a constant"
