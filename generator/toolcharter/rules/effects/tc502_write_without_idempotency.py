"""TC502."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutIdempotency"]


class WriteWithoutIdempotency(CharterRule):
    """Finds writes that do not say how a repeat has one effect.

    Why: an answer can be lost after the effect. Without a key, a version, a chosen id, the operation's nature or a
    marker, nobody can tell a second attempt from a second effect.

    Bad:

        refund:
          effect: write

    Good:

        refund:
          effect: write
          send: {header.Idempotency-Key: "{$key}"}
          idempotency: {by: key, window: 24h}
    """

    code = "TC502"
    name = "write-without-idempotency"
    hint = "Say under `idempotency` what makes a repeat harmless: by key, version, id, nature or marker."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            origin = place(charter, "tools", name, "idempotency")
            if tool.idempotency is None:
                yield Finding(f"{name} is a write without idempotency support", origin, name)
            elif tool.idempotency.by == "nature" and not (tool.idempotency.because or "").strip():
                yield Finding(
                    f"{name} claims that its nature makes a repeat harmless, and does not say why",
                    origin,
                    name,
                    hint="Give the reason: `idempotency: {by: nature, because: …}`.",
                )
