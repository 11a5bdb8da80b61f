"""The texts of a tool that a model reads, with the place where each was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcharter.diagnostics import Origin
from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import place
from toolcharter.rules._schemas import as_list, as_map, place_of

__all__ = ["names_read", "texts_read"]

_PROSE = frozenset({"description", "title", "$comment"})
_NAMED = frozenset(
    {"properties", "$defs", "patternProperties", "dependentRequired", "dependentSchemas"}
)


def texts_read(tool: ResolvedTool, api: ResolvedApi) -> Iterator[tuple[str, str, Origin]]:
    """Yield every description that the model reads: what it describes, the text, its place."""
    contract = tool.contract
    origin = place(api.charter, "tools", contract.tool, "description")
    yield "the description", contract.description, origin
    for name in sorted(contract.inputs):
        text = contract.inputs[name].description
        if text:
            yield (
                f"the description of `{name}`",
                text,
                place_of(tool, "input", tuple(name.split("."))),
            )
    for kind, schema in (("input", contract.arguments), ("view", contract.view.result)):
        for path, key, text in _strings(schema, ()):
            if key in _PROSE:
                named = ".".join(path) or "the " + kind
                yield f"the {key} of `{named}`", text, place_of(tool, kind, path)


def names_read(tool: ResolvedTool) -> Iterator[tuple[str, Origin]]:
    """Yield every other string of the schemas that the model reads: names, enum values, defaults, patterns."""
    for kind, schema in (("input", tool.contract.arguments), ("view", tool.contract.view.result)):
        for path, key, text in _strings(schema, ()):
            if key not in _PROSE:
                yield text, place_of(tool, kind, path)


def _strings(
    value: Any, path: tuple[str, ...], key: str = ""
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield (path of property names, keyword, string) for every string and every key in a schema."""
    if isinstance(value, str):
        yield path, key, value
    for item in as_list(value):
        yield from _strings(item, path, key)
    for name, inner in as_map(value).items():
        yield path, "name", name
        if key in _NAMED:
            yield from _strings(inner, (*path, name), "schema")
        else:
            yield from _strings(inner, path, name)
