"""fastmcp: one tool call over a mock transport, and the bare client beside it; prints seconds as a JSON line.

Argument: a description with the operation `getCustomer`.
"""

import asyncio
import json
import sys
import time

import httpx2
from fastmcp import FastMCP

ROUNDS, TIMES = 60, 25
ANSWER = json.loads(sys.stdin.read())


async def best(*calls):
    found = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for index, call in enumerate(calls):
            began = time.perf_counter()
            for _ in range(TIMES):
                await call()
            found[index] = min(found[index], (time.perf_counter() - began) / TIMES)
    return found


async def main(description: str) -> None:
    with open(description, encoding="utf-8") as file:
        document = json.load(file)
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, json=ANSWER))
    async with httpx2.AsyncClient(base_url="https://crm.example.test/api", transport=transport) as client:
        server = FastMCP.from_openapi(document, client=client)
        arguments = {"customer_id": "cus_abcd1234"}

        async def bare():
            return (await client.get("/customers/cus_abcd1234")).json()

        async def tool():
            result = await server.call_tool("getCustomer", arguments)
            assert result.structured_content["id"] == "cus_abcd1234"
            return result

        bare_seconds, tool_seconds = await best(bare, tool)
        print(json.dumps({"bare": bare_seconds, "call": tool_seconds}))


asyncio.run(main(sys.argv[1]))
