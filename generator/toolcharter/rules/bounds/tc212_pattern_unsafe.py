"""TC212."""

from __future__ import annotations

from collections.abc import Iterator

import jsonschema_rs

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, patterns_of, place_of

__all__ = ["PatternUnsafe"]


class PatternUnsafe(ToolRule):
    """Finds patterns that do not compile (an error), or that only a backtracking engine runs (a warning).

    Why: a pattern that does not compile checks nothing. Look-around and back references take exponential time on hostile
    text, and linear engines, which others use to check the same contract, refuse them.

    Bad:

        input: {name: {to: /name, pattern: "^(?!admin)[a-z]{1,20}$"}}

    Good:

        input: {name: {to: /name, pattern: "^[a-z]{1,20}$"}}
    """

    code = "TC212"
    name = "pattern-unsafe"
    severity = "warning"
    hint = "Rewrite it without look-around and back references; say in an enum what should be left out."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            unsafe = [p for p in patterns_of(node.schema) if not self._compiles(p, linear=True)]
            if not unsafe:
                continue
            works = all(self._compiles(pattern, linear=False) for pattern in unsafe)
            yield Finding(
                f"{tool.contract.tool}: the pattern of `{node.name}` "
                + ("needs a backtracking engine" if works else "is not a regular expression"),
                place_of(tool, "input", node.path),
                tool.contract.tool,
                severity=None if works else "error",
            )

    def _compiles(self, pattern: str, *, linear: bool) -> bool:
        engine = jsonschema_rs.RegexOptions() if linear else jsonschema_rs.FancyRegexOptions()
        try:
            jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=engine)
        except ValueError:
            return False
        return True
