from __future__ import annotations

from pathlib import Path

from toolcharter_runtime.envelope import Success

from .world import World


def test_story(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call("get_customer", {"customer": "C-1001"})
            print(reply)
            assert isinstance(reply, Success)
            proposal_id = await world.approved(run)
            reply = await run.call("commit_address_change", {"proposal_id": proposal_id})
            print(reply)
            assert isinstance(reply, Success)
            print(await run.call("commit_address_change", {"proposal_id": proposal_id}))
            assert world.crm.ledger == ["customers/C-1001/address-changes"]

    import asyncio

    asyncio.run(story())
