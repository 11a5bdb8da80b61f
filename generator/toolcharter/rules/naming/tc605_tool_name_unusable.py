"""TC605."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of
from toolcharter.wording import visible

__all__ = ["ToolNameUnusable"]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 64
_RESERVED = frozenset(
    {"get_operation", "cancel_operation", "catalog", "contracts", "tools", "errors", "all", "none"}
    | {"tool"}  # its models would be named like the classes that they are made from
    | {"con", "prn", "aux", "nul"}  # no file of Windows may be called so, whatever its suffix
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)


class ToolNameUnusable(CharterRule):
    """Finds tool names that a surface, a file or Python cannot carry, or that the boundary uses itself.

    Why: names are read by models, stand in files and modules, and are pinned for years. A write `x` becomes
    `preview_x` and `commit_x`, which must fit into 64 characters; `get_operation` and `cancel_operation` are built in.

    Bad:

        tools: {Get-Customer: {…}, get_operation: {…}, class: {…}}

    Good:

        tools: {get_customer: {…}, get_export_operation: {…}}
    """

    code = "TC605"
    name = "tool-name-unusable"
    hint = (
        "Use lower-case words joined by single underscores, at most 64 characters (56 for a write)."
    )

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            longest = _LONGEST - len("preview_") if tool.effect == "write" else _LONGEST
            flaw = self._flaw(name, longest)
            if flaw:
                shown = visible(name, 80)
                yield Finding(
                    f"the tool name `{shown}` {flaw}", place(charter, "tools", name), name
                )

    def _flaw(self, name: str, longest: int) -> str:
        if not _NAME.fullmatch(name):
            return "is not lower-case words joined by underscores"
        if len(name) > longest:
            return f"has {len(name)} characters; {longest} are allowed"
        if name in _RESERVED or keyword.iskeyword(name) or keyword.issoftkeyword(name):
            return "is reserved"
        if re.search(r"_v[0-9]+$", name):
            return "ends like a version, which the registry adds itself"
        return ""
