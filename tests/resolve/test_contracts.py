"""What a resolved contract holds, piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from toolcharter.emit import refreeze
from toolcharter_runtime.frozen import Contract

ContractOf: TypeAlias = Callable[..., Contract]


def arguments_of(contract: Contract) -> dict[str, Any]:
    return contract.arguments["properties"]  # type: ignore[return-value]


def test_arguments_are_closed_and_tightened(contract: ContractOf) -> None:
    made = contract("change_order")
    assert made.arguments == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "order": {"type": "string", "pattern": "^O-[0-9]+$", "maxLength": 12},
            "note": {"type": "string", "maxLength": 300},
            "priority": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
        },
        "additionalProperties": False,
        "required": ["order"],
    }


def test_null_is_refused_unless_the_charter_lets_it_in(contract: ContractOf) -> None:
    """C3: absent is not null."""
    made = contract(
        "change_order",
        {"note: {to: /note, maxLength: 300}": "note: {to: /note, maxLength: 300, nullable: true}"},
    )
    assert arguments_of(made)["note"] == {"type": ["string", "null"], "maxLength": 300}


def test_union_is_one_nested_object_told_apart_by_the_tag(contract: ContractOf) -> None:
    made = contract("place_order")
    assert arguments_of(made)["delivery"] == {
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    "by": {"type": "string", "const": "pickup"},
                    "shop": {"type": "string", "maxLength": 10},
                },
                "additionalProperties": False,
                "required": ["by", "shop"],
            },
            {
                "type": "object",
                "properties": {
                    "by": {"type": "string", "const": "parcel"},
                    "city": {"type": "string", "maxLength": 60},
                    "street": {"type": "string", "maxLength": 60},
                },
                "additionalProperties": False,
                "required": ["by", "city"],
            },
        ]
    }


def test_list_of_objects_is_closed_and_bounded(contract: ContractOf) -> None:
    made = contract("place_order")
    assert arguments_of(made)["lines"] == {
        "type": "array",
        "minItems": 1,
        "maxItems": 5,
        "items": {
            "type": "object",
            "properties": {
                "sku": {"type": "string", "maxLength": 40},
                "count": {"type": "integer", "minimum": 1, "maximum": 99},
            },
            "additionalProperties": False,
            "required": ["sku", "count"],
        },
    }


def test_body_binds_each_place(contract: ContractOf) -> None:
    body = contract("place_order").request.body
    assert body is not None
    assert [
        binding.model_dump(mode="json", exclude_defaults=True) for binding in body.bindings
    ] == [
        {"at": "/delivery/by", "value": "{delivery.by}"},
        {"at": "/delivery/shop", "value": "{delivery.shop}"},
        {"at": "/delivery/address/city", "value": "{delivery.city}"},
        {"at": "/delivery/address/street", "value": "{delivery.street}"},
        {
            "at": "/lines",
            "each": "lines",
            "item": [{"at": "/sku", "value": "{sku}"}, {"at": "/count", "value": "{count}"}],
        },
        {"at": "/reference", "value": "{$marker}"},
    ]


def test_patch_is_partial_and_post_is_not(contract: ContractOf) -> None:
    """C3: no default is written into a partial body."""
    patch, post = contract("change_order").request.body, contract("place_order").request.body
    assert patch is not None
    assert post is not None
    assert (patch.partial, post.partial) == (True, False)


def test_parameters_keep_their_styles(contract: ContractOf) -> None:
    parameters = {p.name: p for p in contract("list_orders").request.parameters}
    assert (parameters["placed"].style, parameters["placed"].value) == (
        "deepObject",
        {"from": "{since}"},
    )
    assert (parameters["state"].style, parameters["state"].explode) == ("form", False)
    assert (parameters["after"].value, parameters["limit"].value) == ("{$cursor}", 20)


def test_key_takes_the_form_that_its_place_allows(contract: ContractOf) -> None:
    """I1: a UUID where the description asks for one, base62 where a UUID is too long."""
    assert contract("change_order").request.key_form == "uuid"
    assert contract("place_order").request.key_form == "base62"
    assert contract("get_order").request.key_form is None


def test_default_is_sent_only_where_it_has_its_place(contract: ContractOf) -> None:
    sent = {
        name: [p.name for p in contract(name).request.parameters]
        for name in ("get_order", "change_order")
    }
    assert sent == {
        "get_order": ["order_id"],
        "change_order": ["order_id", "Idempotency-Key", "If-Match"],
    }


def test_view_is_proved_through_the_schema(contract: ContractOf) -> None:
    made = contract("get_order")
    fields = {field.name: field for field in made.view.fields}
    assert {name for name, field in fields.items() if field.required} == {
        "order",
        "state",
        "total",
        "lines",
    }
    assert fields["total"].accepts == {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
    assert fields["total"].money is not None
    assert fields["total"].money.currency == "currency"
    assert (fields["note"].accepts, fields["note"].truncate) == (
        {"type": ["string", "null"], "maxLength": 5000},
        80,
    )
    assert (fields["customer"].accepts, fields["customer"].branch) == (
        {"type": "string", "maxLength": 30},
        {"type": "string"},
    )
    assert fields["lines"].count == "/lines"


def test_result_is_closed_and_hides_what_is_hidden(contract: ContractOf) -> None:
    result = contract("get_order").view.result
    properties: Any = result["properties"]
    assert list(properties) == ["order", "state", "total", "currency", "note", "customer", "lines"]
    assert result["additionalProperties"] is False
    assert result["required"] == ["order", "state", "total", "lines"]
    assert properties["note"] == {"type": ["string", "null"], "maxLength": 80}


def test_redacted_and_secret_values(contract: ContractOf) -> None:
    changes = {
        "currency: /currency,\n": "currency: {at: /currency, redact: mask}, trace: {at: /trace, secret: true},\n"
    }
    made = contract("get_order", changes)
    properties: Any = made.view.result["properties"]
    assert properties["currency"] == {"type": "string", "minLength": 3, "maxLength": 40}
    assert "trace" not in properties
    assert {field.name: field.secret for field in made.view.fields}["trace"] is True


@pytest.mark.parametrize(
    ("at", "schema"),
    [
        ("/trace", "{writeOnly: true, type: string, maxLength: 64}"),
        (
            "/trace/of",
            "{writeOnly: true, type: object, properties: {of: {type: string, maxLength: 64}}}",
        ),
    ],
)
def test_what_only_a_request_may_have_is_marked_in_a_view(
    contract: ContractOf, at: str, schema: str
) -> None:
    """TC401 asks for the mark: on the value or on what it lies in."""
    view = {"currency: /currency,\n": f"currency: /currency, trace: {{at: {at}, secret: true}},\n"}
    spec = {"trace: {type: string, maxLength: 64}": f"trace: {schema}"}
    fields = {field.name: field for field in contract("get_order", view, spec).view.fields}
    assert fields["trace"].accepts == {"type": "string", "maxLength": 64, "writeOnly": True}
    assert "writeOnly" not in fields["state"].accepts


@pytest.mark.parametrize("bound", [2**20 + 1, 10**30])
def test_a_bound_that_no_call_reaches_is_none(contract: ContractOf, bound: int) -> None:
    spec = {"State: {type: string, enum": f"Long: {{type: string, maxLength: {bound}}}\n    State: {{type: string, enum",
            "- {name: after, in: query, schema: {type: string, maxLength: 80}}": "- {name: after, in: query, schema: {type: string, maxLength: 80}}\n        - {name: long, in: query, schema: {$ref: '#/components/schemas/Long'}}"}  # fmt: skip
    made = contract(
        "list_orders",
        {"since: {to: query.placed/from}": "since: {to: query.placed/from}, long: {}"},
        spec,
    )
    assert arguments_of(made)["long"] == {"type": "string", "maxLength": 500}


def test_result_is_bounded_by_the_ceiling(contract: ContractOf) -> None:
    assert contract("get_order").view.result_bytes == 32 * 1024


def test_open_enum_takes_values_that_come_later(contract: ContractOf) -> None:
    made = contract(
        "get_order", {"state: /state, total": "state: {at: /state, open_enum: true}, total"}
    )
    properties: Any = made.view.result["properties"]
    assert properties["state"] == {"type": "string", "maxLength": 100}


def test_paged_list_has_one_opaque_cursor(contract: ContractOf) -> None:
    made = contract("list_orders")
    assert arguments_of(made)["cursor"]["type"] == "string"
    properties: Any = made.view.result["properties"]
    assert (properties["next_cursor"]["type"], properties["next_cursor"]["maxLength"]) == (
        ["string", "null"],
        4096,
    )
    assert made.view.result["required"] == ["orders", "next_cursor"]
    assert properties["orders"]["maxItems"] == 20
    assert made.page is not None
    assert made.page.model_dump(exclude_defaults=True) == {
        "kind": "answer", "next": "/next", "items": "orders", "size": 20
    }  # fmt: skip


def test_page_kinds(contract: ContractOf) -> None:
    old = "page: {next: /next, to: query.after"
    kinds = {
        "{last: /id}": ("last", "/id", None),
        "{link: next, take: after}": ("link", None, "after"),
        "{url: /next, take: after}": ("url", "/next", "after"),
        "offset": ("offset", None, None),
        "number": ("number", None, None),
    }
    for text, expected in kinds.items():
        page = contract("list_orders", {old: f"page: {{next: {text}, to: query.after"}).page
        assert page is not None
        assert (page.kind, page.next, page.take) == expected


def test_reads_are_filled_by_name(contract: ContractOf) -> None:
    terms = contract("change_order").write
    assert terms is not None
    assert terms.target.read is not None
    assert (terms.target.read.tool, terms.target.read.arguments) == (
        "get_order.v1",
        {"order": "{order}"},
    )
    followed = contract("place_order").write
    assert followed is not None
    assert followed.follow is not None
    assert followed.follow.read.arguments == {"order": "{$answer.order}"}


def test_order_of_states_outlives_the_frozen_json(contract: ContractOf) -> None:
    """The first state that holds decides, and JSON's maps come back in the order of their keys."""
    terms = refreeze(contract("place_order")).write
    assert terms is not None
    assert terms.follow is not None
    assert [rule.state for rule in terms.follow.states] == ["running", "succeeded", "cancelled"]


