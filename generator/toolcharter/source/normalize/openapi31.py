"""OpenAPI 3.1's schemas are JSON Schema 2020-12 but for `example`; what only 3.0 knew has no meaning there."""

from __future__ import annotations

from toolcharter.source.document import Anchor
from toolcharter.source.operation import Schema
from toolcharter.source.reading import Reading
from toolcharter.source.shapes import is_array

from .openapi30 import lift_example, lift_tuple

__all__ = ["lift"]


def lift(schema: Schema, anchor: Anchor, reading: Reading) -> Schema:
    """Return the schema with `example` lifted and keywords of 3.0 gone, with a warning."""
    lift_example(schema)
    if is_array(schema.get("items")):
        hint = "write `prefixItems`, and `items` for what follows"
        message = (
            "A list of `items` has no meaning in JSON Schema 2020-12; it is read as `prefixItems`"
        )
        reading.report("TC705", message, anchor / "items", hint, "warning")
        lift_tuple(schema)
    if "nullable" in schema:
        hint = 'write `type: [<the type>, "null"]`'
        message = "`nullable` has no meaning in OpenAPI 3.1"
        reading.report("TC705", message, anchor / "nullable", hint, "warning")
        del schema["nullable"]
    return schema
