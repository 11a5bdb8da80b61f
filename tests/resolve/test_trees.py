"""Inputs as trees: for each shape, the values that are taken with the body that is built of them, and those refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.resolve.things import contract_of, resolved, sent
from toolcharter_runtime.schemas import compile_schema


@dataclass(frozen=True)
class Row:
    name: str
    schema: str
    spec: str
    taken: list[Any]
    """Values that are sent as they are."""
    refused: list[Any]
    laid: list[tuple[Any, Any]] = field(default_factory=list[tuple[Any, Any]])
    """Values that are sent with other names."""
    whole: bool = False
    """The schema is the body's own."""


UNION = '{anyOf: [{$ref: "#/components/schemas/Card"}, {$ref: "#/components/schemas/Cash"}]}'
PETS = '{oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]}'
PLACE = "{type: object, required: [city], properties: {city: {type: string, maxLength: 9}, zip: {type: [string, 'null'], maxLength: 5}}}"

ROWS = [
    Row(
        "an object with its fields",
        PLACE,
        "{to: /it, fields: {city, zip}}",
        [{"city": "Ulm"}, {"city": "Ulm", "zip": "89073"}],
        [{}, {"city": 1}, {"city": "Ulm", "zip": None}, {"city": "Ulm", "x": 1}, None, [], "Ulm"],
    ),
    Row(
        "null where it is let in",
        f"{{anyOf: [{PLACE}, {{type: 'null'}}]}}",
        "{to: /it, nullable: true, fields: {city, zip: {nullable: true}}}",
        [None, {"city": "Ulm", "zip": None}, {"city": "Ulm"}],
        [{}, {"city": None}],
    ),
    Row(
        "objects in objects, with names of the charter's",
        f"{{type: object, properties: {{from: {PLACE}, to: {PLACE}}}}}",
        "{to: /it, fields: {source: {to: /from, fields: {town: /city}}, town: {to: /to/city, required: true}}}",
        [],
        [{"source": {"town": "Ulm"}}, {"town": "Ulm", "source": {"city": "Ulm"}}],
        [({"town": "Bonn", "source": {"town": "Ulm"}}, {"from": {"city": "Ulm"}, "to": {"city": "Bonn"}})],
    ),
    Row(
        "a list of lists of objects",
        f"{{type: array, items: {{type: array, maxItems: 2, items: {PLACE}}}}}",
        "{to: /it, maxItems: 2, element: {element: {fields: {city}}}}",
        [[], [[]], [[{"city": "Ulm"}, {"city": "Bonn"}], []]],
        [[[{"city": "Ulm"}] * 3], [[], [], []], [None], [[{"zip": "1"}]], [{"city": "Ulm"}]],
    ),
    Row(
        "a list of objects in a list of objects",
        '{type: array, maxItems: 2, items: {$ref: "#/components/schemas/Dog"}}',
        "{to: /it, each: {kind: , tricks: {each: {size: {to: /max-size}}}}}",
        [[], [{"kind": "dog"}], [{"kind": "dog", "tricks": []}]],
        [[{"kind": "cat"}], [{"kind": "dog", "tricks": [{}]}], [{"kind": "dog", "tricks": [{"max-size": 1}]}]],
        [([{"kind": "dog", "tricks": [{"size": 1}]}], [{"kind": "dog", "tricks": [{"max-size": 1}]}])],
    ),
    Row(
        "a tree as deep as it is listed",
        '{$ref: "#/components/schemas/Tree"}',
        "{to: /it, fields: {name, children: {each: {name}}}}",
        [{"name": "a"}, {"name": "a", "children": [{"name": "b"}]}],
        [{"name": "a", "children": [{"name": "b", "children": []}]}, {"children": []}],
    ),
    Row(
        "a map of scalars needs no key",
        "{type: object, additionalProperties: {type: string}}",
        "/it",
        [{}, {"a": "b"}, {"x" * 20: "y" * 20}, {"a b.c/d": ""}],
        [{"a": 1}, {"a": None}, {"x" * 21: ""}, {"a": "y" * 21}, dict.fromkeys("abcde", ""), []],
    ),
    Row(
        "a map of scalars, tightened",
        "{type: object, minProperties: 1, propertyNames: {maxLength: 9}, additionalProperties: {type: string, maxLength: 3}}",
        "{to: /it, maxProperties: 2, keys: {maxLength: 2}}",
        [{"a": "b"}, {"ab": "abc", "b": ""}],
        [{}, {"abc": ""}, {"a": "", "b": "", "c": ""}, {"a": "abcd"}],
    ),
    Row(
        "a map of objects with bounded keys",
        f"{{type: object, minProperties: 1, additionalProperties: {PLACE}}}",
        '{to: /it, maxProperties: 2, keys: {pattern: "^[a-z]+$"}, values: {fields: {town: /city}}}',
        [],
        [{}, {"A": {"town": "Ulm"}}, {"a": {"city": "Ulm"}}, {k: {"town": "Ulm"} for k in "abc"}],
        [({"a": {"town": "Ulm"}}, {"a": {"city": "Ulm"}})],
    ),
    Row(
        "a map whose keys have patterns",
        '{type: object, patternProperties: {"^x-": {type: integer}, "^y-": {type: string, maxLength: 2}}}',
        "/it",
        [{}, {"x-a": 1, "y-a": "b"}],
        [{"x-a": "b"}, {"z": 1}, {"y-a": "abc"}],
    ),
    Row(
        "fields beside a map",
        "{type: object, properties: {city: {type: string, maxLength: 9}, zip: {type: string}}, additionalProperties: {type: integer}}",
        "{to: /it, fields: {city}, values: {}}",
        [{"city": "Ulm", "b": 2}, {"b": 2}],
        [{"zip": 3}, {"zip": "3"}, {"city": 3}, {"b": "c"}],
    ),
    Row(
        "a union of scalars and lists of them",
        "{anyOf: [{type: string, maxLength: 3}, {type: array, maxItems: 2, items: {type: string, maxLength: 3}}]}",
        "/it",
        ["abc", [], ["a", "b"]],
        ["abcd", ["a", "b", "c"], 1, None, {}],
    ),
    Row(
        "an enum of several types",
        "{enum: [auto, 1, 2.5, true]}",
        "/it",
        ["auto", 1, 2.5, True],
        ["1", 2, False, None],
    ),
    Row(
        "a tuple",
        "{type: array, prefixItems: [{type: string, maxLength: 2}, {type: integer}], items: false, minItems: 2}",
        "/it",
        [["a", 1]],
        [["a"], ["a", 1, 2], [1, "a"]],
    ),
    Row(
        "a tuple that its length closes",
        "{type: array, prefixItems: [{type: string, maxLength: 2}, {type: integer}], minItems: 2, maxItems: 2}",
        "/it",
        [["a", 1]],
        [["a"], ["a", 1, 2], [1, "a"]],
    ),
    Row(
        "base64 in a text",
        "{type: string, format: byte, maxLength: 8}",
        "/it",
        ["", "YWI=", "YWJj"],
        ["YWI", "Y W=", "YWJjYWJjYWJj", 1],
    ),
    Row(
        "null and nothing else",
        "{type: 'null'}",
        "{to: /it, nullable: true}",
        [None],
        ["", 0, {}],
    ),
    Row(
        "values of one type that the description leaves open",
        "{items: {type: integer}, maxItems: 2}",
        "{to: /it, type: array}",
        [[], [1, 2]],
        [["a"], [1, 2, 3], "a"],
    ),
    Row(
        "a union told apart by its tag, branches within lists",
        f"{{type: array, items: {PETS}}}",
        "{to: /it, element: {branches: {cat: {lives}, dog: {tricks: {each: {max-size}}}}}}",
        [[{"kind": "cat", "lives": 9}], [{"kind": "dog", "tricks": [{"max-size": 1}]}]],
        [[{"kind": "cat"}], [{"kind": "cow"}], [{"lives": 9}], [{"kind": "dog", "lives": 9}]],
    ),
    Row(
        "branches that send one name to two places",
        PETS,
        "{to: /it, branches: {cat: {n: /lives}, dog: {n: {to: /tricks, each: {size: /max-size}}}}}",
        [],
        [{"kind": "cat", "n": []}, {"kind": "dog", "n": 1}],
        [
            ({"kind": "cat", "n": 9}, {"kind": "cat", "lives": 9}),
            ({"kind": "dog", "n": [{"size": 1}]}, {"kind": "dog", "tricks": [{"max-size": 1}]}),
        ],
    ),
    Row(
        "a tag that is a number",
        "{anyOf: [{type: object, required: [v, a], properties: {v: {const: 1}, a: {type: integer}}}, {type: object, required: [v], properties: {v: {enum: [2, 3]}, b: {type: integer}}}]}",
        "{to: /it, branches: {'1': {x: /a}, '3': {b}}}",
        [{"v": 3, "b": 1}, {"v": 3}],
        [{"v": 2}, {"v": "3"}, {"v": 1, "b": 1}],
        [({"v": 1, "x": 5}, {"v": 1, "a": 5})],
    ),
    Row(
        "a base that names its heirs",
        '{$ref: "#/components/schemas/Base"}',
        "{to: /it, branches: {s: {side}, c: {area, radius}}}",
        [{"shape": "s", "side": 1}, {"shape": "c", "radius": 2, "area": 3}],
        [{"shape": "s"}, {"shape": "c", "side": 1}, {"shape": "Square", "side": 1}, {"side": 1}],
    ),
    Row(
        "kinds by component and by number",
        UNION,
        "{to: /it, kinds: {Card: {fields: {digits: /number}}, '2': {fields: {given}}}}",
        [{"given": 3}],
        [{}, {"number": "1234"}, {"digits": "123"}, {"given": 3, "digits": "1234"}, {"given": 3, "note": "x"}],
        [({"digits": "1234"}, {"number": "1234"})],
    ),
    Row(
        "kinds by type",
        f"{{anyOf: [{{type: string, maxLength: 4}}, {PLACE}, {{type: array, maxItems: 2, items: {PLACE}}}]}}",
        "{to: /it, kinds: {string: , object: {fields: {city}}, array: {each: {city}}}}",
        ["abcd", {"city": "Ulm"}, [{"city": "Ulm"}]],
        ["abcde", {}, [{}], 1, None],
    ),
    Row(
        "one kind of several",
        UNION,
        "{to: /it, kinds: {Cash: {fields: {given}}}}",
        [{"given": 3}],
        [{"number": "1234"}, {"given": -1}],
    ),
    Row(
        "what stands beside a shape is enforced",
        "{type: object, properties: {a: {type: integer}, b: {type: integer}}, dependentRequired: {a: [b]}, not: {properties: {b: {const: 3}}, required: [b]}}",
        "{to: /it, fields: {a, b}}",
        [{}, {"b": 1}, {"a": 1, "b": 2}],
        [{"a": 1}, {"a": 1, "b": 3}, {"b": 3}],
    ),
    Row(
        "kinds that differ only in what they require are one object",
        "{type: object, properties: {a: {type: integer}, b: {type: integer}}, oneOf: [{required: [a]}, {required: [b]}]}",
        "{to: /it, fields: {a, two: /b}}",
        [{"a": 1}],
        [{}, {"a": 1, "two": 2}, {"b": 1}],
        [({"two": 2}, {"b": 2})],
    ),
    Row(
        "what stands beside members of other names",
        "{type: object, minProperties: 1, properties: {a: {type: integer}, b: {type: integer}}, dependentRequired: {a: [b]}, if: {required: [b]}, then: {properties: {b: {maximum: 5}}}}",
        "{to: /it, fields: {one: /a, two: /b}}",
        [],
        [{}, {"one": 1}, {"two": 6}],
        [({"two": 5}, {"b": 5}), ({"one": 1, "two": 2}, {"a": 1, "b": 2})],
    ),
    Row(
        "one branch of a oneOf that shares values with another",
        "{oneOf: [{type: object, title: x, properties: {a: {type: integer}}, required: [a]}, {type: object, properties: {b: {type: integer}}, required: [b]}]}",
        "{to: /it, kinds: {'1': {fields: {a, b: {type: integer}}}}}",
        [{"a": 1}],
        [{"a": 1, "b": 1}, {"b": 1}],
    ),
    Row(
        "a mapping of one branch; the other goes by its component's name",
        '{discriminator: {propertyName: kind, mapping: {card: "#/components/schemas/Card"}}, oneOf: [{$ref: "#/components/schemas/Card"}, {$ref: "#/components/schemas/Cash"}]}',
        "{to: /it, branches: {card: {number}, Cash: {given}}}",
        [{"kind": "card", "number": "1234"}, {"kind": "Cash", "given": 1}],
        [{"kind": "Card", "number": "1234"}, {"kind": "cash", "given": 1}, {"given": 1}],
    ),
    Row(
        "a property that only an answer has tells no branches apart",
        "{oneOf: [{type: object, required: [k, a], properties: {k: {const: x, readOnly: true}, a: {type: integer}}}, {type: object, required: [k, a], properties: {k: {const: y, readOnly: true}, a: {type: integer, minimum: 5}}}]}",
        "{to: /it, kinds: {'1': {fields: {a}}, '2': {fields: {a}}}}",
        [{"a": 4}],
        [{"a": 5}, {"a": 5, "k": "x"}],
    ),
    Row(
        "numbers of which some are integers",
        "{oneOf: [{type: integer}, {type: number}, {type: string, maxLength: 3}]}",
        "/it",
        [1.5, "abc"],
        [1, -7, None],
    ),
    Row(
        "a list that must contain something",
        f"{{type: array, maxItems: 3, contains: {{properties: {{city: {{const: Ulm}}}}}}, items: {PLACE}}}",
        "{to: /it, each: {city}}",
        [[{"city": "Ulm"}], [{"city": "Bonn"}, {"city": "Ulm"}]],
        [[], [{"city": "Bonn"}]],
    ),
    Row(
        "not, beside a scalar",
        "{type: integer, minimum: 1, maximum: 9, not: {const: 3}}",
        "/it",
        [1, 2, 9],
        [3, 0, 10],
    ),
    Row(
        "the whole body is a list",
        f"{{type: array, items: {PLACE}}}",
        "{to: body, each: {city}}",
        [[], [{"city": "Ulm"}]],
        [{"city": "Ulm"}, [{}]],
        whole=True,
    ),
    Row(
        "the whole body is a union",
        UNION,
        "{to: body, kinds: {Card: {fields: {number}}, Cash: {fields: {given, note}}}}",
        [{"number": "1234"}, {"given": 1, "note": "x"}],
        [{}, {"number": "1234", "given": 1}],
        whole=True,
    ),
    Row(
        "the whole body is a map",
        "{type: object, additionalProperties: {type: integer}}",
        "body",
        [{}, {"a": 1}],
        [{"a": "b"}, []],
        whole=True,
    ),
    Row(
        "the whole body is a text",
        "{type: string, maxLength: 5}",
        "body",
        ["", "abc"],
        ["abcdef", {}],
        whole=True,
    ),
    Row(
        "an object that the charter types",
        "{type: object}",
        "{to: /it, fields: {a: {type: integer}, b: {element: {type: boolean}}, c: {values: {type: string}}}}",
        [{}, {"a": 1, "b": [True], "c": {"d": "e"}}],
        [{"a": "1"}, {"x": 1}, {"b": [1]}, {"c": {"d": 1}}],
    ),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_shape(row: Row, tmp_path: Path) -> None:
    contract = contract_of(resolved(tmp_path, row.schema, row.spec, whole=row.whole))
    validator = compile_schema(contract.arguments)
    pairs = [*((value, value) for value in row.taken), *row.laid]
    assert [value for value, _ in pairs if not validator.is_valid({"it": value})] == []
    assert [value for value in row.refused if validator.is_valid({"it": value})] == []
    for value, laid in pairs:
        assert sent(contract, {"it": value}) == (laid if row.whole else {"it": laid})


FAULTS = [
    ("an object of any properties", "{type: object}", "/it", "TC104"),
    ("an object without its fields", PLACE, "/it", "TC113"),
    ("two shapes at once", PLACE, "{to: /it, fields: {city}, element: {}}", "TC731"),
    ("a list that is none", PLACE, "{to: /it, element: {}}", "TC113"),
    ("an object that is none", "{type: string}", "{to: /it, fields: {a}}", "TC113"),
    ("a map that is none", "{type: object, properties: {a: {}}, additionalProperties: false}", "{to: /it, values: {}}", "TC113"),
    ("a kind that is none", UNION, "{to: /it, kinds: {Coin: {}}}", "TC110"),
    ("a number beyond the kinds", UNION, "{to: /it, kinds: {'3': {}}}", "TC110"),
    ("a branch that is none", PETS, "{to: /it, branches: {cow: {}}}", "TC110"),
    ("a field that is none", PLACE, "{to: /it, fields: {city, zi: }}", "TC110"),
    ("a required field that is left out", PLACE, "{to: /it, fields: {zip}}", "TC120"),
    ("null that is not described", PLACE, "{to: /it, nullable: true, fields: {city}}", "TC115"),
    ("fewer entries than described", "{type: object, minProperties: 2, additionalProperties: {type: integer}}", "{to: /it, minProperties: 1, values: {}}", "TC115"),
    ("keys of what is no map", "{type: string}", "{to: /it, keys: {maxLength: 3}}", "TC115"),
    ("longer keys than described", "{type: object, propertyNames: {maxLength: 2}, additionalProperties: {type: integer}}", "{to: /it, keys: {maxLength: 3}}", "TC115"),
    ("keys of a closed object", PLACE, "{to: /it, keys: {maxLength: 3}, fields: {city}}", "TC115"),
    ("one place twice", PLACE, "{to: /it, fields: {city, town: /city}}", "TC118"),
    ("a mapping that its branch contradicts", '{discriminator: {propertyName: kind, mapping: {cow: "#/components/schemas/Cat"}}, oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]}', "{to: /it, branches: {cow: {lives}}}", "TC115"),
    ("an identifier to resolve inside a value", PLACE, "{to: /it, fields: {city: {resolved_by: nobody}}}", "TC731"),
    ("a slash inside a value", PLACE, "{to: /it, fields: {city: {multi_segment: true}}}", "TC731"),
    ("an amount in a list of lists", "{type: array, items: {type: array, items: {type: integer}}}", "{to: /it, element: {element: {money: {unit: minor, currency: \"'EUR'\"}}}}", "TC731"),
    ("an amount in a map", "{type: object, additionalProperties: {type: integer}}", "{to: /it, values: {money: {unit: minor, currency: \"'EUR'\"}}}", "TC731"),
    ("an amount that is an object", PLACE, "{to: /it, money: {unit: minor, currency: \"'EUR'\"}, fields: {city}}", "TC731"),
    ("an amount that is a list", "{type: array, items: {type: integer}}", "{to: /it, money: {unit: minor, currency: \"'EUR'\"}}", "TC731"),
    ("bytes in a text", "{type: string, format: binary}", "/it", "TC405"),
    ("elements of no type", "{type: array, items: {}}", "/it", "TC104"),
    ("a tuple taken apart", "{type: array, prefixItems: [{type: string}]}", "{to: /it, element: {}}", "TC705"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "schema", "spec", "code"), FAULTS, ids=[row[0] for row in FAULTS])
def test_refusal(name: str, schema: str, spec: str, code: str, tmp_path: Path) -> None:
    del name
    staged = resolved(tmp_path, schema, spec)
    found = [d for d in staged.diagnostics if d.severity == "error"]
    assert {d.code for d in found} == {code}
    assert all(d.origin.line > 8 and d.hint for d in found)


def test_objects_that_nothing_tells_apart_are_carried(tmp_path: Path) -> None:
    """Which one was meant is for the rule to ask (TC301)."""
    schema = "{anyOf: [{type: object, properties: {a: {type: integer}}}, {type: object, properties: {b: {type: integer}}}]}"
    staged = resolved(
        tmp_path, schema, "{to: /it, kinds: {'1': {fields: {a}}, '2': {fields: {b}}}}"
    )
    assert compile_schema(contract_of(staged).arguments).is_valid({"it": {"b": 1}})


def test_a_ceiling_is_said_for_each_place_that_it_bounds(tmp_path: Path) -> None:
    schema = "{type: object, properties: {a: {type: string}, b: {type: object, additionalProperties: {type: array, items: {type: integer}}}}}"
    staged = resolved(tmp_path, schema, "{to: /it, fields: {a, b}}")
    assert [(d.code, d.message) for d in staged.diagnostics] == [
        ("TC222", "input `it.a` has no bound of its own; the ceiling of 20 characters holds"),
        (
            "TC222",
            "a value of input `it.b` has no bound of its own; the ceiling of 4 elements holds",
        ),
        ("TC222", "input `it.b` has no bound of its own; the ceiling of 20 characters a key holds"),
        ("TC222", "input `it.b` has no bound of its own; the ceiling of 4 entries holds"),
    ]
    assert [d.hint for d in staged.diagnostics] == [
        "state `maxLength: …` beside the place",
        "state `values: {maxItems: …}` beside the place",
        "state `keys: {maxLength: …}` beside the place",
        "state `maxProperties: …` beside the place",
    ]


@pytest.mark.parametrize(
    ("schema", "spec"),
    [
        (
            "{type: object, additionalProperties: {type: array, items: {type: string}}}",
            "{to: /it, maxProperties: 3, keys: {maxLength: 9}, values: {maxItems: 3, items: {maxLength: 8}}}",
        ),
        (
            "{type: array, items: {type: array, items: {type: string}}}",
            "{to: /it, maxItems: 3, items: {maxItems: 3, items: {maxLength: 8}}}",
        ),
    ],
)
def test_what_the_hint_of_a_ceiling_says_settles_it(tmp_path: Path, schema: str, spec: str) -> None:
    assert not resolved(tmp_path, schema, spec).diagnostics