def test_version_that_is_sent_is_atomic_and_one_that_is_not_is_advisory(
    contract: ContractOf,
) -> None:
    """V1."""
    sent = contract("change_order").write
    assert sent is not None
    assert sent.version_check == "atomic"
    changes = {'    send: {header.If-Match: "{$version}"}\n': '    send: {header.If-Match: "*"}\n'}
    kept = contract("change_order", changes).write
    assert kept is not None
    assert kept.version_check == "advisory"
    added = contract("place_order").write
    assert added is not None
    assert (added.version_check, added.target.unversioned) == ("none", "An order is added")


def test_policies_are_inlined_in_their_rows(contract: ContractOf) -> None:
    terms = contract("change_order").write
    assert terms is not None
    assert [row.model_dump(exclude_defaults=True) for row in terms.approval] == [
        {
            "policy": {"name": "nobody", "none": "Nobody outside is reached", "expires_in": 600},
            "when": {"priority": {"at_most": 3}},
        },
        {
            "policy": {
                "name": "lead",
                "approvers": "leads",
                "quorum": 2,
                "expires_in": 3600,
                "after_transient": "keep",
            }
        },
    ]


def test_changes_by_name_at_the_targets_own_path(contract: ContractOf) -> None:
    terms = contract("change_order").write
    assert terms is not None
    assert [(row.label, row.before, row.after) for row in terms.changes] == [
        ("note", "note", "{note}")
    ]
    elsewhere = contract("place_order").write
    assert elsewhere is not None
    assert elsewhere.changes == ()


