"""A synthetic charter for one operation: everything that the description lists, with ceilings, as a read.

What the description leaves open or untyped is left out and noted: only a person's word could type it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolcharter.resolve.findings import UncarriedError
from toolcharter.resolve.schemas import Branch, SchemaReader
from toolcharter.source import Operation, ParameterSpec
from toolcharter.source.description import Description

__all__ = ["CEILINGS", "IGNORED", "Names", "Plan", "plan_operation", "renamed"]

IGNORED: Final = frozenset(
    {"accept", "content-type", "authorization", "content-encoding", "content-length", "host"}
)
"""Header parameters of these names are ignored (OpenAPI 3.x, Parameter Object)."""
GUARDS: Final = frozenset(
    {"cookie", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"}
)
"""What the boundary sends itself is no input of a tool; where it may be left out, it is."""
CEILINGS: Final = {"string": 2000, "array": 100}
_MEMBER: Final = re.compile(r"[A-Za-z0-9_.$@-]{1,64}", re.ASCII)
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_BRANCH: Final = re.compile(r"\(\d+\)")
_FORM: Final = "application/x-www-form-urlencoded"
_DEEP: Final = 24
_MOST: Final = 6000


@dataclass(frozen=True)
class Names:
    """How the members of a value are named otherwise than the API names them."""

    members: Mapping[str, tuple[str, Names]] = field(default_factory=dict)
    inside: Names | None = None
    """Of a list's elements, or of a map's values."""


@dataclass
class Plan:
    """The tool of an operation, and how its inputs are named."""

    tool: dict[str, Any]
    inputs: dict[tuple[str, str], tuple[str, Names]] = field(default_factory=dict)
    """(location, name) → (input, names inside); the body is `("body", "")`."""
    media: str | None = None
    needs: list[tuple[str, str]] = field(default_factory=list)
    """(pointer, what the description leaves open)."""
    nulls: set[str] = field(default_factory=set[str])
    """Inputs that are written in a form which has no null."""
    left: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Places that are not listed, by their steps, and why: `recursion`, `open` or `bytes`; the first is the input's own."""


class _Open(Exception):
    """The description gives no type there."""


def plan_operation(description: Description, key: str, operation: Operation) -> Plan:
    """Return the synthetic tool of an operation."""
    plan = Plan(
        {"operation": key, "effect": "read", "description": "One operation of a description."}
    )
    lister = _Lister(SchemaReader(description), plan)
    inputs: dict[str, Any] = {}
    for number, parameter in enumerate(operation.parameters, 1):
        if not _is_sent(parameter):
            continue
        name = f"p{number}"
        place = f"{parameter.location}.{parameter.name}"
        is_json = parameter.media is not None
        entry = lister.top(parameter.schema, place, required=parameter.required, has_null=is_json)
        if entry is not None:
            spec, names = entry
            inputs[name] = {"to": place, **spec}
            plan.inputs[parameter.location, parameter.name] = (name, names)
    declared = {p.name for p in operation.parameters if p.location == "path"}
    for number, name in enumerate(n for n in operation.path_names if n not in declared):
        inputs[f"u{number}"] = {"to": f"path.{name}", "type": "string", "maxLength": 100}
        plan.needs.append((f"path.{name}", "an undeclared path parameter"))
    _body(operation, lister, plan, inputs)
    plan.tool["input"] = inputs
    view = _view(operation)
    if view:
        plan.tool["view"] = view
    if not any(status[0] == "2" or status == "default" for status in operation.responses):
        plan.tool["answers"] = [{"when": {"http": 200}, "is": "completed"}]
        plan.tool["attest"] = {"http 200": "The description declares no success at all"}
    _auth(operation, description, plan)
    return plan


def _view(operation: Operation) -> dict[str, Any]:
    """Return what is shown of an answer that is not JSON: its text, or of bytes their metadata."""
    answers = [r for status, r in operation.responses.items() if status[0] == "2"]
    if not answers:
        answers = [r for status, r in operation.responses.items() if status == "default"]
    media = [one.partition(";")[0].strip().lower() for r in answers for one in r.bodies]
    if not media or any("json" in one or one == "*/*" for one in media):
        return {}
    if any(one.startswith("text/") and one != "text/xml" for one in media):
        return {"text": {"at": "body"}}
    return {
        "type": {"at": "header.Content-Type", "type": "string", "maxLength": 200},
        "bytes": {"at": "header.Content-Length", "type": "integer", "minimum": 0, "maximum": 2**50},
    }


