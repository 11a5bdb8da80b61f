"""An operation's inputs and outputs, flattened to what a charter lists: one line for each leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .description import Description
from .document import write_pointer
from .operation import Operation, ResponseSpec, Schema
from .shapes import is_object

__all__ = ["Leaf", "flat", "inputs_of", "parts_in_place", "success_of", "view_of"]

LeafKind: TypeAlias = Literal["scalar", "list", "objects", "union", "open", "unknown"]
_MAX_DEPTH = 4
_MAX_LEAVES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One place that a charter may list."""

    names: tuple[str, ...]
    """From the outermost property in; of a parameter, its name."""
    place: str
    """In the charter's language, e.g. `query.limit` or `/address/city`."""
    schema: Schema
    """Flat: all that holds in place laid together."""
    required: bool
    kind: LeafKind


def parts_in_place(
    description: Description, schema: Mapping[str, Any], seen: set[str] | None = None
) -> Iterator[Mapping[str, Any]]:
    """Yield what holds for one value: a schema, what its references name and the parts of `allOf`, definitions once.

    `seen` has the names of the definitions that are not to be followed, and gets those that were.
    """
    known = set[str]() if seen is None else seen
    waiting = [schema]
    while waiting:
        part = waiting.pop(0)
        reference = part.get("$ref")
        name = reference.removeprefix("#/$defs/") if isinstance(reference, str) else ""
        if name and name not in known:
            known.add(name)
            waiting.append(description.definition(name))
        waiting.extend(part.get("allOf", ()))
        yield part


def flat(
    description: Description, schema: Mapping[str, Any], seen: set[str] | None = None
) -> Schema:
    """Return a schema with all that holds in place laid together, keyword by keyword, for reading only.

    A union of one branch, or of one beside null, is that branch.
    """
    merged: Schema = {}
    known = set[str]() if seen is None else seen
    waiting = [schema]
    while waiting:
        for part in parts_in_place(description, waiting.pop(), known):
            for key, value in part.items():
                if key == "properties":
                    merged[key] = {**value, **merged.get(key, {})}
                elif key == "required":
                    merged[key] = list(dict.fromkeys([*merged.get(key, ()), *value]))
                elif key not in {"$ref", "allOf"}:
                    merged.setdefault(key, value)
        waiting.extend(_lone_branches(merged))
    return merged


def _lone_branches(schema: Schema) -> Iterator[Schema]:
    """Take the unions of one branch beside null out of a schema, and yield the branch of each."""
    for word in ("oneOf", "anyOf"):
        branches = [one for one in schema.get(word, ()) if one.get("type") != "null"]
        if len(branches) == 1:
            del schema[word]
            yield branches[0]


def inputs_of(description: Description, operation: Operation) -> Iterator[Leaf]:
    """Yield what may come in: path and query parameters, then what a JSON or form body may hold.

    Header and cookie parameters are not yielded: keys, preconditions and credentials stand there.
    """
    declared = {p.name for p in operation.parameters if p.location == "path"}
    for name in operation.path_names:
        if name not in declared:
            yield Leaf(
                names=(name,), place=f"path.{name}", schema={}, required=True, kind="unknown"
            )
    for parameter in operation.parameters:
        if parameter.location in {"path", "query"}:
            schema = flat(description, parameter.schema)
            yield Leaf(
                names=(parameter.name,),
                place=f"{parameter.location}.{parameter.name}",
                schema=schema,
                required=parameter.required,
                kind=_kind(description, schema),
            )
    for media, body in operation.bodies.items():
        if "json" in media or media == "application/x-www-form-urlencoded":
            leaves = _leaves(description, body.schema, (), required=operation.body_required)
            yield from (leaf for leaf in leaves if leaf.schema.get("readOnly") is not True)
            return


def success_of(operation: Operation) -> tuple[str, ResponseSpec] | None:
    """Return the least declared success status and its response."""
    statuses = sorted(status for status in operation.responses if status.startswith("2"))
    return (statuses[0], operation.responses[statuses[0]]) if statuses else None


def view_of(description: Description, response: ResponseSpec) -> tuple[Leaf, ...]:
    """Return what a JSON answer may hold; of a list at the top, one leaf of the place ``."""
    for media, schema in response.bodies.items():
        if "json" in media:
            top = flat(description, schema)
            if _kind(description, top) in {"list", "objects"}:
                kind = _kind(description, top)
                return (Leaf(names=("items",), place="", schema=top, required=True, kind=kind),)
            leaves = _leaves(description, schema, (), required=True)
            return tuple(leaf for leaf in leaves if leaf.schema.get("writeOnly") is not True)
    return ()


def _leaves(
    description: Description, schema: Schema, steps: tuple[str, ...], *, required: bool
) -> list[Leaf]:
    found: list[Leaf] = []
    object_ = flat(description, schema)
    names = set(object_.get("required", ()))
    for name, member in object_.get("properties", {}).items():
        below = (*steps, name)
        part = flat(description, member)
        kind = _kind(description, part)
        is_required = required and name in names
        if "properties" in part and kind != "union" and len(below) < _MAX_DEPTH:
            found.extend(_leaves(description, member, below, required=is_required))
        else:
            place = write_pointer(below)
            found.append(
                Leaf(names=below, place=place, schema=part, required=is_required, kind=kind)
            )
        if len(found) >= _MAX_LEAVES:
            break
    return found[:_MAX_LEAVES]


def _kind(description: Description, schema: Schema) -> LeafKind:
    declared: Any = schema.get("type")
    types = {declared} if isinstance(declared, str) else set(declared or ())
    types.discard("null")
    if "oneOf" in schema or "anyOf" in schema or len(types) > 1:
        return "union"
    if types == {"array"}:
        items = schema.get("items")
        item = flat(description, items) if is_object(items) else {}
        return "objects" if "properties" in item or item.get("type") == "object" else "list"
    if types == {"object"} or "properties" in schema:
        return "open"
    return "scalar" if types or "enum" in schema or "const" in schema else "unknown"
