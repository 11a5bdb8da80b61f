"""A schema of the description that stands alone: what it refers to lies inside, under `$defs`."""

from __future__ import annotations

from .definitions import with_definitions
from .merging import JsonSchema
from .schemas import SchemaReader

__all__ = ["standalone"]


def standalone(reader: SchemaReader, schema: JsonSchema) -> JsonSchema:
    """Return the schema without annotations, with the definitions that it reaches; recursion stays recursion."""
    return with_definitions(reader.flat(schema), reader.definition)
