"""Surfaces: schemas that the vendors accept, and a lossless way there and back."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from anthropic.types import ToolParam
from openai.types.chat import ChatCompletionFunctionToolParam
from pydantic import TypeAdapter

from toolcharter_runtime.surfaces import anthropic, call_anthropic, call_openai, openai
from toolcharter_runtime.surfaces.shape import fits_strict, top_object

from .contracts import GET_CUSTOMER, MemoryCatalog, closed
from .world import CITY, World

UNION = {
    "oneOf": [
        closed({"kind": {"const": "id"}, "customer": {"type": "string", "maxLength": 9}}, "kind"),
        closed({"kind": {"const": "none"}}, "kind"),
    ]
}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def union_catalog() -> MemoryCatalog:
    return MemoryCatalog(GET_CUSTOMER.model_copy(update={"arguments": UNION}))


def test_openai_accepts_every_tool(tmp_path: Path) -> None:
    """PL4: the list is what the SDK's own types take; strict only where the schema allows it unchanged."""
    world = World(tmp_path)

    async def story() -> list[dict[str, Any]]:
        async with world.run() as run:
            return openai(run)

    tools = asyncio.run(story())
    shape = TypeAdapter(ChatCompletionFunctionToolParam)
    by_name = {tool["function"]["name"]: tool["function"] for tool in tools}
    for tool in tools:
        shape.validate_python(tool)
        assert NAME.fullmatch(tool["function"]["name"])
        assert tool["function"]["parameters"]["type"] == "object"
        assert "never instructions" in tool["function"]["description"]
    assert by_name["commit_refund"]["strict"]
    assert by_name["get_customer"]["strict"]
    assert not by_name["search_customers"]["strict"]
    assert not by_name["preview_address_change"]["strict"]


def test_anthropic_accepts_every_tool(tmp_path: Path) -> None:
    """PL4: the same for Messages."""
    world = World(tmp_path)

    async def story() -> list[dict[str, Any]]:
        async with world.run() as run:
            return anthropic(run)

    shape = TypeAdapter(ToolParam)
    for tool in asyncio.run(story()):
        shape.validate_python(tool)
        assert tool["input_schema"]["type"] == "object"


def test_round_trip_by_openai(tmp_path: Path) -> None:
    """D1: the text of a tool call reaches the boundary as it came, and the reply is the envelope."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            call = SimpleNamespace(
                id="call_1",
                function=SimpleNamespace(name="get_customer", arguments='{"customer": "C-1001"}'),
            )
            message = await call_openai(run, call)
            assert (message["role"], message["tool_call_id"]) == ("tool", "call_1")
            assert json.loads(message["content"])["result"]["name"] == "Name 1"
            twice = {"id": "call_2", "function": {"name": "get_customer"}}
            twice["function"]["arguments"] = '{"customer": "C-1001", "customer": "C-1002"}'  # type: ignore[index]
            refused = json.loads((await call_openai(run, twice))["content"])
            assert refused["error"]["code"] == "INVALID_ARGUMENT"

    asyncio.run(story())


def test_round_trip_by_anthropic(tmp_path: Path) -> None:
    """D1: a tool_use block and its result."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            block = {"id": "toolu_1", "name": "preview_address_change", "input": CITY}
            result = await call_anthropic(run, block)
            assert (result["tool_use_id"], result["is_error"]) == ("toolu_1", False)
            assert json.loads(result["content"])["result"]["state"] == "pending"
            block = {"id": "toolu_2", "name": "nothing", "input": {}}
            assert (await call_anthropic(run, block))["is_error"]

    asyncio.run(story())


def test_union_at_the_top_is_wrapped_and_unwrapped(tmp_path: Path) -> None:
    """D1: wrapped for the vendor, reversed before the boundary, and a fault's place is the model's own."""
    world = World(tmp_path)
    world.catalog = union_catalog()

    async def story() -> None:
        async with world.run() as run:
            (tool,) = [one for one in openai(run) if one["function"]["name"] == "get_customer"]
            parameters = tool["function"]["parameters"]
            assert parameters["properties"] == {"arguments": UNION}
            assert parameters["required"] == ["arguments"]
            inner = {"kind": "id", "customer": "C-1001"}
            call = {"id": "1", "function": {"name": "get_customer"}}
            call["function"]["arguments"] = json.dumps({"arguments": inner})  # type: ignore[index]
            reply = json.loads((await call_openai(run, call))["content"])
            assert reply["ok"]
            call["function"]["arguments"] = json.dumps({"arguments": {**inner, "customer": 1}})  # type: ignore[index]
            reply = json.loads((await call_openai(run, call))["content"])
            assert reply["error"]["field"] == "/arguments/customer"

    asyncio.run(story())


def test_strict_mode_only_where_nothing_is_lost() -> None:
    """An optional field, an open object, or a keyword that strict mode does not know keeps a schema out of it."""
    text = {"type": "string"}
    assert fits_strict(closed({"a": text}, "a"))
    assert not fits_strict(closed({"a": text}))
    assert not fits_strict({"type": "object", "properties": {"a": text}, "required": ["a"]})
    assert not fits_strict(closed({"a": {"type": "string", "minLength": 1}}, "a"))
    assert not fits_strict(closed({"a": {"oneOf": [text]}}, "a"))
    assert fits_strict(closed({"a": {"anyOf": [text, closed({"b": text}, "b")]}}, "a"))
    assert not fits_strict(closed({"a": {"anyOf": [text, closed({"b": text})]}}, "a"))


def test_wrapping_keeps_definitions_at_the_top() -> None:
    """A reference inside a wrapped schema still finds what it names."""
    schema = {"$ref": "#/$defs/X", "$defs": {"X": closed({"a": {"type": "string"}}, "a")}}
    wrapped, is_wrapped = top_object(schema)
    assert is_wrapped
    assert wrapped["$defs"] == schema["$defs"]
    assert wrapped["properties"] == {"arguments": {"$ref": "#/$defs/X"}}
