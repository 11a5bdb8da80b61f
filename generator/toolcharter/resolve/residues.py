"""What a closed shape does not say of its values: keywords of the description that stand beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .case import Case
from .findings import UncarriedError
from .merging import JsonSchema
from .standalone import standalone

__all__ = ["BESIDE", "beside", "joined"]

BESIDE: Final = (
    "allOf",
    "const",
    "enum",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
"""Keywords that no closed shape takes over by itself."""


def beside(case: Case, branch: JsonSchema, renamed: Mapping[str, str]) -> JsonSchema | None:
    """Return what must hold beside the closed shape of one branch; raises `UncarriedError`."""
    kept: JsonSchema = {key: branch[key] for key in BESIDE if key in branch}
    if not kept:
        return None
    if renamed:
        keyword = next(iter(kept))
        reason = f"`{keyword}` of the description names properties that are inputs of other names"
        names = ", ".join(sorted(renamed))
        raise UncarriedError(keyword, reason, f"name the inputs as the API does: {names}")
    return standalone(case.api.reader, kept)


def joined(schema: JsonSchema, rest: JsonSchema | None) -> JsonSchema:
    """Return the schema with one more that must hold beside it."""
    return schema if rest is None else {**schema, "allOf": [*schema.get("allOf", ()), rest]}
