"""Anthropic-style tool use: tool lists for Messages, and its `tool_use` blocks carried back."""

from __future__ import annotations

from typing import Any

from toolcharter_runtime.values import as_map

from .shape import CallableRun, carry, describe, fits_strict, top_object

__all__ = ["anthropic", "call_anthropic"]


def anthropic(run: CallableRun) -> list[dict[str, Any]]:
    """Return the run's tools as `tools=` of a message; `strict` where the schema allows it unchanged."""
    tools: list[dict[str, Any]] = []
    for tool in run.tools():
        schema, _ = top_object(tool.parameters)
        shape = {"name": tool.name, "description": describe(tool), "input_schema": schema}
        tools.append({**shape, "strict": True} if fits_strict(schema) else shape)
    return tools


async def call_anthropic(run: CallableRun, tool_use: Any) -> dict[str, Any]:
    """Carry one `tool_use` block to the boundary; return the `tool_result` block that answers it."""
    content, is_ok = await carry(run, _member(tool_use, "name"), _member(tool_use, "input"))
    return {
        "type": "tool_result",
        "tool_use_id": _member(tool_use, "id"),
        "content": content,
        "is_error": not is_ok,
    }


def _member(value: Any, name: str) -> Any:
    members = as_map(value)
    return getattr(value, name) if members is None else members[name]
