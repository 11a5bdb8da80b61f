"""Values that are laid with the API's own names: members, elements, maps and unions, at any depth."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from toolcharter_runtime.frozen import Binding, Body, KindShape, Parameter, Request, Shape
from toolcharter_runtime.language import Scope
from toolcharter_runtime.upstream import build_request
from toolcharter_runtime.upstream.laying import Laying, laying_of

TOWN = Shape(at={"town": "/city", "street": "/address/line 1"})
NUMBER: dict[str, Any] = {"type": "integer"}
LISTS: dict[str, Any] = {"type": "array", "items": {"type": "object"}}

ROWS: list[tuple[str, Shape, Any, Any]] = [
    ("members", TOWN, {"town": "Ulm", "zip": None}, {"city": "Ulm", "zip": None}),
    ("a member deeper", TOWN, {"street": "A"}, {"address": {"line 1": "A"}}),
    ("nothing", TOWN, {}, {}),
    ("null stays null", TOWN, None, None),
    ("members inside", Shape(inside={"to": TOWN}), {"to": {"town": 1}, "from": {"town": 1}}, {"to": {"city": 1}, "from": {"town": 1}}),
    ("a member that is renamed, and inside", Shape(at={"to": "/target"}, inside={"to": TOWN}), {"to": {"town": 1}}, {"target": {"city": 1}}),
    ("two members that change names", Shape(at={"a": "/b", "b": "/a"}), {"a": 1, "b": 2}, {"b": 1, "a": 2}),
    ("names that are numbers stay names", Shape(at={"one": "/1", "two": "/0/0"}), {"one": 1, "two": 2}, {"1": 1, "0": {"0": 2}}),
    ("elements", Shape(element=TOWN), [{"town": 1}, {}], [{"city": 1}, {}]),
    ("elements of elements", Shape(element=Shape(element=TOWN)), [[{"town": 1}], []], [[{"city": 1}], []]),
    ("values of a map", Shape(values=TOWN), {"town": {"town": 1}}, {"town": {"city": 1}}),
    ("members beside a map", Shape(at={"a": "/A"}, values=TOWN), {"a": 1, "x": {"town": 2}}, {"A": 1, "x": {"city": 2}}),
    ("a branch by its tag", Shape(tag="by", branches={"post": TOWN}), {"by": "post", "town": 1}, {"by": "post", "city": 1}),
    ("a branch that is as it is", Shape(tag="by", branches={"post": TOWN}), {"by": "hand", "town": 1}, {"by": "hand", "town": 1}),
    ("the first kind that accepts", Shape(kinds=(KindShape(accepts=NUMBER), KindShape(accepts=LISTS, shape=Shape(element=TOWN)))), [{"town": 1}], [{"city": 1}]),
    ("a kind that is as it is", Shape(kinds=(KindShape(accepts=NUMBER), KindShape(accepts=LISTS, shape=Shape(element=TOWN)))), 5, 5),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "shape", "value", "laid"), ROWS, ids=[row[0].replace(" ", "-") for row in ROWS]
)
def test_laid(name: str, shape: Shape, value: Any, laid: Any) -> None:
    del name
    before = copy.deepcopy(value)
    assert Laying(shape).lay(value) == laid
    assert value == before


def test_no_shape_is_no_laying() -> None:
    assert laying_of(None) is None


def request(*bindings: Binding, parameters: tuple[Parameter, ...] = ()) -> Request:
    body = Body(media="application/json", kind="json", bindings=bindings) if bindings else None
    return Request(method="POST", path="/x", parameters=parameters, body=body)


def body_of(made: Request, arguments: dict[str, Any]) -> Any:
    body = build_request(made, Scope(arguments)).body
    return None if body is None else json.loads(body)


def test_a_binding_lays_its_value_at_its_place() -> None:
    made = request(Binding(at="/to", value="{to}", shape=TOWN), Binding(at="/n", value="{n}"))
    assert body_of(made, {"to": {"town": "Ulm"}, "n": 1}) == {"to": {"city": "Ulm"}, "n": 1}
    assert body_of(made, {"to": {}}) == {"to": {}}
    assert body_of(made, {"n": 1}) == {"n": 1}


def test_an_empty_object_is_not_an_absent_one_and_null_is_neither() -> None:
    made = request(Binding(at="/to", value="{to}"))
    calls: list[dict[str, Any]] = [{"to": {}}, {"to": None}, {}]
    assert [body_of(made, call) for call in calls] == calls


@pytest.mark.parametrize("value", [[], [1], "text", 0, False, None, {}])
def test_the_whole_body_is_one_value(value: Any) -> None:
    assert body_of(request(Binding(at="", value="{body}")), {"body": value}) == value


def test_a_parameter_is_laid_too() -> None:
    filter_ = Parameter(
        location="query",
        name="filter",
        value="{filter}",
        style="deepObject",
        explode=True,
        shape=Shape(at={"town": "/city"}),
    )
    built = build_request(
        request(parameters=(filter_,)), Scope({"filter": {"town": "Ulm", "zip": "1"}})
    )
    assert built.query == "filter%5Bcity%5D=Ulm&filter%5Bzip%5D=1"
