"""A description: its root file and all that is reached from it, normalized as it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from toolcharter.diagnostics import Origin, Staged

from .operation import Operation, OperationKey, Schema, SecurityScheme, SourceFile

__all__ = ["Description", "load_description"]


class Description:
    """One OpenAPI description."""

    version: Literal["2.0", "3.0", "3.1"]
    title: str
    security_schemes: Mapping[str, SecurityScheme]

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Return the files read so far, in the order of their paths."""
        raise NotImplementedError

    def operations(self) -> tuple[OperationKey, ...]:
        """Return every operation, in the order of the description."""
        raise NotImplementedError

    def operation(self, name: str) -> Staged[Operation]:
        """Return the operation of an `operationId`, or of `GET /v1/x`, all its definitions checked."""
        raise NotImplementedError

    def definition(self, name: str) -> Schema:
        """Return the normalized schema behind `#/$defs/<name>`; KeyError for a name never handed out."""
        raise NotImplementedError

    def origin(self, node: Mapping[str, Any] | list[Any]) -> Origin:
        """Return where a node of a schema that was handed out is written; KeyError for any other."""
        raise NotImplementedError


def load_description(path: Path) -> Staged[Description]:
    """Read the root file of a description; other files follow when they are reached."""
    raise NotImplementedError
