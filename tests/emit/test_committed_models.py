"""The models of the committed packages against their frozen schemas, judged by jsonschema-rs with formats asserted.

Values are built out of each schema: the smallest, the largest, one with each optional field alone, each branch and each
listed value; then each is spoiled in one place. Whatever the schema accepts, the model accepts and gives back the same.
What the schema refuses, the model refuses too.
"""

from __future__ import annotations

import copy
import importlib
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import BaseModel, ValidationError

from toolcharter.naming import class_name, module_name
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.schemas import compile_schema

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("crm_tools", "contacts_tools", "github_tools")
SAMPLES = ("C-1842", "A-1842", "M-1842", "P-1842", "a", "1", "abcdef", "a" * 40, "main", "docs", "octo-org", "DE", "12345", "EUR",
           "2026-08-14", "a@example.org", "https://example.org/x", "tc-0123456789abcdefghij", '"1"', "v1.0.0", "A" * 26, "a" * 64)  # fmt: skip
BY_FORMAT = {
    "date": "2026-08-14",
    "date-time": "2026-08-14T16:22:11Z",
    "uuid": "8d3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11",
    "email": "a@example.org",
    "uri": "https://example.org/x",
}


@cache
def contracts() -> tuple[tuple[str, Contract], ...]:
    return tuple(
        (package, Contract.model_validate_json(path.read_text("utf-8")))
        for package in PACKAGES
        for path in sorted((ROOT / "generated" / package / package / "catalog").glob("*.v*.json"))
    )


def models(package: str, contract: Contract) -> Iterator[tuple[type[BaseModel], dict[str, Any]]]:
    module = importlib.import_module(
        f"{package}.contracts.{module_name(contract.tool, contract.version)}"
    )
    yield getattr(module, f"{class_name(contract.tool)}Arguments"), contract.arguments
    yield getattr(module, f"{class_name(contract.tool)}Result"), contract.view.result


def text(schema: dict[str, Any]) -> str:
    known = BY_FORMAT.get(str(schema.get("format")))
    judge = jsonschema_rs.validator_for(
        {k: v for k, v in schema.items() if k != "description"}, validate_formats=True
    )
    for sample in (
        known,
        *SAMPLES,
        "x" * int(schema.get("minLength", 0)),
        "x" * min(int(schema.get("maxLength", 0)), 5000),
    ):
        if sample is not None and judge.is_valid(sample):
            return sample
    raise AssertionError(f"no sample for {schema}")


def values(schema: dict[str, Any], root: dict[str, Any]) -> list[Any]:
    """A few values that the schema accepts, at least one."""
    if "$ref" in schema:
        return values(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return [value for branch in schema[word] for value in values({**branch}, root)]
    kind = schema.get("type")
    if isinstance(kind, list):
        return [value for one in kind for value in values({**schema, "type": one}, root)]
    if kind == "object" or "properties" in schema:
        return objects(schema, root)
    if kind == "array":
        items = values(schema.get("items", {}), root)
        most = min(int(schema.get("maxItems", 3)), 3)
        least = int(schema.get("minItems", 0))
        return [
            items[:1] * least,
            *([[one] for one in items] if most >= 1 >= least else []),
            items[:1] * max(most, least),
        ]
    if kind in ("integer", "number"):
        bounds = [
            schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1),
            schema.get("maximum", 7),
        ]
        return [bound for bound in bounds if bound is not None]
    return {
        "boolean": [True, False],
        "null": [None],
        "string": [text(schema)] if kind == "string" else [],
    }.get(str(kind), [1])


def objects(schema: dict[str, Any], root: dict[str, Any]) -> list[Any]:
    properties = {
        name: values(one, root)
        for name, one in schema.get("properties", {}).items()
        if one is not False
    }
    least = {
        name: found[0] for name, found in properties.items() if name in schema.get("required", ())
    }
    made = [least, {name: found[-1] for name, found in properties.items()}]
    made += [{**least, name: value} for name, found in properties.items() for value in found]
    return made


def spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing wrong, and what it is."""
    if isinstance(value, dict):
        yield "unknown field", {**value, "__unknown__": 1}
        for name in value:
            yield "missing field", {k: v for k, v in value.items() if k != name}
            for what, below in spoiled(value[name]):
                yield what, {**copy.deepcopy(value), name: below}
    elif isinstance(value, list):
        yield "not a list", {"0": 1}
        for index, one in enumerate(value[:1]):
            for what, below in spoiled(one):
                yield what, [*value[:index], below, *value[index + 1 :]]
    else:
        yield from [
            ("null", None),
            ("text", "\u0663 "),
            ("long", "x" * 9000),
            ("number", 10**12),
            ("below", -(10**12)),
        ]
        yield from [
            ("fraction", 1.5),
            ("true", True),
            ("digits", "1"),
            ("list", []),
            ("object", {}),
        ]


def takes(model: type[BaseModel], value: object) -> bool:
    try:
        model.model_validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("package", PACKAGES)
def test_model_takes_what_the_schema_takes_and_gives_it_back(package: str) -> None:
    """C3, and the known defects of the model generator: none reaches a contract."""
    count = 0
    for owner, contract in contracts():
        for model, schema in models(owner, contract) if owner == package else ():
            judge = jsonschema_rs.validator_for(schema, validate_formats=True)
            for value in values(schema, schema):
                if judge.is_valid(value):
                    count += 1
                    assert takes(model, value), (contract.id, value)
                    again = model.model_validate_json(json.dumps(value)).to_json()  # type: ignore[attr-defined]
                    assert judge.is_valid(again), (contract.id, value, again)
                    assert again == value, contract.id
    assert count > 20


@pytest.mark.parametrize("package", PACKAGES)
def test_model_refuses_what_the_schema_refuses(package: str) -> None:
    looser: Counter[str] = Counter()
    stricter: Counter[str] = Counter()
    refused = 0
    for owner, contract in contracts():
        for model, schema in models(owner, contract) if owner == package else ():
            judge = compile_schema(schema)
            for value in values(schema, schema):
                if not judge.is_valid(value):
                    continue
                for what, wrong in spoiled(value):
                    says, model_says = judge.is_valid(wrong), takes(model, wrong)
                    refused += not says
                    looser[what] += model_says and not says
                    stricter[what] += says and not model_says
    assert refused > 100
    assert (+stricter, +looser) == ({}, {})