def _is_sent(parameter: ParameterSpec) -> bool:
    name = parameter.name.lower()
    is_guard = name in GUARDS and not parameter.required
    return parameter.location != "header" or (name not in IGNORED and not is_guard)


def _body(operation: Operation, lister: _Lister, plan: Plan, inputs: dict[str, Any]) -> None:
    if not operation.bodies:
        return
    media = min(operation.bodies, key=_rank)
    plan.media = media
    if len(operation.bodies) > 1:
        plan.tool["media"] = media
    schema, required = operation.bodies[media].schema, operation.body_required
    entry = lister.top(schema, "body", required=required, has_null="json" in media)
    if entry is not None:
        spec, names = entry
        inputs["body"] = {"to": "body", **spec}
        plan.inputs["body", ""] = ("body", names)


def _rank(media: str) -> tuple[int, str]:
    plain = media.partition(";")[0].strip().lower()
    order = ("application/json", _FORM, "multipart/form-data", "text/plain")
    if plain in order:
        return order.index(plain), media
    return (1 if plain.endswith("+json") else 9), media


def _auth(operation: Operation, description: Description, plan: Plan) -> None:
    alternatives = [one for one in operation.security or () if len(one) == 1]
    schemes = description.security_schemes
    for one in alternatives:
        (name,) = one
        if name in schemes and schemes[name].kind != "other":
            plan.tool["auth"] = {"scheme": name}
            return


