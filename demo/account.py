"""The account that the story keeps: what was approved and committed, beside what the service's own ledger has."""

from __future__ import annotations

from dataclasses import dataclass, field

from demo.page import Page
from upstreams.crm import Control, Effect

__all__ = ["Account"]


@dataclass(slots=True)
class Entry:
    """One proposal: whose address it changes, how many effects were there before, and how many it ought to have."""

    customer: str
    before: int
    expected: int | None = None


@dataclass(slots=True)
class Account:
    """Proposals by id, and the keys of changes that other people made directly."""

    crm: Control
    page: Page
    foreign_keys: set[str] = field(default_factory=set[str])
    _entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    def _ours(self, customer: str | None = None) -> list[Effect]:
        effects = self.crm.ledger(target=customer)
        return [effect for effect in effects if effect.key not in self.foreign_keys]

    def effects_of_key(self, key: str) -> int:
        """Return how many effects the ledger has under an idempotency key."""
        return sum(effect.key == key for effect in self.crm.ledger())

    def open(self, proposal: str, customer: str) -> None:
        """Note a proposal when it is made."""
        self._entries[proposal] = Entry(customer, len(self._ours(customer)))

    def close(self, proposal: str, expected: int) -> None:
        """Check, when the story of a proposal ends, how many effects it had."""
        entry = self._entries[proposal]
        entry.expected = expected
        made = len(self._ours(entry.customer)) - entry.before
        noun = "one effect" if expected == 1 else "no effect"
        self.page.expect(f"the service's ledger shows {noun} of it", made, expected)

    def conclude(self) -> int:
        """Print the ledger and say what it proves; return 1 if anything differed, else 0."""
        page, ours = self.page, self._ours()
        page.step("What really happened, by the service's own ledger")
        every = self.crm.ledger()
        rows = [
            (
                e.number,
                e.operation,
                e.target,
                e.effect["version"],
                "agent" if e in ours else "colleague",
            )
            for e in every
        ]
        page.table(("effect", "operation", "customer", "version", "made by"), rows)
        keys = [effect.key for effect in every]
        page.expect("no key has more than one effect", len(keys), len(set(keys)))
        applied = [entry.customer for entry in self._entries.values() if entry.expected == 1]
        refused = [entry.customer for entry in self._entries.values() if entry.expected == 0]
        page.expect("the agent's effects are the approved ones", [e.target for e in ours], applied)
        if page.differences:
            print(f"\nNOT PROVED: {len(page.differences)} of {page.checked} facts differ.")
            return 1
        print(
            f"\nProved, {page.checked} facts: of {len(self._entries)} approved proposals {len(ours)} had exactly one effect"
            f" (one of them replayed, one lost and found, one settled), {len(refused)} stale one had none."
        )
        return 0
