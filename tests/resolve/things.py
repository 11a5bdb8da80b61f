"""A description of one body and a charter with one tool over it, for tests of what may be sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolcharter.charter import load_charter
from toolcharter.diagnostics import Staged
from toolcharter.resolve import ResolvedApi, resolve_api
from toolcharter.source import load_description
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.language import Scope
from toolcharter_runtime.upstream.request import build_request

__all__ = ["contract_of", "resolved", "resolved_body", "sent"]

COMPONENTS = """
    Card: {type: object, required: [number], properties: {number: {type: string, pattern: "^[0-9]{4}$"}}}
    Cash: {type: object, required: [given], properties: {given: {type: integer, minimum: 0}, note: {type: string, maxLength: 5}}}
    Tree: {type: object, required: [name], properties: {name: {type: string, maxLength: 3}, children: {type: array, maxItems: 2, items: {$ref: "#/components/schemas/Tree"}}}}
    Base: {type: object, required: [shape], discriminator: {propertyName: shape, mapping: {s: "#/components/schemas/Square", c: "#/components/schemas/Circle"}}, properties: {shape: {type: string}, area: {type: integer}}}
    Square: {allOf: [{$ref: "#/components/schemas/Base"}, {type: object, required: [side], properties: {side: {type: integer}}}]}
    Circle: {allOf: [{$ref: "#/components/schemas/Base"}, {type: object, required: [radius], properties: {radius: {type: integer}}}]}
    Cat: {type: object, required: [kind, lives], properties: {kind: {const: cat}, lives: {type: integer}}}
    Dog: {type: object, required: [kind], properties: {kind: {const: dog}, tricks: {type: array, maxItems: 3, items: {type: object, required: [max-size], properties: {max-size: {type: integer}, other: {type: string}}}}}}
"""


def resolved(folder: Path, schema: str, spec: str, *, whole: bool = False) -> Staged[ResolvedApi]:
    """Resolve one input `it` over a property of the body, or over the whole."""
    body = schema if whole else f"{{type: object, properties: {{it: {schema}}}}}"
    return resolved_body(folder, body, f"{{it: {spec}}}")


def resolved_body(
    folder: Path, body: str, inputs: str, send: str = "{}", *, required: bool = True
) -> Staged[ResolvedApi]:
    """Resolve a read tool with inputs over a body."""
    (folder / "openapi.yaml").write_text(
        f"""openapi: 3.1.0
info: {{title: T, version: "1"}}
paths:
  /things:
    post:
      operationId: addThing
      requestBody: {{required: {str(required).lower()}, content: {{application/json: {{schema: {body}}}}}}}
      responses: {{"200": {{description: ok, content: {{application/json: {{schema: {{type: object, properties: {{id: {{type: string, maxLength: 9}}}}}}}}}}}}}}
components:
  schemas:{COMPONENTS}""",
        encoding="utf-8",
    )
    (folder / "charter.yaml").write_text(
        f"""charter: 1
package: thing_tools
spec: openapi.yaml
ceilings: {{string: 20, array: 4, result: 4KiB}}
tools:
  find_thing:
    operation: addThing
    effect: read
    input: {inputs}
    send: {send}
    view: {{thing: /id}}
""",
        encoding="utf-8",
    )
    charter = load_charter(folder / "charter.yaml", root=folder)
    assert charter.diagnostics == ()
    assert charter.value is not None
    description = load_description(folder / "openapi.yaml")
    assert description.value is not None, description.diagnostics
    return resolve_api(description.value, charter.value)


def contract_of(staged: Staged[ResolvedApi]) -> Contract:
    """Return the tool's contract; no error may be found."""
    assert [d for d in staged.diagnostics if d.severity == "error"] == []
    assert staged.value is not None
    tool = staged.value.tool("find_thing")
    assert tool is not None
    return tool.contract


def sent(contract: Contract, arguments: dict[str, Any]) -> Any:
    """Return the body that the arguments become."""
    body = build_request(contract.request, Scope(arguments)).body
    return None if body is None else json.loads(body)
