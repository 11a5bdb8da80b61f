"""The bases of a generated package's models: what a tool takes and what it returns.

The frozen contract's schema is the law; these models are how Python code writes and reads the same values with types.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

__all__ = ["ToolArguments", "ToolResult"]


class _Payload(BaseModel):
    """Closed, strict, frozen; built when first used, so that importing a large package stays cheap."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        hide_input_in_errors=True,
        protected_namespaces=(),  # a property called `model_dump` is a field `model_dump_`
    )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Return the model of a JSON object that the frozen schema has accepted; texts become dates where typed so."""
        return cls.model_validate_json(json.dumps(value))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object: a field that was never set is absent, one set to None is null (C3)."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class ToolArguments(_Payload):
    """Base of the arguments of a tool."""


class ToolResult(_Payload):
    """Base of the result of a tool."""
