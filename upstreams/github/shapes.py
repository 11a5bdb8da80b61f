"""Answers in the shapes of the description: every required member is there, the facts laid over them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

__all__ = ["DESCRIPTION", "filled", "load_description"]

DESCRIPTION: Final = Path(__file__).parents[2] / "specs" / "github" / "api.github.com.json"
"""Where the slice of GitHub's description lies."""

_SAMPLES: Final = {
    "uri": "https://api.github.example/x",
    "date-time": "2026-11-30T12:00:00Z",
    "email": "octocat@github.example",
    "uuid": "00000000-0000-0000-0000-000000000000",
}
_EMPTY: Final[dict[str, Any]] = {
    "integer": 1,
    "number": 1,
    "boolean": False,
    "array": [],
    "string": "x",
}


@cache
def load_description() -> dict[str, Any]:
    """Return the description as JSON."""
    loaded: dict[str, Any] = json.loads(DESCRIPTION.read_text("utf-8"))
    return loaded


@cache
def _sample(name: str) -> str:
    return json.dumps(_of({"$ref": f"#/components/schemas/{name}"}))


def _of(schema: dict[str, Any]) -> Any:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _of(load_description()["components"]["schemas"][name])
    if schema.get("nullable"):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    for word in ("oneOf", "anyOf"):
        if word in schema and "properties" not in schema:
            return _of(schema[word][0])
    if "allOf" in schema:
        merged: dict[str, Any] = {}
        for part in schema["allOf"]:
            merged |= _of(part)
        return merged
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        return {
            name: _of(properties[name]) for name in schema.get("required", ()) if name in properties
        }
    return _SAMPLES.get(schema.get("format", ""), _EMPTY.get(schema.get("type", "string"), "x"))


def filled(schema: str, /, **facts: Any) -> dict[str, Any]:
    """Return an object of the named schema with the facts laid over it; a dict fact is laid over its member."""
    shape: dict[str, Any] = json.loads(_sample(schema))
    for member, value in facts.items():
        if isinstance(value, dict) and isinstance(shape.get(member), dict):
            shape[member] |= value
        else:
            shape[member] = value
    return shape