def test_list_of_records_is_bulk(contract: ContractOf) -> None:
    terms = contract("place_order").write
    assert terms is not None
    assert (terms.affects, terms.consequences) == ("lines", ("bulk",))


def test_answer_rules_are_the_tools_own_then_the_defaults(contract: ContractOf) -> None:
    rules = contract("place_order").answers
    assert [(rule.when, rule.outcome) for rule in rules] == [
        ({"http": 201}, "completed"),
        ({"http": 202}, "accepted"),
        ({"http": 409}, "unknown"),
    ]
    assert contract("get_order").answers == ()


def test_defaults_give_credential_timeout_and_limits(contract: ContractOf) -> None:
    made = contract("get_order")
    assert made.auth is not None
    assert (made.auth.scheme, made.auth.kind, made.auth.acts_as) == ("bearer", "bearer", "person")
    assert (made.timeout.connect, made.timeout.read, made.timeout.total) == (2, 20, 40)
    assert made.limits.per_run == 9


def test_description_is_carried_if_it_is_short(contract: ContractOf) -> None:
    assert contract("list_orders").description == "Orders, newest first."
    assert contract("get_order").description == "Read one order"
    hidden = {"summary: Read one order": 'summary: "Read\\u202e one order"'}
    assert (
        contract("get_order", spec=hidden).description == "Read\u202e one order"
    )  # the rules refuse it
    markup = {"summary: Read one order": "summary: Read <b>one</b> order"}
    assert contract("get_order", spec=markup).description == ""


