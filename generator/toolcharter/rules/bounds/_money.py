"""Which names are those of amounts of money."""

from __future__ import annotations

from toolcharter.rules._schemas import words_of

__all__ = ["is_money"]

_LAST = frozenset(
    {
        "amount", "balance", "charge", "cost", "costs", "discount", "fee", "fees", "price", "refund", "salary", "subtotal",
        "tax", "total",
    }
)  # fmt: skip


def is_money(name: str) -> bool:
    """Say whether a name calls an amount of money, by its last word."""
    words = words_of(name)
    return bool(words) and words[-1] in _LAST
