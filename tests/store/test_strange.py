"""What a store is asked for, or holds, that no store could have kept: a coded error, and never its value (P6, R4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

import pytest

from tests.store.build import Scene, approved, cause, proposal
from toolcharter_runtime.store import Store, StoreError

CANARY = "Canary\ud800"
ASKED: list[Callable[[Store], Awaitable[Any]]] = [
    lambda store: store.load_proposal("acme", CANARY),
    lambda store: store.load_commit(CANARY, "prop_1"),
    lambda store: store.load_run("acme", CANARY),
    lambda store: store.load_execution("acme", CANARY),
    lambda store: store.audit_of("acme", CANARY),
    lambda store: store.add_proposal(proposal(key=CANARY), cause()),
    lambda store: store.append_audit(cause(), "call.refused", note=CANARY),
]


@pytest.mark.parametrize("ask", ASKED)
def test_a_text_that_is_not_unicode(scene: Scene, ask: Callable[[Store], Awaitable[Any]]) -> None:
    """R4: STORE_TEXT, without the text; the store goes on."""

    async def case(store: Store) -> None:
        with pytest.raises(StoreError) as caught:
            await ask(store)
        assert caught.value.code == "STORE_TEXT"
        assert "Canary" not in str(caught.value)
        assert caught.value.__suppress_context__
        assert (await approved(store)).state == "approved"

    scene.play(case)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_bytes_that_are_no_proposal(scene: Scene, content: bytes) -> None:
    """P6: STORE_CHANGED, whoever asks."""

    async def case(store: Store) -> None:
        row = await approved(store)
        with closing(sqlite3.connect(scene.path)) as connection, connection:
            connection.execute("UPDATE proposal_texts SET canonical = ?", (content,))
        connection.close()
        name = row.proposal.proposal_id
        for ask in (
            lambda: store.load_proposal("acme", name),
            lambda: store.load_commit("acme", name),
            lambda: store.proposals("acme", "approved"),
        ):
            with pytest.raises(StoreError) as caught:
                await ask()
            assert caught.value.code == "STORE_CHANGED"

    scene.play(case)
