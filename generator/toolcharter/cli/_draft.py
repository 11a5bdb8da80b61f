"""The text of a charter to start from: what a description says, and `DECIDE` where only a person can answer."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from toolcharter.rules import names_secret
from toolcharter.source import Description, Operation
from toolcharter.source.document import write_pointer
from toolcharter.source.outline import Leaf, flat, inputs_of, success_of, view_of
from toolcharter.source.shapes import is_array, is_object
from toolcharter.source.writing import plain_or_quoted
from toolcharter.wording import flaws, visible

__all__ = ["draft_charter", "snake_name"]

_MAX_ROWS: Final = 30
_MAX_TEXT: Final = 300
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BOUNDS: Final = (
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
)
_HEAD: Final = """\
# yaml-language-server: $schema=charter-1.schema.json
# Editors complete and check by that file, once it is there: toolcharter schema --out charter-1.schema.json
# Each DECIDE is a question that only a person can answer; nothing is generated while one is left.
# A tool whose effect is write also says: `summary`, the effect in a sentence for the approver; `approval`, a policy;
# `consequences` (payment, external_message, deletion, bulk, credential, deployment, event); `target`, what it changes and
# which version; `idempotency`, how a repeat has one effect; `unknown`, how to ask after a lost answer; `evidence`, what
# proves the effect; `compensation`, the write that makes good, or none and why.
charter: 1
package: {package}
spec: {spec}
ceilings: {{string: 2000, array: 100, result: 32KiB}}   # bounds of last resort; each use is reported
# policies:                                     # who approves the writes
#   team_lead: {{approvers: team_lead, quorum: 1, expires_in: 30m}}
roles:
  agent: {{reads: DECIDE, writes: DECIDE, purposes: [production]}}
