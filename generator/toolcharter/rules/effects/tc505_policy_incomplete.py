"""TC505."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place

__all__ = ["PolicyIncomplete"]


class PolicyIncomplete(CharterRule):
    """Finds policies without approvers, quorum or expiry.

    Why: an approval that never expires, or that anybody may give, is no approval. A policy without people has a reason
    instead, and then names none.

    Bad:

        policies:
          support_lead: {approvers: support_lead}

    Good:

        policies:
          support_lead: {approvers: support_lead, quorum: 1, expires_in: 30m}
          no_person: {none: Nobody outside is reached and nothing is lost}
    """

    code = "TC505"
    name = "policy-incomplete"
    hint = "Write `{approvers: GROUP, quorum: N, expires_in: 30m}`, or `{none: why nobody has to approve}`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, policy in sorted(charter.policies.items()):
            origin = place(charter, "policies", name)
            parts: dict[str, object] = {"approvers": policy.approvers, "quorum": policy.quorum}
            if policy.none is not None:
                named = [part for part, value in parts.items() if value is not None]
                if not policy.none.strip():
                    yield Finding(f"policy {name} needs nobody, and does not say why", origin)
                if named:
                    yield Finding(
                        f"policy {name} says `none` and yet names {' and '.join(named)}", origin
                    )
                continue
            parts["expires_in"] = policy.expires_in
            missing = [part for part, value in parts.items() if value in (None, "")]
            if missing:
                yield Finding(f"policy {name} lacks {' and '.join(missing)}", origin)
