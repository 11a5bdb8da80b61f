"""What may become of a proposal before anybody commits it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.store.build import START, Scene, approved, cause, current, decision, proposal, sent
from toolcharter_runtime.canonical import digest_of_bytes
from toolcharter_runtime.records import PROPOSAL_DOMAIN, Refused, mint_id, seal
from toolcharter_runtime.store import Store


def test_a_stored_proposal_is_the_one_that_was_made(scene: Scene) -> None:
    """P2, P3, C4: content comes back from the canonical bytes, and the digest is theirs."""
    made = proposal()
    row = scene.play(lambda store: store.add_proposal(made, cause()))
    found = scene.play(lambda store: store.load_proposal("acme", made.proposal_id))
    assert found is not None
    assert found.proposal == made
    assert found.state == "pending"
    assert found.sha256 == row.sha256 == seal(made)[1]
    assert digest_of_bytes(PROPOSAL_DOMAIN, found.canonical) == found.sha256


@pytest.mark.parametrize(
    "change",
    [
        {"arguments": {"customer_id": "C-1842", "street": "Elm Street 2"}},
        {"injected": {"version": 18}},
        {"target": {"type": "customer", "id": "C-1843", "version": 17, "check": "atomic"}},
        {"upstream": {"name": "crm", "origin": "https://crm.test", "environment": "production"}},
        {"policy_rows": ()},
        {"effect": "Change something else"},
        {"difference": {}},
        {"request_digest": "sha256:f1"},
        {"expires_at": START + timedelta(minutes=31)},
        {"agent": "other"},
        {"person": None},
        {"run_id": "run_2"},
        {"tenant": "globex"},
        {"tool": "address_change.v2"},
        {"contract_digest": "sha256:c1"},
        {"proposal_id": "prop_2"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_digest_covers_it(change: dict[str, Any]) -> None:
    """C4: a change of anything in the list is another digest."""
    same: dict[str, Any] = {"proposal_id": "prop_1", "key": "k", "root_request_id": "rq_1"}
    assert seal(proposal(**same))[1] != seal(proposal(**{**same, **change}))[1]


def test_ids_are_random_and_long() -> None:
    """P2: at least 128 bits, derived from nothing."""
    ids = {mint_id("prop") for _ in range(500)}
    assert len(ids) == 500
    assert {len(bytes.fromhex(name.removeprefix("prop_"))) * 8 for name in ids} == {128}


def test_an_approval_is_recorded(scene: Scene) -> None:
    """P7: who, how, which digest, until when, at the store's time."""

    async def case(store: Store) -> None:
        row = await approved(store)
        assert (row.state, row.approvals) == ("approved", 1)
        (found,) = await store.decisions("acme", row.proposal.proposal_id)
        expected = decision(row, decision_id=found.decision_id)
        assert found == expected

    scene.play(case)


def test_a_denial_keeps_its_reason(scene: Scene) -> None:
    """P7: a denial has a reason; final says stop."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        denied = decision(row, "denied", reason="Wrong street", final=True)
        assert await store.decide(denied, cause()) == "denied"
        found = await current(store, row)
        assert (found.state, found.refusal, found.final) == ("denied", "Wrong street", True)

    scene.play(case)


@pytest.mark.parametrize("reason", [None, "", "  "])
def test_a_denial_needs_a_reason(scene: Scene, reason: str | None) -> None:
    """P7"""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        with pytest.raises(ValueError, match="reason"):
            await store.decide(decision(row, "denied", reason=reason), cause())
        assert (await current(store, row)).state == "pending"

    scene.play(case)


@pytest.mark.parametrize("outcome", ["approved", "denied"])
def test_a_forged_id_changes_nothing(scene: Scene, outcome: str) -> None:
    """P5: a decision on a proposal that was never issued, approval or denial, stores nothing."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        forged = decision(row, outcome, proposal_id="prop_forged")
        assert await store.decide(forged, cause()) == Refused("not_found")
        assert await store.decisions("acme", "prop_forged") == ()
        assert [r.kind for r in await store.audit_of("acme", "prop_forged")] == []

    scene.play(case)


