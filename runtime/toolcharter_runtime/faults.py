"""Where a refused value is wrong, and how to mend it, without saying any of its values (R4).

The place is the fault's own: of a missing field its pointer, of an unknown one `<unknown>` in its parent, and inside a
tagged union the wrong property, as the branch sees it that the tag selects.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from toolcharter_runtime.jsonvalue import is_list, is_map
from toolcharter_runtime.language import pointer_of
from toolcharter_runtime.reasons import TYPES, literal_of, one_of, reason_of
from toolcharter_runtime.strict import Rejected, echo

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

__all__ = ["UNKNOWN", "beside", "elements", "find_fault", "known_pointer"]

UNKNOWN: Final = "<unknown>"
_MAX_FAULTS: Final = 50


@dataclass(frozen=True, slots=True)
class _Fault:
    rank: int
    path: tuple[str | int, ...]
    reason: str


def find_fault(errors: Iterable[ValidationError], schema: Mapping[str, Any]) -> Rejected:
    """Return the refusal for the first fault: unknown fields before missing ones before wrong ones."""
    found: list[_Fault] = []
    for error in errors:
        found.extend(_faults(error, schema))
        if len(found) >= _MAX_FAULTS:
            break
    if not found:
        return Rejected("", "not valid")
    first = min(found, key=lambda fault: fault.rank)
    return Rejected(known_pointer(first.path, schema), first.reason)


def known_pointer(path: Sequence[str | int], schema: Mapping[str, Any]) -> str:
    """Return the JSON Pointer of a path; names that the schema does not declare become `<unknown>`."""
    nodes = [schema]
    shown: list[str | int] = []
    for token in path:
        nodes = [inner for node in nodes for inner in beside(node, schema)]
        if isinstance(token, int):
            shown.append(token)
            nodes = [inner for node in nodes for inner in elements(node, token)]
            continue
        declared = [
            node["properties"][token] for node in nodes if token in node.get("properties", ())
        ]
        shown.append(token if declared or token == UNKNOWN else UNKNOWN)
        open_values = [
            inner
            for node in nodes
            for inner in (
                node.get("additionalProperties"),
                *node.get("patternProperties", {}).values(),
            )
        ]
        nodes = [node for node in declared or open_values if is_map(node)]
    return pointer_of(*shown)


def _faults(error: ValidationError, schema: Mapping[str, Any]) -> Iterator[_Fault]:
    kind = type(error.kind).__name__
    path = tuple(error.instance_path)
    if kind in ("OneOfNotValid", "AnyOf"):
        yield from _union_faults(path, list(getattr(error.kind, "context", [])), schema)
    elif kind in ("AdditionalProperties", "UnevaluatedProperties"):
        for name in getattr(error.kind, "unexpected", []):
            fault = _unexpected(name, path, schema)
            is_late = kind == "UnevaluatedProperties" and fault.path[-1] != UNKNOWN
            yield (
                _Fault(3, fault.path, fault.reason) if is_late else fault
            )  # its own fault says more
    elif kind == "FalseSchema" and error.schema_path[-1:] == ["additionalProperties"]:
        yield _Fault(0, (*path, UNKNOWN), "unknown field; none is allowed here")
    elif kind == "Required":
        yield _Fault(1, (*path, str(getattr(error.kind, "property", ""))), "is required")
    elif kind == "PropertyNames":
        why = getattr(error.kind, "error", None)
        reason = f": it {reason_of(why.kind, schema)}" if why is not None else ""
        yield _Fault(0, (*path, UNKNOWN), f"a field has a name that is not allowed{reason}")
    else:
        yield _Fault(2, path, reason_of(error.kind, schema))


def _union_faults(
    path: tuple[str | int, ...], branches: list[list[ValidationError]], schema: Mapping[str, Any]
) -> Iterator[_Fault]:
    fitting = [branch for branch in branches if not _has_kind(branch, "Type", path)]
    if not fitting:
        types = [name for branch in branches for name in _types(branch, path)]
        yield _Fault(2, path, f"must be {one_of(TYPES.get(name, name) for name in types)}")
        return
    selected = [branch for branch in fitting if not _tag_faults(branch, path)]
    if not selected:
        tags = [tag for branch in fitting for tag in _tag_faults(branch, path)]
        place = tuple(tags[0].instance_path)
        values = (literal_of(getattr(tag.kind, "expected_value", None)) for tag in tags)
        yield _Fault(2, place, f"must be {one_of(values)}")
        return
    if len(selected) > 1:
        missing = _missing_in_all(selected, path)
        if missing:
            yield _Fault(1, (*path, missing), "is required")
            return
        groups = [_only_missing(branch, path) for branch in selected]
        if all(groups):
            wanted = one_of(" with ".join(f"`{name}`" for name in group) for group in groups)
            yield _Fault(1, path, f"must have {wanted}")
            return
    best = min(selected, key=lambda branch: (_strangers(branch, path), len(branch)))
    if not best:
        yield _Fault(2, path, "fits more than one of the alternatives")
    for error in best:
        yield from _faults(error, schema)


def _has_kind(branch: list[ValidationError], kind: str, path: tuple[str | int, ...]) -> bool:
    return any(
        type(item.kind).__name__ == kind and tuple(item.instance_path) == path for item in branch
    )


def _types(branch: list[ValidationError], path: tuple[str | int, ...]) -> list[str]:
    names: list[str] = []
    for item in branch:
        if type(item.kind).__name__ == "Type" and tuple(item.instance_path) == path:
            names.extend(getattr(item.kind, "types", []))
    return names


def _tag_faults(
    branch: list[ValidationError], path: tuple[str | int, ...]
) -> list[ValidationError]:
    """The errors that say: this branch is for another tag."""
    return [
        item
        for item in branch
        if type(item.kind).__name__ == "Constant"
        and len(item.instance_path) == len(path) + 1
        and tuple(item.instance_path[:-1]) == path
    ]


def _missing_in_all(
    branches: list[list[ValidationError]], path: tuple[str | int, ...]
) -> str | None:
    """The property that every branch misses: the tag, where there is one."""
    missing = [
        [
            str(getattr(item.kind, "property", ""))
            for item in branch
            if type(item.kind).__name__ == "Required" and tuple(item.instance_path) == path
        ]
        for branch in branches
    ]
    common = [name for name in missing[0] if all(name in names for names in missing[1:])]
    return common[0] if common else None


def _only_missing(branch: list[ValidationError], path: tuple[str | int, ...]) -> list[str]:
    """The fields that a branch misses, where it misses nothing else."""
    here = all(
        type(item.kind).__name__ == "Required" and tuple(item.instance_path) == path
        for item in branch
    )
    return [str(getattr(item.kind, "property", "")) for item in branch] if here else []


def _strangers(branch: list[ValidationError], path: tuple[str | int, ...]) -> int:
    """How many fields a branch does not know: the one that knows most is the one that was meant."""
    return sum(
        len(getattr(item.kind, "unexpected", ()))
        for item in branch
        if tuple(item.instance_path) == path
    )


def _unexpected(name: str, path: tuple[str | int, ...], schema: Mapping[str, Any]) -> _Fault:
    """A field that is not known here; one of another alternative is named, for the contract declares it."""
    declared = _declared(path, schema)
    if name in declared:
        return _Fault(0, (*path, name), "belongs to another alternative")
    near = difflib.get_close_matches(name, declared, n=1, cutoff=0.7)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return _Fault(0, (*path, UNKNOWN), f"unknown field `{echo(name)}`{hint}")


def _declared(path: tuple[str | int, ...], schema: Mapping[str, Any]) -> list[str]:
    nodes = list(beside(schema, schema))
    for token in path:
        if isinstance(token, int):
            nodes = [item for node in nodes for item in elements(node, token)]
        else:
            nodes = [
                node["properties"][token] for node in nodes if token in node.get("properties", ())
            ]
        nodes = [inner for node in nodes for inner in beside(node, schema)]
    return [name for node in nodes for name in node.get("properties", ())]


def beside(node: Any, schema: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the node and all beside it: what it refers to, the members of allOf, anyOf and oneOf, and both ends of an `if`."""
    if not is_map(node) or depth > 16:
        return
    yield node
    reference = node.get("$ref")
    if isinstance(reference, str):
        yield from beside(_referred(reference, schema), schema, depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for member in node.get(keyword, ()):
            yield from beside(member, schema, depth + 1)
    for keyword in ("then", "else"):
        yield from beside(node.get(keyword), schema, depth + 1)


def _referred(reference: str, schema: Any) -> Any:
    """What a reference inside of the schema names, or None."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    found = schema
    for token in reference.split("/")[1:]:
        name = unquote(token).replace("~1", "/").replace("~0", "~")
        if is_list(found):
            found = found[int(name)] if name.isdigit() and int(name) < len(found) else None
        else:
            found = found.get(name) if is_map(found) else None
    return found


def elements(node: Mapping[str, Any], index: int) -> Iterator[Mapping[str, Any]]:
    """Yield the schema of a list's element."""
    prefix = node.get("prefixItems", ())
    element = prefix[index] if index < len(prefix) else node.get("items")
    if is_map(element):
        yield element