def test_free_text_is_told_from_bounded_inputs(contract: ContractOf) -> None:
    """P16."""
    made = contract("change_order")
    assert {name: use.free_text for name, use in made.inputs.items()} == {
        "order": False, "note": True, "priority": False
    }  # fmt: skip


def test_value_of_the_run_is_checked_where_it_is_not_proved(contract: ContractOf) -> None:
    sent = {
        'header.If-Match: "{$version}"}': 'header.If-Match: "{$version}", /reference: "{$run.tenant}"}'
    }
    body = contract("change_order", sent).request.body
    assert body is not None
    accepts = {binding.at: binding.accepts for binding in body.bindings}
    assert accepts["/reference"] == {
        "type": "string",
        "minLength": 4,
        "maxLength": 30,
        "pattern": "^[a-z0-9-]+$",
    }


def test_version_proved_to_fit_is_not_checked_again(contract: ContractOf) -> None:
    parameters = {p.name: p for p in contract("change_order").request.parameters}
    assert parameters["If-Match"].accepts is None
    grades = {claim.claim: claim.grade for claim in contract("change_order").claims}
    assert grades["the version fits its place"] == "proved"
    assert grades["a stale version is refused"] == "declared"
    assert grades["one effect per key"] == "declared"


KEYED = "{name: Idempotency-Key, in: header, required: true, schema: {type: string, format: uuid}"
TRACED = "{name: X-Request-Id, in: header, required: true, schema: {type: string, format: uuid}"


@pytest.mark.parametrize(
    ("said", "attest", "grade"),
    [
        (", description: Makes the change idempotent for a day}", "", "declared"),
        ("}", "\n    attest: {key: Vendor docs}", "attested"),
    ],
)
def test_key_of_another_name_rests_on_what_says_so(
    contract: ContractOf, said: str, attest: str, grade: str
) -> None:
    sent = 'send: {header.If-Match: "{$version}"'
    changes = {f"{sent}}}": f'{sent}, header.X-Request-Id: "{{$key}}"}}{attest}'}
    claims = contract("change_order", changes, {f"{KEYED}}}": f"{TRACED}{said}"}).claims
    assert {claim.claim: claim.grade for claim in claims}["one effect per key"] == grade


def test_full_replacement_carries_the_targets_object(contract: ContractOf) -> None:
    changes = {
        '    send: {header.If-Match: "{$version}"}\n': '    send: {header.If-Match: "{$version}"}\n    replaces: {at: "", except: [/id]}\n'
    }
    body = contract("change_order", changes).request.body
    assert body is not None
    assert body.carried is not None
    assert (body.carried.at, body.carried.without) == ("", ("/id",))


def test_contract_survives_its_json(contract: ContractOf) -> None:
    for name in ("get_order", "list_orders", "change_order", "place_order"):
        made = contract(name)
        assert Contract.model_validate_json(made.model_dump_json()) == made
        assert Contract.model_validate(made.to_json()) == made
