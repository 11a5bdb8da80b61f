"""Builds the catalog of `_ground.yaml` with a case's patches laid over it, without a description and without a file."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from toolcharter.charter import Charter
from toolcharter.charter.places import Places
from toolcharter.diagnostics import Diagnostic, Origin
from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules import check_api, check_charter, settle_silences
from toolcharter.source import Operation
from toolcharter.source.document import Anchor, Document
from toolcharter.source.operation import BodySpec, ParameterSpec, SecurityScheme
from toolcharter_runtime.frozen import Contract

__all__ = ["GROUND", "Nowhere", "build", "findings", "merge"]

GROUND: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("_ground.yaml").read_text("utf-8"))


@dataclass(frozen=True)
class Nowhere:
    """A description of definitions only."""

    definitions: dict[str, Any]
    security_schemes: dict[str, Any]

    def definition(self, name: str) -> Any:
        return self.definitions[name]


class _Lines:
    def locate(self, steps: Any) -> tuple[int, int]:
        return (1, 1)


ANCHOR = Anchor(Document("openapi.yaml", Path("openapi.yaml"), {}, "", _Lines()))


def merge(value: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396); the key `+null` sets null, which a merge patch cannot say."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    merged = dict(value) if isinstance(value, dict) else {}
    for key, inner in patch.items():
        if inner is None:
            merged.pop(key, None)
        elif inner == "+null":
            merged[key] = None
        else:
            merged[key] = merge(merged.get(key), inner)
    return merged


def build(case: dict[str, Any]) -> tuple[Charter, ResolvedApi]:
    """Return the charter and the resolved catalog of one case."""
    ground = merge(GROUND, {key: case[key] for key in case if key in GROUND})

    def find(pointer: str) -> Origin:
        return Origin("charter.yaml", 1, 1, pointer)

    charter = Charter.model_validate(ground["charter"], context=Places(find, ground["charter"]))
    body = {"application/json": BodySpec(schema=ground["operation"]["body"], anchor=ANCHOR)}
    tools = []
    for kind in ("read", "write"):
        contract = Contract.model_validate(ground[kind])
        operation = Operation(
            method=contract.request.method,
            path=contract.request.path,
            path_names=(),
            deprecated=ground["operation"]["deprecated"],
            parameters=tuple(
                ParameterSpec(
                    location="header", name=name, style="simple", schema={}, anchor=ANCHOR
                )
                for name in ground["operation"].get("headers", ())
            ),
            bodies=body,
            anchor=ANCHOR,
        )
        places = {
            f"{part}.{name}": Origin("charter.yaml", 1, 1, f"/tools/{contract.tool}/{part}/{name}")
            for part, names in (
                ("input", contract.arguments.get("properties", {})),
                ("view", [field.name for field in contract.view.fields]),
            )
            for name in names
        }
        origin = find(f"/tools/{contract.tool}")
        tools.append(ResolvedTool(contract, origin, operation, places))
    description: Any = Nowhere(
        ground["operation"].get("definitions", {}),
        {
            name: SecurityScheme(**scheme, anchor=ANCHOR)
            for name, scheme in ground["operation"].get("schemes", {}).items()
        },
    )
    return charter, ResolvedApi(charter.package, tuple(tools), charter, description)


def findings(case: dict[str, Any]) -> tuple[Diagnostic, ...]:
    """Return all that the rules find in a case, silences settled."""
    charter, api = build(case)
    return settle_silences(charter, (*check_charter(charter), *check_api(api)))
