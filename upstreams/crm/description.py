"""The service's own description, and the checks of a request that follow from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import yaml

from upstreams.crm.problems import Problem

__all__ = ["DESCRIPTION", "Operation", "load_description", "operations"]

DESCRIPTION: Final = Path(__file__).parents[2] / "specs" / "crm" / "openapi.yaml"
"""Where the description lies."""

_METHODS: Final = ("get", "post", "put", "patch", "delete")


@cache
def load_description() -> dict[str, Any]:
    """Return the description as JSON."""
    loaded: dict[str, Any] = yaml.safe_load(DESCRIPTION.read_text("utf-8"))
    return loaded


def _validator(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    whole = {**schema, "components": load_description()["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its id, where it is called, and the checks of its parameters and body."""

    name: str
    method: str
    path: str
    parameters: tuple[tuple[str, str, bool, bool, jsonschema_rs.Draft202012Validator], ...]
    """Location, name, required, is a whole number, check."""
    body: jsonschema_rs.Draft202012Validator | None

    def read_parameters(self, found: dict[str, dict[str, str]]) -> dict[str, Any]:
        """Return the parameters by name, checked; `found` maps each location to what was sent there."""
        taken: dict[str, Any] = {}
        for location, name, required, whole, validator in self.parameters:
            raw = found[location].get(name)
            if raw is None:
                if required:
                    raise Problem(
                        "precondition_required" if name == "If-Match" else "invalid",
                        f"{name} is missing",
                    )
                continue
            value: Any = int(raw) if whole and raw.isascii() and raw.isdigit() else raw
            if not validator.is_valid(value):
                raise Problem(
                    "not_found" if location == "path" else "invalid", f"{name} is not well formed"
                )
            taken[name] = value
        return taken

    def read_body(self, raw: bytes) -> dict[str, Any]:
        """Return the body, checked; the pointer of the first fault stands in the refusal."""
        if self.body is None:
            return {}
        try:
            value = json.loads(raw)
        except (UnicodeDecodeError, ValueError):
            raise Problem("invalid", "the body is not JSON") from None
        for error in self.body.iter_errors(value):
            pointer = "".join(f"/{part}" for part in error.instance_path)
            raise Problem("unprocessable", "the body does not fit the description", field=pointer)
        checked: dict[str, Any] = value
        return checked


@cache
def operations() -> tuple[Operation, ...]:
    """Return every operation of the description."""
    return tuple(
        _operation(method, path, item.get("parameters", []), item[method])
        for path, item in load_description()["paths"].items()
        for method in _METHODS
        if method in item
    )


def _operation(
    method: str, path: str, shared: list[dict[str, Any]], node: dict[str, Any]
) -> Operation:
    parameters: list[tuple[str, str, bool, bool, jsonschema_rs.Draft202012Validator]] = []
    for entry in [*shared, *node.get("parameters", [])]:
        named = _resolve(entry)
        schema = named["schema"]
        parameters.append(
            (
                named["in"],
                named["name"],
                named.get("required", False),
                schema.get("type") == "integer",
                _validator(schema),
            )
        )
    content = node.get("requestBody", {}).get("content", {})
    body = _validator(content["application/json"]["schema"]) if content else None
    return Operation(node["operationId"], method.upper(), path, tuple(parameters), body)


def _resolve(entry: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in entry:
        return entry
    node: Any = load_description()
    for part in entry["$ref"].removeprefix("#/").split("/"):
        node = node[part]
    found: dict[str, Any] = node
    return found