tools:
"""


def draft_charter(
    description: Description, operations: Sequence[Operation], *, package: str, spec: str
) -> str:
    """Return the charter; it loads, and fails on every `DECIDE`. No effect is taken from a verb."""
    text = _HEAD.format(package=plain_or_quoted(package), spec=plain_or_quoted(spec))
    taken: set[str] = set()
    for operation in operations:
        name = _unique(snake_name(operation.operation_id or str(operation.key)), taken)
        text += "\n".join(_tool(description, operation, name)) + "\n"
    return text


def snake_name(name: str) -> str:
    """Return a name in lower case and underscores, a letter first, at most 64 characters, no word of Python."""
    words = [part for word in re.findall(r"[A-Za-z0-9]+", name) for part in _HUMP.split(word)]
    joined = "_".join(words).lower() or "unnamed"
    name = (joined if joined[0].isalpha() else f"n_{joined}")[:64].rstrip("_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _unique(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name[:60]}_{number}", number + 1
    taken.add(found)
    return found


def _tool(description: Description, operation: Operation, name: str) -> Iterator[str]:
    called = operation.operation_id or f"{operation.method} {operation.path}"
    yield f"  {name}:"
    yield f"    operation: {plain_or_quoted(called)}   # {_remark(f'{operation.method} {operation.path}')}"
    yield "    effect: DECIDE   # read or write: what the call does, whatever its verb"
    yield f"    description: {_description(operation)}"
    if len(operation.bodies) > 1:
        media = ", ".join(operation.bodies)
        yield f"    media: DECIDE   # {_remark(media)}"
    yield from _inputs(description, operation)
    yield from _send(description, operation)
    yield from _view(description, operation)


def _send(description: Description, operation: Operation) -> Iterator[str]:
    """Yield the headers and cookies that every call needs: constants, the run's, or the boundary's own, and no inputs."""
    required = [
        p for p in operation.parameters if p.required and p.location in ("header", "cookie")
    ]
    if required:
        yield "    send:"
    for parameter in required:
        place = plain_or_quoted(f"{parameter.location}.{parameter.name}")
        schema = flat(description, parameter.schema)
        values = schema.get("enum")
        only = values[0] if is_array(values) and len(values) == 1 else schema.get("const")
        text = plain_or_quoted(only) if isinstance(only, str) else "DECIDE"
        kind = _remark(str(schema.get("type", "any type")))
        yield f"      {place}: {text}   # {kind}: a constant, {{$run…}}, {{$key}} or {{$version}}"


def _description(operation: Operation) -> str:
    for text in (operation.description, operation.summary):
        line = " ".join(text.split()) if text else ""
        if line and len(line) <= _MAX_TEXT and not flaws(line):
            return json.dumps(line, ensure_ascii=not line.isprintable())
    return "DECIDE   # what the tool does, for the model"


def _inputs(description: Description, operation: Operation) -> Iterator[str]:
    leaves = sorted(inputs_of(description, operation), key=lambda leaf: not leaf.required)
    named = list(_named(leaves[:_MAX_ROWS]))
    active = [row for row, leaf in named if leaf.required]
    yield "    input:" if active else "    input: {}"
    yield from (f"      {row}" for row in active)
    optional = [row for row, leaf in named if not leaf.required]
    if optional:
        instead = "" if active else ", in place of {}"
        yield f"      # Optional there; list only what an agent needs{instead}:"
    yield from (f"      # {row}" for row in optional)
    yield from _left(len(leaves) - _MAX_ROWS, "places of the request")


def _named(leaves: Iterable[Leaf]) -> Iterator[tuple[str, Leaf]]:
    taken: set[str] = set()
    for leaf in leaves:
        yield f"{_name(leaf, taken)}: {_input(leaf)}", leaf


def _name(leaf: Leaf, taken: set[str]) -> str:
    short = snake_name(leaf.names[-1])
    return _unique(short if short not in taken else snake_name("_".join(leaf.names)), taken)


def _input(leaf: Leaf) -> str:
    place = plain_or_quoted(leaf.place)
    says = _says(leaf)
    if leaf.kind == "unknown":
        return f"{{to: {place}, type: DECIDE}}   # the description gives no type"
    if leaf.kind == "objects":
        return f"{{to: {place}, each: DECIDE}}   # {says}"
    if leaf.kind == "union":
        answer = "branches" if "x-discriminator" in leaf.schema else "branch"
        return f"{{to: {place}, {answer}: DECIDE}}   # {says}"
    if leaf.kind == "open":
        return f"{{to: {place}, type: DECIDE}}   # an open object: state what it may hold"
    required = ", required: true" if leaf.required and not leaf.place.startswith("path.") else ""
    return f"{{to: {place}{required}}}   # {says}" if required else f"{place}   # {says}"


def _says(leaf: Leaf) -> str:
    """Return the type and bounds of a leaf, for a remark; names and numbers of the description, escaped and cut."""
    schema = leaf.schema
    kind: Any = schema.get("type", "any type")
    words = [" or ".join(kind) if is_array(kind) else str(kind)]
    branches = schema.get("oneOf") or schema.get("anyOf")
    if is_array(branches):
        words = [f"{len(branches)} branches"]
    if is_array(schema.get("enum")):
        words.append("one of " + ", ".join(str(value) for value in schema["enum"][:8]))
    bounds = [f"{key} {_plain(schema[key])}" for key in _BOUNDS if key in schema]
    words.extend(bounds)
    is_bounded = "enum" in schema or "const" in schema or bool(bounds) or kind == "boolean"
    if not is_bounded and leaf.kind != "union":
        words.append("no bound")
    return _remark(", ".join(words))


def _plain(bound: Any) -> Any:
    """Return a bound as a person writes it: a whole number without the fraction that a description may give it."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _view(description: Description, operation: Operation) -> Iterator[str]:
    success = success_of(operation)
    leaves = view_of(description, success[1]) if success else ()
    if not leaves:
        yield "    view: {}   # the description shows no JSON answer"
        return
    rows: list[str] = []
    remarks: list[str] = []
    listed = False
    taken: set[str] = set()
    for leaf in leaves[:_MAX_ROWS]:
        name = _name(leaf, taken)
        if names_secret(leaf.place):
            remarks.append(
                f"# {name}: {plain_or_quoted(leaf.place)}   # left out: named like a secret"
            )
        elif leaf.kind == "scalar":
            rows.append(f"{name}: {plain_or_quoted(leaf.place)}   # {_says(leaf)}")
        elif leaf.kind in {"list", "objects"} and not listed and leaf.required:
            rows.append(_list_view(description, leaf, name))
            listed = True
        elif leaf.kind == "objects":
            remarks.append(f"# {_list_view(description, leaf, name)}   # a list: state `page`, too")
        else:
            remarks.append(
                f"# {name}: {plain_or_quoted(leaf.place)}   # {leaf.kind}: {_says(leaf)}"
            )
    yield "    view:" if rows else "    view: DECIDE"
    yield from (f"      {row}" for row in rows)
    yield from (f"      {remark}" for remark in remarks)
    yield from _left(len(leaves) - _MAX_ROWS, "places of the answer")
    if listed:
        yield "    page: DECIDE   # {next, to, until, size}: how the next page is asked for; no such line where the answer is whole"


def _list_view(description: Description, leaf: Leaf, name: str) -> str:
    items = leaf.schema.get("items")
    item = flat(description, items) if is_object(items) else {}
    scalars = [
        key
        for key, member in item.get("properties", {}).items()
        if isinstance(flat(description, member).get("type"), str)
        and flat(description, member)["type"] not in {"object", "array"}
        and not names_secret(key)
    ]
    taken: set[str] = set()
    pairs = ", ".join(
        f"{_unique(snake_name(key), taken)}: {plain_or_quoted(write_pointer((key,)))}"
        for key in scalars[:12]
    )
    if not pairs:
        return f"{name}: {{at: {plain_or_quoted(leaf.place)}}}"
    return f"{name}: {{at: {plain_or_quoted(leaf.place)}, each: {{{pairs}}}}}"


def _left(count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"      # … and {count} more {what}"


def _remark(text: str) -> str:
    """Return a text that can stand behind `#`: one line, nothing unseen, cut."""
    return visible(text, 120)
