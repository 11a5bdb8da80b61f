"""TC507."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["RetryOfUnkeyedWrite"]


class RetryOfUnkeyedWrite(CharterRule):
    """Finds writes that may be sent again although a repeat is not surely harmless.

    Why: a second send is safe only where the upstream honours a key, or where a repeat changes nothing. A full
    replacement without an enforced version would, sent late, overwrite somebody else's change.

    Bad:

        customer_email:
          idempotency: {by: marker}
          retry: resend

    Good:

        customer_email:
          idempotency: {by: key, window: 24h}
          retry: resend
    """

    code = "TC507"
    name = "retry-of-unkeyed-write"
    hint = "Take `retry: resend` out, or prove the repeat by `idempotency: {by: key}` or `{by: nature}`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            origin = place(charter, "tools", name, "retry")
            if tool.retry == "safe":
                yield Finding(
                    f"{name} is a write with `retry: safe`, which only a read can have",
                    origin,
                    name,
                )
            if tool.retry != "resend" or tool.idempotency is None:
                continue
            by = tool.idempotency.by
            if by not in ("key", "nature"):
                yield Finding(
                    f"{name} may be sent again, and its idempotency is by {by}", origin, name
                )
            elif tool.replaces is not None and "{$version}" not in str(tool.send):
                yield Finding(
                    f"{name} replaces its target, may be sent again, and sends no version",
                    origin,
                    name,
                )
