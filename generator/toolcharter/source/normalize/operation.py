"""One operation, in the shape that all versions share."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from toolcharter.source.limits import shown
from toolcharter.source.operation import Operation, ResponseSpec
from toolcharter.source.operations import Found
from toolcharter.source.reading import Node, Reading, malformed
from toolcharter.source.shapes import is_object

from .parts import Parts

__all__ = ["read_operation"]

_STATUS = re.compile(r"[1-5](?:\d\d|XX)|default")
_NAME_IN_PATH = re.compile(r"\{([^{}]*)\}")


def read_operation(found: Found, parts: Parts, schemes: Collection[str]) -> Operation:
    """Return the operation; what is wrong with it is in the reading of its parts."""
    node, reading = found.operation, parts.reading
    request = parts.request(node, _parameters(found, parts))
    return Operation(
        method=found.key.method,
        path=found.key.path,
        path_names=tuple(_NAME_IN_PATH.findall(found.key.path)),
        operation_id=reading.text(node.get("operationId"), "`operationId`"),
        summary=reading.text(node.get("summary"), "`summary`"),
        description=reading.text(node.get("description"), "`description`"),
        deprecated=reading.flag(node.get("deprecated"), "`deprecated`"),
        parameters=request.parameters,
        bodies=request.bodies,
        body_required=request.body_required,
        responses=_responses(node, parts),
        security=_security(node, parts, schemes),
        anchor=node.anchor,
    )


def _parameters(found: Found, parts: Parts) -> tuple[Node, ...]:
    """Return the operation's parameters over those of its path: one for each place and name."""
    merged: dict[tuple[Any, Any], Node] = {}
    for owner in (*found.items, found.operation):
        here: set[tuple[Any, Any]] = set()
        listed = owner.get("parameters")
        for index in range(len(parts.reading.elements(listed, "`parameters`"))):
            node = parts.follow(listed / index) if listed else None
            if node is None or not is_object(node.value):
                if node is not None:
                    malformed(parts.reading, node.anchor, "A parameter is not an object")
                continue
            key = (str(node.value.get("in")), str(node.value.get("name")))
            if key in here:
                message = f"The {key[0]} parameter {shown(key[1])} stands twice"
                malformed(parts.reading, node.anchor, message)
            here.add(key)
            merged[key] = node
    return tuple(merged.values())


def _responses(operation: Node, parts: Parts) -> Mapping[str, ResponseSpec]:
    declared = operation.get("responses")
    responses: dict[str, ResponseSpec] = {}
    for status in parts.reading.mapping(declared, "`responses`"):
        if status.startswith("x-") or declared is None:
            continue
        if not _STATUS.fullmatch(status):
            malformed(parts.reading, declared.anchor / status, f"{shown(status)} is no status")
            continue
        node = parts.follow(declared / status)
        if node is not None and parts.reading.mapping(node, "A response") is node.value:
            responses[status] = parts.response(node, operation, status)
    return responses


def _security(
    operation: Node, parts: Parts, schemes: Collection[str]
) -> tuple[Mapping[str, tuple[str, ...]], ...] | None:
    """Return the alternatives of the operation, or else of the whole description."""
    declared = operation.get("security") or parts.root.get("security")
    if declared is None:
        return None
    reading = parts.reading
    alternatives: list[Mapping[str, tuple[str, ...]]] = []
    for index in range(len(reading.elements(declared, "`security`"))):
        alternative: dict[str, tuple[str, ...]] = {}
        for name in reading.mapping(declared / index, "A security requirement"):
            node = declared / index / name
            if name not in schemes:
                _report_scheme(reading, node, name)
            scopes = reading.elements(node, "The scopes of a security requirement")
            alternative[name] = tuple(scope for scope in scopes if isinstance(scope, str))
        alternatives.append(alternative)
    return tuple(alternatives)


def _report_scheme(reading: Reading, node: Node, name: str) -> None:
    message = f"There is no security scheme {shown(name)}"
    # A warning: a charter may name a scheme that is not declared, if it says why.
    reading.report("TC701", message, node.anchor, "declare it, or mend the name", "warning")