def test_another_tenant_is_as_a_random_id(scene: Scene) -> None:
    """P5, S8: another tenant's proposal is not found, to read or to decide."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        assert await store.load_proposal("globex", row.proposal.proposal_id) is None
        assert await store.load_commit("globex", row.proposal.proposal_id) is None
        foreign = decision(row, tenant="globex")
        assert await store.decide(foreign, cause(tenant="globex")) == Refused("not_found")
        assert await store.proposals("globex", "pending") == ()
        assert (await current(store, row)).state == "pending"

    scene.play(case)


def test_another_digest_is_refused(scene: Scene) -> None:
    """P6: page, decision and commit carry one digest."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        other = await store.add_proposal(proposal(), cause())
        swapped = decision(row, sha256=other.sha256)
        assert await store.decide(swapped, cause()) == Refused("changed")
        assert (await current(store, row)).state == "pending"

    scene.play(case)


@pytest.mark.parametrize("first", ["approved", "denied"])
@pytest.mark.parametrize("second", ["approved", "denied"])
def test_the_first_decision_wins(scene: Scene, first: str, second: str) -> None:
    """P5: only a pending proposal is decided."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        assert await store.decide(decision(row, first), cause()) == first
        late = decision(row, second, principal="bob")
        assert await store.decide(late, cause()) == Refused("decided")
        assert (await current(store, row)).state == first
        assert len(await store.decisions("acme", row.proposal.proposal_id)) == 1

    scene.play(case)


def test_two_equal_proposals_are_two(scene: Scene) -> None:
    """P9: an approval is of one proposal, not of its arguments."""

    async def case(store: Store) -> None:
        row = await approved(store)
        twin = await store.add_proposal(proposal(), cause())
        assert twin.proposal.arguments_sha256 == row.proposal.arguments_sha256
        assert (await current(store, twin)).state == "pending"

    scene.play(case)


def test_a_quorum_counts_persons(scene: Scene) -> None:
    """P7: with a quorum of two, one person twice is one voice; the second person approves."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(quorum=2), cause())
        assert await store.decide(decision(row), cause()) == "pending"
        assert await store.decide(decision(row), cause()) == Refused("repeated")
        assert (await current(store, row)).approvals == 1
        assert await store.decide(decision(row, principal="bob"), cause()) == "approved"

    scene.play(case)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"principal": "ann"}, {"principal": "ann2", "subject": "ann"}),
        ({"principal": "ann", "subject": "u9"}, {"principal": "bob", "subject": "u9"}),
        ({"principal": "ann2", "subject": "ann"}, {"principal": "ann"}),
    ],
)
def test_a_person_of_two_names_is_one(
    scene: Scene, first: dict[str, str], second: dict[str, str]
) -> None:
    """P7, case 12: another name of the same person is no second voice, and leaves room for another person's."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(quorum=2), cause())
        assert await store.decide(decision(row, **first), cause()) == "pending"
        assert await store.decide(decision(row, **second), cause()) == Refused("repeated")
        assert (await current(store, row)).approvals == 1
        assert await store.decide(decision(row, principal="eve"), cause()) == "approved"

    scene.play(case)


@pytest.mark.parametrize("who", ["ann", "bob"])
def test_one_denial_denies(scene: Scene, who: str) -> None:
    """P7: with a quorum of two, one approves and one denies: denied; who approved may change their mind."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(quorum=2), cause())
        assert await store.decide(decision(row), cause()) == "pending"
        assert await store.decide(decision(row, "denied", principal=who), cause()) == "denied"

    scene.play(case)


@pytest.mark.parametrize(("early", "state"), [(1, "approved"), (0, "expired"), (-1000, "expired")])
def test_expiry_is_by_the_stores_clock(scene: Scene, early: int, state: str) -> None:
    """S6, P13: a microsecond before the end an approval counts, at the end and after it does not."""

    async def case(store: Store) -> None:
        row = await approved(store)
        scene.clock.at = row.proposal.expires_at - timedelta(microseconds=early)
        assert (await current(store, row)).state == state

    scene.play(case)