class _Lister:
    def __init__(self, reader: SchemaReader, plan: Plan) -> None:
        self._reader = reader
        self._plan = plan
        self._count = 0
        self._place = ""
        self._has_null = True

    def top(
        self, schema: Any, place: str, *, required: bool, has_null: bool
    ) -> tuple[dict[str, Any], Names] | None:
        """Return the entry of a whole parameter or body; None where nothing can be listed."""
        self._place, self._has_null = place, has_null
        if not has_null:
            self._plan.nulls.add(place)
        try:
            return self._entry(schema, place, ())
        except _Open as error:
            self._need(place, error)
            if required:
                return {
                    "type": "string"
                }, Names()  # what is required and open is refused by our own rule
            return None

    def _need(self, at: str, error: _Open) -> None:
        self._plan.needs.append((at, str(error)))
        self._leave(at, "open")

    def _leave(self, at: str, why: str) -> None:
        """Record what is not listed; a branch's number is no step of a value."""
        place = _BRANCH.sub("", at[len(self._place) :]).replace("[]", "/[]")
        self._plan.left[self._place, *place.split("/")[1:]] = why

    def _entry(self, schema: Any, at: str, above: tuple[str, ...]) -> tuple[dict[str, Any], Names]:
        self._count += 1
        if self._count > _MOST or len(above) > _DEEP:
            raise _Open("more than a charter would list")
        if not isinstance(schema, dict):
            raise _Open("no type")
        try:
            expanded = self._reader.expand(schema)
        except UncarriedError:
            return {}, Names()  # resolving refuses it by its own rule
        is_nullable = expanded.nullable and self._has_null
        spec: dict[str, Any] = {"nullable": True} if is_nullable else {}
        branches = expanded.branches
        if not branches or all(_is_plain(branch.schema) for branch in branches):
            return spec, Names()
        if len(branches) == 1:
            inner, names = self._branch(branches[0], at, above)
            return {**spec, **inner}, names
        kinds: dict[str, Any] = {}
        members: dict[str, tuple[str, Names]] = {}
        inside: Names | None = None
        for number, branch in enumerate(branches, 1):
            try:
                inner, names = self._branch(branch, f"{at}({number})", above)
            except _Open as error:
                self._need(f"{at}({number})", error)
                continue
            kinds[str(number)] = inner
            members.update(names.members)
            inside = inside or names.inside
        if not kinds:
            raise _Open("a union of what has no type")
        return {**spec, "kinds": kinds}, Names(members, inside)

    def _branch(
        self, branch: Branch, at: str, above: tuple[str, ...]
    ) -> tuple[dict[str, Any], Names]:
        schema = branch.schema
        if _is_plain(schema):
            return {}, Names()
        kind = schema.get("type")
        if kind == "array" or (kind is None and "items" in schema):
            return self._list(schema, at, above)
        if kind == "object" or "properties" in schema or "additionalProperties" in schema:
            return self._object(schema, at, above)
        raise _Open("no type")

    def _list(
        self, schema: dict[str, Any], at: str, above: tuple[str, ...]
    ) -> tuple[dict[str, Any], Names]:
        if "prefixItems" in schema:
            return {}, Names()
        if schema.get("items") in (None, True, {}):
            raise _Open("a list of anything")
        inner, names = self._named(schema["items"], f"{at}[]", above)
        return ({}, Names()) if inner == {} else ({"element": inner}, Names({}, names))

    def _object(
        self, schema: dict[str, Any], at: str, above: tuple[str, ...]
    ) -> tuple[dict[str, Any], Names]:
        fields: dict[str, Any] = {}
        members: dict[str, tuple[str, Names]] = {}
        required = schema.get("required", ())
        for name, described in schema.get("properties", {}).items():
            if described is False or self._is_read_only(described):
                continue
            if name not in required and self._is_bytes(described):
                self._leave(f"{at}/{_escaped(name)}", "bytes")
                continue
            try:
                entry, names = self._named(described, f"{at}/{_escaped(name)}", above)
            except _Open as error:
                self._need(f"{at}/{_escaped(name)}", error)
                continue
            except _Cut:
                self._leave(f"{at}/{_escaped(name)}", "recursion")
                continue
            shown = name if _MEMBER.fullmatch(name) else f"member_{len(fields) + 1}"
            pointer = "/" + name.replace("~", "~0").replace("/", "~1")
            fields[shown] = entry if shown == name else {"to": pointer, **entry}
            if shown != name or names.members or names.inside:
                members[name] = (shown, names)
        for name in required:
            if name not in schema.get("properties", {}) and not _maps(schema):
                self._plan.needs.append((f"{at}/{_escaped(name)}", "required, and not described"))
        spec: dict[str, Any] = {"fields": fields} if fields else {}
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and more:
            inner, names = self._named(more, f"{at}/*", above)
            return {**spec, "values": inner}, Names(members, names)
        if not fields:
            if schema.get("properties") and not schema.get("required"):
                return {"fields": {}}, Names()
            raise _Open("an object of any properties")
        return spec, Names(members)

    def _named(self, schema: Any, at: str, above: tuple[str, ...]) -> tuple[dict[str, Any], Names]:
        reached = tuple(_references(schema))
        if any(name in above for name in reached):
            raise _Cut
        return self._entry(schema, at, (*above, *(reached or ("",))))

    def _is_bytes(self, schema: Any) -> bool:
        """Say whether a file stands there, or a list of files: no charter can send one."""
        try:
            flat = self._reader.flat(schema) if isinstance(schema, dict) else {}
        except UncarriedError:
            return False
        if isinstance(flat.get("items"), dict):
            return self._is_bytes(flat["items"])
        return flat.get("type") == "string" and flat.get("format") == "binary"

    def _is_read_only(self, schema: Any) -> bool:
        try:
            return isinstance(schema, dict) and self._reader.flat(schema).get("readOnly") is True
        except UncarriedError:
            return False


class _Cut(Exception):
    """The place leads back to what it stands in."""


def _maps(schema: dict[str, Any]) -> bool:
    more = schema.get("additionalProperties")
    return isinstance(more, dict) and bool(more)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _references(schema: Any) -> list[str]:
    """Return the definitions that a schema refers to in place."""
    if not isinstance(schema, dict):
        return []
    found = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    for word in ("allOf", "anyOf", "oneOf"):
        for inner in schema.get(word, ()):
            found.extend(_references(inner))
    return found


def _is_plain(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    if _is_scalar(kind) or (kind is None and ("enum" in schema or "const" in schema)):
        return True
    if kind == "array" and isinstance(schema.get("items"), dict):
        items = schema["items"]
        return _is_scalar(items.get("type")) and not {"anyOf", "oneOf", "allOf"} & items.keys()
    return False


def _is_scalar(kind: Any) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return bool(kinds) and all(isinstance(one, str) and one in _SCALARS for one in kinds)


def renamed(value: Any, names: Names | None) -> Any:
    """Return a value of the API in the names of the tool's input."""
    if names is None or (not names.members and names.inside is None):
        return value
    if isinstance(value, dict):
        made = {}
        for key, item in value.items():
            shown, below = names.members.get(key, (key, names.inside))
            made[shown] = renamed(item, below)
        return made
    return [renamed(one, names.inside) for one in value] if isinstance(value, list) else value
