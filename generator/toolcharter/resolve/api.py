"""What the stage hands on: the tools, each a frozen contract, and where each part of them was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolcharter.charter.schema import Charter
from toolcharter.diagnostics import Origin
from toolcharter.source import Description, Operation
from toolcharter_runtime.frozen import Contract

__all__ = ["ResolvedApi", "ResolvedTool"]


@dataclass(frozen=True, slots=True)
class ResolvedTool:
    """One tool: its contract, and the places it came from."""

    contract: Contract
    origin: Origin
    """Of `tools.<name>` in the charter."""
    operation: Operation
    places: Mapping[str, Origin]
    """Of its parts: `input.amount`, `send.header.X`, `view.name` → where the charter (or the description) says it."""


@dataclass(frozen=True, slots=True)
class ResolvedApi:
    """All tools of one charter over one description, in the order of their names."""

    package: str
    tools: tuple[ResolvedTool, ...]
    charter: Charter
    description: Description

    def tool(self, name: str) -> ResolvedTool | None:
        """Return the tool of that name, or None."""
        return next((tool for tool in self.tools if tool.contract.tool == name), None)
