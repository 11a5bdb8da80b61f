"""TC516."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutVersion"]


class WriteWithoutVersion(CharterRule):
    """Finds writes without a target, or whose target has no version and no reason for that.

    Why: an approval is for the state that the approver saw. Without a version nobody notices that the target changed
    between the proposal and the commit.

    Bad:

        refund:
          target: {type: payment, id: "{payment}", read: get_payment}

    Good:

        refund:
          target: {type: payment, id: "{payment}", read: get_payment, version: version}
    """

    code = "TC516"
    name = "write-without-version"
    hint = "Name the version: a field of the target's view, `{absent: true}` for a create, or `{none: why}`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            if tool.target is None:
                origin = place(charter, "tools", name, "target")
                yield Finding(f"{name} is a write without a target", origin, name)
                continue
            version, origin = (
                tool.target.version,
                place(charter, "tools", name, "target", "version"),
            )
            if version is None or not (
                version.fields or version.absent or version.none is not None
            ):
                yield Finding(f"{name} is a write whose target has no version", origin, name)
            elif version.none is not None and not version.none.strip():
                yield Finding(
                    f"{name}: the target has no version, and the reason is empty", origin, name
                )
            elif (version.fields or version.absent) and tool.target.read is None:
                yield Finding(
                    f"{name} names a version, and no read of the target that has it",
                    origin,
                    name,
                    hint="Name the read tool: `target: {read: …}`.",
                )
