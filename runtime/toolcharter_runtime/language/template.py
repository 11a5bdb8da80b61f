"""Templates: texts with `{…}`, and what they become (docs/charter.md).

Exactly one brace keeps the value's type; else it joins scalars. `{{` and `}}` are braces. There are no functions,
arithmetic, choice or nesting, and a value is never read as a template again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_map
from toolcharter_runtime.language.errors import LanguageError
from toolcharter_runtime.language.nothing import ABSENT, UNSET, Absent
from toolcharter_runtime.language.place import Json

__all__ = [
    "ROOTS",
    "Reference",
    "Scope",
    "parse_template",
    "references",
    "render",
]

ROOTS: Final = (
    "after",
    "answer",
    "before",
    "credential",
    "cursor",
    "environment",
    "key",
    "marker",
    "records",
    "run",
    "sent_at",
    "version",
    "via",
)
_WHOLE: Final = frozenset(
    {"cursor", "environment", "key", "marker", "records", "sent_at", "version"}
)
_PART: Final = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)
_INPUT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,127}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """What stands between braces; `root` is none for an input.

    `{destination.line1}` → (None, ("destination", "line1")); `{$before.x}` → ("before", ("x",));
    `{$key}` → ("key", ()).
    """

    root: str | None
    path: tuple[str, ...]

    def __str__(self) -> str:
        """Return the reference as it is written between braces."""
        return ".".join(((f"${self.root}",) if self.root else ()) + self.path)


@dataclass(frozen=True, slots=True)
class Scope:
    """The values that templates and conditions may name.

    `arguments` are the tool's inputs. `roots` are the values behind `$`: run ({tenant, agent, person, context}), key,
    marker, version, before, answer, after, via, sent_at, cursor, credential, environment, records.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    roots: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def find(self, reference: Reference) -> Any:
        """Return the value that the reference names, or `ABSENT`."""
        if reference.root is None:
            return _walk(self.arguments, reference.path)
        if reference.root not in self.roots:
            return ABSENT
        return _walk(self.roots[reference.root], reference.path)

    def with_roots(self, **roots: Json) -> Scope:
        """Return a scope in which these roots are added or replaced."""
        return Scope(self.arguments, {**self.roots, **roots})

    def inside(self, element: Mapping[str, Any]) -> Scope:
        """Return the scope of one element of a list input: `{name}` is a field of the element."""
        return Scope(element, self.roots)


@lru_cache(maxsize=4096)
def parse_template(text: str) -> tuple[str | Reference, ...]:
    """Split a template into literal texts (braces resolved, none empty) and references; raise `LanguageError`."""
    parts: list[str | Reference] = []
    literal: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character not in "{}":
            literal.append(character)
            position += 1
        elif text[position : position + 2] == character * 2:
            literal.append(character)
            position += 2
        elif character == "}":
            raise LanguageError("a single `}` stands in a template: write `}}` for a brace")
        else:
            end = text.find("}", position)
            if end < 0:
                raise LanguageError("a `{` in a template is not closed: write `{{` for a brace")
            if literal:
                parts.append("".join(literal))
                literal.clear()
            parts.append(_parse_reference(text[position + 1 : end]))
            position = end + 1
    if literal:
        parts.append("".join(literal))
    return tuple(parts)


def references(template: Any) -> tuple[Reference, ...]:
    """Return all references of strings anywhere inside lists and maps (values, not keys), in order."""
    return tuple(_references(template))


def render(template: Json, scope: Scope) -> Any:
    """Return the JSON value that the template stands for, or `UNSET`.

    One brace keeps the value's type; else scalars are joined (bool as `true` or `false`), and a part without a value
    makes the whole text `UNSET`. In maps and lists an entry that is `UNSET` is left out.
    """
    if isinstance(template, str):
        return _render_text(template, scope)
    if is_map(template):
        rendered = ((key, render(value, scope)) for key, value in template.items())
        return {key: value for key, value in rendered if value is not UNSET}
    if is_list(template):
        items = (render(value, scope) for value in template)
        return [value for value in items if value is not UNSET]
    return template


def _render_text(template: str, scope: Scope) -> Any:
    if "{" not in template and "}" not in template:
        return template
    parts = parse_template(template)
    if len(parts) == 1 and isinstance(parts[0], Reference):
        found = scope.find(parts[0])
        return UNSET if found is ABSENT else found
    joined: list[str] = []
    for part in parts:
        if isinstance(part, str):
            joined.append(part)
            continue
        value = scope.find(part)
        if value is ABSENT or value is None:
            return UNSET
        joined.append(_scalar_text(value, part))
    return "".join(joined)


def _scalar_text(value: Any, reference: Reference) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    raise LanguageError(f"`{{{reference}}}` is a list or a map, which cannot be joined into a text")


def _references(template: Any) -> Iterator[Reference]:
    if isinstance(template, str):
        yield from (part for part in parse_template(template) if isinstance(part, Reference))
    elif is_map(template):
        for value in template.values():
            yield from _references(value)
    elif is_list(template):
        for value in template:
            yield from _references(value)


def _parse_reference(text: str) -> Reference:
    if "{" in text:
        raise LanguageError("a brace stands inside a brace: templates do not nest")
    if not text.startswith("$"):
        path = tuple(text.split("."))
        if not _INPUT.fullmatch(path[0]) or not all(_PART.fullmatch(part) for part in path):
            raise LanguageError(
                f"`{{{text}}}` is not the name of an input, such as {{name}} or {{name.part}}"
            )
        return Reference(None, path)
    root, *rest = text[1:].split(".")
    if root not in ROOTS:
        known = ", ".join("$" + name for name in ROOTS)
        raise LanguageError(f"`${root}` is not a root: known are {known}")
    if not all(_PART.fullmatch(part) for part in rest):
        raise LanguageError(f"`{{{text}}}` has an empty or malformed part")
    _check_arity(root, rest)
    return Reference(root, tuple(rest))


def _check_arity(root: str, rest: list[str]) -> None:
    if root in _WHOLE and rest:
        raise LanguageError(f"`${root}` has no parts")
    if root not in _WHOLE and not rest:
        raise LanguageError(f"`${root}` needs a name: {{${root}.name}}")
    if root == "run":
        stated = len(rest) == 1 and rest[0] in ("tenant", "agent", "person")
        if not stated and not (rest[0] == "context" and len(rest) > 1):
            raise LanguageError(
                "a run has $run.tenant, $run.agent, $run.person and $run.context.NAME"
            )


def _walk(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        if isinstance(value, Absent) or not is_map(value) or part not in value:
            return ABSENT
        value = value[part]
    return value