def test_silence_only_expires(scene: Scene) -> None:
    """P7: the decision record says expired, not denied, and names no person."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        scene.clock.pass_(minutes=31)
        assert await store.expire_due() == 1
        assert await store.expire_due() == 0
        assert (await current(store, row)).state == "expired"
        (found,) = await store.decisions("acme", row.proposal.proposal_id)
        assert (found.outcome, found.principal) == ("expired", "store")
        rows = await store.audit_of("acme", row.proposal.proposal_id)
        assert [r.code for r in rows if r.kind == "proposal.expired"] == ["APPROVAL_EXPIRED"]

    scene.play(case)


@pytest.mark.parametrize("outcome", ["approved", "denied"])
def test_nobody_decides_after_the_end(scene: Scene, outcome: str) -> None:
    """P5: a decision that comes too late, a denial too, leaves the proposal expired."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        scene.clock.pass_(minutes=30)
        assert await store.decide(decision(row, outcome), cause()) == Refused("expired")
        assert (await current(store, row)).state == "expired"
        assert await store.decide(decision(row, outcome), cause()) == Refused("expired")

    scene.play(case)


def test_a_warning_comes_once_before_the_end(scene: Scene) -> None:
    """P14, S4: at 80 % of the window a notice is written, once."""

    async def kinds(store: Store) -> list[str]:
        return [notice.kind for notice in await store.notices()]

    async def case(store: Store) -> None:
        await store.add_proposal(proposal(), cause())
        scene.clock.pass_(minutes=23.9)
        assert await store.expire_due() == 0
        assert await kinds(store) == ["proposal.pending"]
        scene.clock.pass_(minutes=0.1)
        assert await store.expire_due() == 0
        assert await store.expire_due() == 0
        assert await kinds(store) == ["proposal.pending", "proposal.expiring"]
        scene.clock.pass_(minutes=6)
        assert await store.expire_due() == 1
        assert await kinds(store) == ["proposal.pending", "proposal.expiring", "proposal.expired"]

    scene.play(case)


def test_an_approval_is_withdrawn_until_it_is_used(scene: Scene) -> None:
    """P10: approved → withdrawn; pending and consumed are refused."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        back = decision(row, "withdrawn")
        assert await store.withdraw(back, cause()) == Refused("pending")
        await store.decide(decision(row), cause())
        assert await store.withdraw(back, cause()) == "withdrawn"
        assert await store.withdraw(back, cause()) == Refused("decided")
        used = await approved(store)
        await sent(store, used)
        assert await store.withdraw(decision(used, "withdrawn"), cause()) == Refused("consumed")

    scene.play(case)


def test_a_policy_approves_by_itself_with_a_row(scene: Scene) -> None:
    """PL3: a proposal of a `none` policy is approved as it is made, by a decision row that names the policy."""

    async def case(store: Store) -> None:
        made = proposal()
        other = await store.add_proposal(proposal(), cause())
        own = decision(
            other,
            proposal_id=made.proposal_id,
            sha256=seal(made)[1],
            principal="policy:sandbox",
            method="policy",
        )
        row = await store.add_proposal(made, cause(), decision=own)
        assert (await current(store, row)).state == "approved"
        assert await store.decisions("acme", made.proposal_id) == (own,)

    scene.play(case)


def test_outbox_notices_are_handed_out_until_confirmed(scene: Scene) -> None:
    """S4: at least once, with an id."""

    async def case(store: Store) -> None:
        await store.add_proposal(proposal(), cause())
        first = await store.notices()
        assert await store.notices() == first
        await store.delivered([first[0].notice_id])
        assert await store.notices() == ()

    scene.play(case)


def test_a_record_without_a_tenant_is_an_error() -> None:
    """S8"""
    with pytest.raises(ValueError, match="tenant"):
        proposal(tenant="")
    with pytest.raises(ValueError, match="tenant"):
        cause(tenant="")
