"""What `$id`, `$anchor`, `$dynamicAnchor` and `$self` name inside one file: URIs and anchors of JSON Schema 2020-12."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urljoin

from .document import Document, Step
from .shapes import is_array, is_object, members_of

__all__ = ["Resources", "base_of", "find_resources", "home_uri"]

Steps: TypeAlias = tuple[Step, ...]
_NAMES: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties", "schemas"}
)
"""Members whose own members are schemas, whatever their names are."""
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples", "mapping"})
"""Members that hold values and no schemas."""


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources and anchors of one file; what is named twice has several places."""

    resources: dict[str, list[Steps]] = field(default_factory=dict[str, list[Steps]])
    anchors: dict[tuple[str, str], list[Steps]] = field(
        default_factory=dict[tuple[str, str], list[Steps]]
    )
    """By the URI of the resource, and name."""
    dynamic: dict[str, int] = field(default_factory=dict[str, int])
    """How many schemas have a dynamic anchor of that name."""


def home_uri(document: Document, path: str) -> str:
    """Return the URI of a file at that path of the folder: `$self` if it says so, else one that no network knows."""
    home = f"file:///{quote(path)}"
    own = document.value.get("$self")
    return urljoin(home, own) if isinstance(own, str) else home


def base_of(document: Document, steps: Steps, home: str) -> tuple[str, Steps]:
    """Return the URI and the root of the resource that a part belongs to."""
    uri = home
    root: Steps = ()
    value: Any = document.value
    for depth in range(len(steps) + 1):
        identity = value.get("$id") if is_object(value) else None
        if isinstance(identity, str):
            uri, root = _joined(uri, identity), steps[:depth]
        if depth < len(steps):
            value = members_of(value).get(steps[depth])
    return uri, root


def find_resources(document: Document, home: str) -> Resources:
    """Return all that is named in a file, in one walk over it."""
    found = Resources()
    if "$self" in document.value:
        found.resources[home] = [()]
    waiting: list[tuple[Any, Steps, str, bool]] = [(document.value, (), home, False)]
    while waiting:
        value, steps, uri, has_names = waiting.pop()
        if is_object(value) and not has_names:
            uri = _note(found, value, steps, uri)
        waiting.extend(
            (child, (*steps, step), uri, is_names)
            for step, child, is_names in _children(value, has_names)
        )
    return found


def _children(value: Any, has_names: bool) -> Iterator[tuple[Step, Any, bool]]:
    for step, child in members_of(value).items():
        if is_array(child) or is_object(child):
            is_name = has_names or is_array(value)
            if is_name or step not in _VALUES:
                yield step, child, not is_name and step in _NAMES


def _note(found: Resources, schema: dict[str, Any], steps: Steps, uri: str) -> str:
    identity = schema.get("$id")
    if isinstance(identity, str):
        uri = _joined(uri, identity)
        found.resources.setdefault(uri, []).append(steps)
    for keyword in ("$anchor", "$dynamicAnchor"):
        name = schema.get(keyword)
        if isinstance(name, str):
            found.anchors.setdefault((uri, name), []).append(steps)
            if keyword == "$dynamicAnchor":
                found.dynamic[name] = found.dynamic.get(name, 0) + 1
    return uri


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference).partition("#")[0]
    except ValueError:
        return base
