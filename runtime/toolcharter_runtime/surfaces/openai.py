"""OpenAI-style function calling: tool lists for Chat Completions, and its tool calls carried back."""

from __future__ import annotations

from typing import Any

from toolcharter_runtime.values import as_map

from .shape import CallableRun, carry, describe, fits_strict, top_object

__all__ = ["call_openai", "openai"]


def openai(run: CallableRun) -> list[dict[str, Any]]:
    """Return the run's tools as `tools=` of a chat completion; strict where the schema allows it unchanged."""
    return [_function(tool) for tool in run.tools()]


def _function(tool: Any) -> dict[str, Any]:
    parameters, _ = top_object(tool.parameters)
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": describe(tool),
            "parameters": parameters,
            "strict": fits_strict(parameters),
        },
    }


async def call_openai(run: CallableRun, tool_call: Any) -> dict[str, Any]:
    """Carry one tool call of a reply to the boundary; return the message of role `tool` that answers it.

    `tool_call` is the SDK's object or its JSON: `{id, function: {name, arguments}}`, arguments as the text it came in.
    """
    function = _member(tool_call, "function")
    content, _ = await carry(run, _member(function, "name"), _member(function, "arguments"))
    return {"role": "tool", "tool_call_id": _member(tool_call, "id"), "content": content}


def _member(value: Any, name: str) -> Any:
    members = as_map(value)
    return getattr(value, name) if members is None else members[name]
