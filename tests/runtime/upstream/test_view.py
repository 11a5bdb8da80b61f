"""What goes out of an answer (X5, T2, E2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.upstream.contracts import contract, listing
from toolcharter_runtime.frozen import View, ViewField
from toolcharter_runtime.redaction import MASKED_SCHEMA, find_mask
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.upstream import Answer, Violation, present, project, salvage

TEXT = {"type": "string", "maxLength": 100}
ANSWER = Answer(
    200,
    {"etag": '"7"'},
    {
        "id": "C-1",
        "email": "ada@example.com",
        "card": "4242424242424242",
        "undeclared": "canary",
        "state": "new-state",
        "customer": {"id": "nested"},
        "bio": "x" * 50,
        "items": [{"id": 1, "tags": [{"n": "a"}, {"n": "b"}]}, {"id": 2}],
        "nothing": None,
    },
)


def values(*fields: ViewField, answer: Answer = ANSWER, strict: bool = True) -> dict[str, Any]:
    return project(fields, answer, strict=strict).values


def shown(*fields: ViewField, **given: Any) -> dict[str, Any]:
    tool = contract(view=View(fields=fields, result={"type": "object"}, maximum_bytes=1000))
    return present(tool, project(fields, ANSWER).values, **given)


def test_only_what_is_listed_goes_out() -> None:
    """X5: undeclared members go no further."""
    found = project(
        (
            ViewField(name="id", at="/id", accepts=TEXT, required=True),
            ViewField(name="etag", at="header.ETag", accepts=TEXT, hidden=True),
            ViewField(name="gone", at="/gone", accepts=TEXT),
            ViewField(name="nothing", at="/nothing", accepts={"type": ["string", "null"]}),
            ViewField(name="n", count="/items"),
            ViewField(name="first", at="/items/0/id", accepts={"type": "integer"}),
            ViewField(name="ids", at="/items/*/id"),
        ),
        ANSWER,
    )
    assert found.values == {
        "id": "C-1",
        "etag": '"7"',
        "nothing": None,
        "n": 2,
        "first": 1,
        "ids": [1, 2],
    }
    assert found.missing == ("gone",)


def test_lists_take_their_elements_by_name() -> None:
    tags = ViewField(name="tags", at="/tags", each=(ViewField(name="n", at="/n", accepts=TEXT),))
    each = (ViewField(name="item", at="/id", accepts={"type": "integer"}, required=True), tags)
    field = ViewField(
        name="items", at="/items", each=each, accepts={"type": "array", "maxItems": 5}
    )
    assert values(field) == {"items": [{"item": 1, "tags": [{"n": "a"}, {"n": "b"}]}, {"item": 2}]}


@pytest.mark.parametrize(
    ("field", "pointer"),
    [
        (ViewField(name="id", at="/gone", required=True), "/id"),
        (ViewField(name="id", at="/id", accepts={"type": "integer"}), "/id"),
        (
            ViewField(name="email", at="/id", accepts={"type": "string", "format": "email"}),
            "/email",
        ),
        (ViewField(name="n", count="/id"), "/n"),
        (ViewField(name="l", at="/items", each=(), accepts={"maxItems": 1}), "/l"),
        (ViewField(name="l", at="/id", each=()), "/l"),
        (
            ViewField(
                name="l", at="/items", each=(ViewField(name="t", at="/tags", required=True),)
            ),
            "/l/1/t",
        ),
        (
            ViewField(
                name="l", at="/items", each=(ViewField(name="i", at="/id", accepts={"maximum": 1}),)
            ),
            "/l/1/i",
        ),
    ],
)
def test_declared_members_are_checked_strictly(field: ViewField, pointer: str) -> None:
    """X5: the violation names the field and no value."""
    with pytest.raises(Violation) as caught:
        values(field)
    assert caught.value.pointer == pointer
    assert "C-1" not in str(caught.value)
    assert salvage((field,), ANSWER).values.get("id") is None


def test_a_read_of_the_boundary_may_miss_a_field_but_not_misread_one() -> None:
    """X5: a read that only the boundary makes checks the members of its view."""
    missing = ViewField(name="gone", at="/gone", required=True)
    assert values(missing, strict=False) == {}
    with pytest.raises(Violation):
        values(ViewField(name="id", at="/id", accepts={"type": "boolean"}), strict=False)


def test_what_can_be_salvaged_is() -> None:
    """E2: an answer that breaks its contract after a write still names what it names."""
    fields = (
        ViewField(name="id", at="/id", accepts=TEXT),
        ViewField(name="email", at="/email", accepts={"type": "integer"}),
    )
    found = salvage(fields, ANSWER)
    assert (found.values, found.missing) == ({"id": "C-1"}, ("email",))
    assert salvage(fields, Answer(200, {}, not_json=True)).values == {}


def test_branches_and_open_ends() -> None:
    string = ViewField(name="c", at="/customer", branch={"type": "string"})
    assert values(string) == {}
    assert values(ViewField(name="c", at="/id", branch={"type": "string"})) == {"c": "C-1"}
    states: dict[str, Any] = {"type": "string", "enum": ["old"]}
    assert values(ViewField(name="s", at="/state", accepts=states, open_enum=True)) == {
        "s": "new-state"
    }
    with pytest.raises(Violation):
        values(ViewField(name="s", at="/state", accepts=states))
    union = ViewField(name="u", at="/customer", accepts={"type": "string"}, open_union=True)
    assert values(union) == {}


def test_redaction_is_by_contract() -> None:
    """T2: a mask shows a length class; the value does not go out."""
    result = shown(
        ViewField(name="email", at="/email", redact="mask"),
        ViewField(name="card", at="/card", redact="last4"),
        ViewField(name="short", at="/id", redact="last4"),
        ViewField(name="secret", at="/card", secret=True),
        ViewField(name="hidden", at="/card", hidden=True),
        ViewField(name="nothing", at="/nothing", redact="mask"),
        ViewField(name="one", at="/items/0/id", redact="mask"),
    )
    assert result == {
        "email": "••• (9-16)",
        "card": "•••4242",
        "short": "••• (1-8)",
        "nothing": None,
        "one": "••• (1-8)",
    }


def test_a_hash_is_keyed_and_equal_for_equal_values() -> None:
    """S9: digests that leave are HMACs under a key."""
    field = (
        ViewField(name="a", at="/email", redact="hash"),
        ViewField(name="b", at="/email", redact="hash"),
    )
    one, other = shown(*field, seal=b"1" * 32), shown(*field, seal=b"2" * 32)
    assert one["a"] == one["b"]
    assert one["a"] != other["a"]
    assert compile_schema(MASKED_SCHEMA).is_valid(one["a"])


def test_a_mask_is_found_wherever_it_is_written_back() -> None:
    """T2: its mask can never be written back as a value."""
    assert find_mask({"a": ["ok", {"b": "••• (9-16)"}]}) == ("a", 1, "b")
    assert find_mask("•••4242") == ()
    assert find_mask({"a": "the mask ••• in a sentence", "•••": 1}) is None
    assert find_mask({"a": "plain", "n": 1}) is None


@pytest.mark.parametrize(("length", "kept"), [(5, "xxxx…"), (50, "x" * 50), (1, "…")])
def test_long_text_is_cut_to_its_bound(length: int, kept: str) -> None:
    result = shown(ViewField(name="bio", at="/bio", truncate=length))
    assert result == {"bio": kept}


def test_the_result_is_closed() -> None:
    """X5: validate the closed view."""
    fields = (ViewField(name="id", at="/id"),)
    closed = {"type": "object", "properties": {"id": {"type": "string", "maxLength": 2}}}
    tool = contract(view=View(fields=fields, result=closed, maximum_bytes=1000))
    with pytest.raises(Violation) as caught:
        present(tool, {"id": "C-1"})
    assert caught.value.pointer == "/id"
    assert present(tool, {"id": "C"}) == {"id": "C"}


def test_a_list_has_a_cursor_from_the_start() -> None:
    closed = {"type": "object", "required": ["things", "next_cursor"]}
    assert present(listing(kind="offset", result=closed), {"things": []}) == {
        "things": [],
        "next_cursor": None,
    }


def test_a_lone_surrogate_in_the_view_is_a_violation_and_elsewhere_is_not() -> None:
    answer = Answer(200, {}, {"id": "cut \ud83d", "name": "ok"})
    assert values(ViewField(name="name", at="/name", accepts=TEXT), answer=answer) == {"name": "ok"}
    with pytest.raises(Violation):
        values(ViewField(name="id", at="/id", accepts=TEXT), answer=answer)


def test_the_largest_answer_and_an_absent_body() -> None:
    field = ViewField(name="id", at="/id", required=True)
    for answer in (Answer(200, {}, too_large=True), Answer(204, {}), Answer(200, {}, "text")):
        with pytest.raises(Violation):
            values(field, answer=answer)


def test_a_result_larger_than_its_bound_is_a_violation() -> None:
    bio = ViewField(name="bio", at="/bio", accepts=TEXT)
    fits = len('{"bio":""}') + 50
    for bound, refused in ((fits, False), (fits - 1, True)):
        view = View(
            fields=(bio,), result={"type": "object"}, maximum_bytes=1000, result_bytes=bound
        )
        tool = contract(view=view)
        if not refused:
            assert present(tool, project((bio,), ANSWER).values) == {"bio": "x" * 50}
            continue
        with pytest.raises(Violation) as broken:
            present(tool, project((bio,), ANSWER).values)
        assert broken.value.too_large
