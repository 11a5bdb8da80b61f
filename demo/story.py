"""The story, step by step: reads, a refusal, an approval, a replay, a conflict, a lost answer, an unknown outcome."""

from __future__ import annotations

import uuid
from typing import Any, Final

import httpx2
from crm_tools import catalog

from demo.account import Account
from demo.page import Page
from demo.replies import Reply, advice, code, evidence_rows, is_masked, refusal, result, versions
from demo.stage import TENANT, Stage
from toolcharter_runtime import Boundary, Caller, Credential, Failure, Need, Run, Upstream

__all__ = ["play"]

_CALLER: Final = Caller(tenant=TENANT, agent="assistant", person="nina")
_SAVED: Final = {
    "customer": "C-1842",
    "reason": "moved",
    "destination": {"kind": "saved", "address": "A-2002"},
}
_BACK: Final = {**_SAVED, "destination": {"kind": "saved", "address": "A-2001"}}


def _moved(customer: str, line1: str, city: str, postal_code: str, country: str) -> dict[str, Any]:
    new = {
        "kind": "new",
        "line1": line1,
        "city": city,
        "postal_code": postal_code,
        "country": country,
    }
    return {"customer": customer, "reason": "moved", "destination": new}


class StoryError(Exception):
    """The story cannot go on."""


