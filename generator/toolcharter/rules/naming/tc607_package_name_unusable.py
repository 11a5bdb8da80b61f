"""TC607."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place
from toolcharter.wording import visible

__all__ = ["PackageNameUnusable"]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 64
_TAKEN = frozenset(
    {"pydantic", "pytest", "tests", "toolcharter", "toolcharter_runtime"}
    | {"con", "prn", "aux", "nul"}  # no folder of Windows may be called so
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)


class PackageNameUnusable(CharterRule):
    """Finds package names that are no name of a Python package, or one that is taken.

    Why: the name becomes a folder, a distribution and an import. With a slash or dots in it files would land elsewhere,
    and a name of the standard library would hide a module from everybody.

    Bad:

        package: ../crm-tools

    Good:

        package: crm_tools
    """

    code = "TC607"
    name = "package-name-unusable"
    hint = "Use lower-case words joined by single underscores, such as `crm_tools`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        flaw = self._flaw(charter.package)
        if flaw:
            shown = visible(charter.package, 80)
            yield Finding(f"the package name `{shown}` {flaw}", place(charter, "package"))

    def _flaw(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            return "is not lower-case words joined by underscores"
        if len(name) > _LONGEST:
            return f"has {len(name)} characters; {_LONGEST} are allowed"
        is_word = keyword.iskeyword(name) or keyword.issoftkeyword(name)
        if is_word or name in _TAKEN or name in sys.stdlib_module_names:
            return "is taken"
        return ""
