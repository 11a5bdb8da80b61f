"""TC528."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutCompensation"]


class WriteWithoutCompensation(CharterRule):
    """Finds writes that do not say how to make good, or that nothing can.

    Why: the approver wants to know before, not after, whether a mistake can be mended, and by which write.

    Bad:

        refund: {effect: write}

    Good:

        refund:
          effect: write
          compensation: {none: A refund cannot be taken back; a new charge needs the customer}
    """

    code = "TC528"
    name = "write-without-compensation"
    hint = "Name the write that makes good: `compensation: {tool: …}`, or `{none: why}`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            origin, spec = place(charter, "tools", name, "compensation"), tool.compensation
            if spec is None or (spec.tool is None and not (spec.none or "").strip()):
                yield Finding(
                    f"{name} is a write without a compensation, or a reason for none", origin, name
                )
                continue
            other = charter.tools.get(spec.tool or "")
            if spec.tool is not None and (other is None or other.effect != "write"):
                yield Finding(
                    f"{name} is made good by `{spec.tool}`, which is not a write of this charter",
                    origin,
                    name,
                )
