"""fastmcp: `from_openapi` and the first tool listing, in one cold process; prints a JSON line.

Arguments: description, and a file of operationIds (one a line) or `-` for all.
"""

import asyncio
import json
import sys

import httpx2
from fastmcp import FastMCP
from fastmcp.server.providers.openapi import MCPType


async def main(description: str, wanted: str) -> None:
    with open(description, encoding="utf-8") as file:
        document = json.load(file)
    keep = None if wanted == "-" else set(open(wanted, encoding="utf-8").read().split())

    def choose(route, kind):  # noqa: ANN001, ANN202 - the peer's callback
        return MCPType.TOOL if keep is None or route.operation_id in keep else MCPType.EXCLUDE

    client = httpx2.AsyncClient(base_url="https://api.example.test")
    server = FastMCP.from_openapi(document, client=client, route_map_fn=choose)
    tools = await server.list_tools()
    size = sum(
        len(json.dumps(tool.to_mcp_tool().model_dump(mode="json", exclude_none=True, by_alias=True)))
        for tool in tools
        if keep is not None
    )
    print(json.dumps({"tools": len(tools), "bytes": size}))


asyncio.run(main(sys.argv[1], sys.argv[2]))