class Story:
    """One play: the boundary over the service, and the proposals that were committed or not."""

    def __init__(self, stage: Stage, page: Page, boundary: Boundary) -> None:
        self.stage = stage
        self.page = page
        self.boundary = boundary
        self.account = Account(stage.crm, page)

    async def read(self) -> None:
        """An explorer reads, pages, and may not write."""
        page = self.page
        async with self.boundary.run(role="explorer", caller=_CALLER, purpose="production") as run:
            page.step(
                "An explorer's run reads a customer: masked where the charter says so, the tax id gone"
            )
            reply = await run.call("get_customer", {"customer": "C-1842"})
            shown: dict[str, Any] = result(reply) or {}
            names = ("customer", "name", "email", "city", "version")
            page.table(names, [[shown.get(name) for name in names]])
            page.expect("the e-mail address is masked and no tax id came out",
                        (is_masked(shown.get("email")), "tax_id" in shown), (True, False))  # fmt: skip
            page.step("It pages through a search, with a cursor that only the boundary can read")
            sizes = await self._search(run)
            page.expect(
                f"pages of {sizes} customers whose name begins with Mar", sizes, [20, 20, 11]
            )
            page.step("It asks for a write, and is refused as for a tool that does not exist")
            written = await run.call("preview_address_change", _SAVED)
            invented = await run.call("delete_everything", {})
            same = refusal(written) == refusal(invented)
            page.expect(f"both are {code(written)}, word for word the same", (code(written), same),
                        ("UNKNOWN_TOOL", True))  # fmt: skip

    async def _search(self, run: Run) -> list[int]:
        sizes: list[int] = []
        more: dict[str, Any] = {}
        while True:
            search = {"filter": {"kind": "name", "prefix": "Mar"}, **more}
            reply = await run.call("search_customers", search)
            if isinstance(reply, Failure):
                return sizes
            sizes.append(len(reply.result["customers"]))
            if reply.result["next_cursor"] is None:
                return sizes
            more = {"cursor": reply.result["next_cursor"]}

    async def approve_and_commit(self, run: Run) -> None:
        """Preview, too early, approved, committed, committed again."""
        page = self.page
        page.step(
            "A support agent's run previews an address change: nothing is changed, a proposal is made"
        )
        proposal = await self._preview(run, _SAVED)
        page.expect("the service has no effect yet", len(self.stage.crm.ledger()), 0)
        page.step("It commits too early, and is told to wait")
        early = await run.call("commit_address_change", {"proposal_id": proposal})
        page.expect(f"{code(early)}: {advice(early)}", code(early), "APPROVAL_PENDING")
        page.step("Lena, a support lead, approves at the desk")
        self._approve(proposal)
        page.step("The agent commits, with the proposal's id and nothing else")
        first = await run.call("commit_address_change", {"proposal_id": proposal})
        self._evidence(first)
        page.expect(
            "completed, from version 17 to 18",
            (code(first), versions(first)),
            ("completed", (17, 18)),
        )
        page.step("It commits the same proposal again, and gets the stored result")
        again = await run.call("commit_address_change", {"proposal_id": proposal})
        replayed = again.evidence.replayed if again.evidence else None
        page.expect(
            "the same result, marked as replayed",
            (result(again) == result(first), replayed),
            (True, True),
        )
        self.account.close(proposal, 1)

    async def go_stale(self, run: Run) -> None:
        """A colleague changes the customer between approval and commit."""
        page = self.page
        page.step(
            "A second proposal is approved; then a colleague changes the customer in another program"
        )
        proposal = await self._preview(run, _BACK)
        self._approve(proposal)
        self._change_directly("C-1842", version=18)
        reply = await run.call("commit_address_change", {"proposal_id": proposal})
        page.expect(
            f"{code(reply)}, previous and current version {versions(reply)}: {advice(reply)}",
            (code(reply), versions(reply)),
            ("VERSION_CONFLICT", (18, 19)),
        )
        self.account.close(proposal, 0)

    async def lose_an_answer(self, run: Run) -> None:
        """The service applies a change and the connection breaks; the boundary asks by key."""
        page = self.page
        page.step("A third commit loses its answer after the service applied it")
        proposal = await self._preview(run, _moved("C-1843", "Kaigata 1", "Oslo", "0154", "NO"))
        self._approve(proposal)
        self.stage.crm.fault("changeAddress", "apply_then_drop")
        reply = await run.call("commit_address_change", {"proposal_id": proposal})
        page.say("the connection was reset; the boundary asked for the operation by its key:")
        self._evidence(reply)
        proof = (reply.evidence.proof, reply.evidence.attempts) if reply.evidence else None
        page.expect("completed in one attempt, proved by the effect itself", (code(reply), proof),
                    ("completed", ("effect", 1)))  # fmt: skip
        self.account.close(proposal, 1)

    async def end_unknown(self) -> None:
        """The same, with the status operation down; a person finds out."""
        page = self.page
        page.step(
            "A fourth, in a run of its own, loses its answer while the status operation is down"
        )
        async with self.boundary.run(role="support_agent", caller=_CALLER) as run:
            proposal = await self._preview(
                run, _moved("C-1844", "3 Harbour Row", "Bristol", "BS1 4TE", "GB")
            )
            self._approve(proposal)
            self.stage.crm.fault("changeAddress", "apply_then_drop")
            self.stage.crm.fault("getOperationByKey", "unavailable", times=None)
            reply = await run.call("commit_address_change", {"proposal_id": proposal})
            page.expect(
                f"{code(reply)}: {advice(reply)}",
                (code(reply), reply.status),
                ("UNKNOWN_OUTCOME", "unknown"),
            )
            read = await run.call("get_customer", {"customer": "C-1845"})
            paused = await run.call("preview_address_change", _BACK)
            page.expect("the run may still read, and may write nothing more",
                        (code(read), code(paused)), ("completed", "UNKNOWN_OUTCOME"))  # fmt: skip
            self._settle(proposal)
            after = await run.call("preview_address_change", _BACK)
            page.expect("the run goes on", code(after), "completed")
        self.account.close(proposal, 1)

    def _settle(self, proposal: str) -> None:
        page, desk = self.page, self.stage.desk
        page.step(
            "Omar, an operator, finds it in his list, looks it up in the service, and settles it"
        )
        page.say("$ toolcharter-desk unknown")
        for line in desk.command("unknown").splitlines():
            page.say(line)
        items = desk.listed("unknown")
        page.expect("one outcome is unknown", [item["proposal_id"] for item in items], [proposal])
        for item in items:
            self.stage.crm.clear_faults()
            seen = self.account.effects_of_key(item["idempotency_key"])
            outcome = "confirmed_done" if seen else "confirmed_not_done"
            reason = f"The service's ledger has {seen} effect under this key"
            page.say(
                f"$ toolcharter-desk settle {item['operation_id']} --outcome {outcome} --as omar"
            )
            words = (
                "settle",
                item["operation_id"],
                "--outcome",
                outcome,
                "--reason",
                reason,
                "--yes",
            )
            page.say(desk.command(*words, person="omar"))
        page.expect("the list is empty", desk.listed("unknown"), [])

    async def _preview(self, run: Run, arguments: dict[str, Any]) -> str:
        reply = await run.call("preview_address_change", arguments)
        if isinstance(reply, Failure):
            self.page.expect("the preview makes a proposal", code(reply), "completed")
            raise StoryError("the story cannot go on without its proposal")
        proposal: dict[str, Any] = reply.result
        self.account.open(proposal["proposal_id"], arguments["customer"])
        self.page.say(f"{proposal['proposal_id']}: {proposal['effect']}")
        rows = [(row["label"], row["before"], row["after"]) for row in proposal["changes"]]
        self.page.table(("field", "before", "after"), rows)
        return str(proposal["proposal_id"])

    def _approve(self, proposal: str) -> None:
        self.page.say(f"$ toolcharter-desk approve {proposal} --as lena")
        said = self.stage.desk.approve(proposal, "lena")
        self.page.expect(said, said, f"{proposal}: approved")

    def _evidence(self, reply: Reply) -> None:
        self.page.table(("evidence", ""), evidence_rows(reply))

    def _change_directly(self, customer: str, *, version: int) -> None:
        key = str(uuid.uuid4())
        self.account.foreign_keys.add(key)
        answer = httpx2.post(
            f"{self.stage.service}/customers/{customer}/address-changes",
            headers={
                "Authorization": f"Bearer {self.stage.token}",
                "Idempotency-Key": key,
                "If-Match": f'"{version}"',
            },
            json={"reason": "correction", "destination": {"kind": "saved", "address_id": "A-2002"}},
        )
        self.page.expect(
            f"the colleague's own change makes it version {version + 1}", answer.status_code, 202
        )


async def play(stage: Stage, page: Page) -> int:
    """Play the story; return 1 if anything differed from what it tells, else 0."""

    def credential(_caller: Caller, _need: Need) -> Credential:
        return Credential.bearer(stage.token)

    boundary = Boundary(
        catalog,
        upstream=Upstream(stage.service, auth=credential, environment="demo"),
        store=stage.desk.store,
        approvers=stage.desk.folder / "approvers.yaml",
        desk_keys=[stage.desk.folder / "desk.pub"],
    )
    async with boundary:
        story = Story(stage, page, boundary)
        await story.read()
        async with boundary.run(role="support_agent", caller=_CALLER) as run:
            await story.approve_and_commit(run)
            await story.go_stale(run)
            await story.lose_an_answer(run)
        await story.end_unknown()
        return story.account.conclude()
