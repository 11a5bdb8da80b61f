"""Reads that the boundary makes for itself: which tool, and what fills its inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcharter.charter.findings import nearest
from toolcharter_runtime.frozen import Read
from toolcharter_runtime.language import Reference, references

from .case import Case

__all__ = ["Book", "Fill"]


@dataclass(frozen=True, slots=True)
class Fill:
    """What fills the inputs of a tool that is called: `written`, else by name."""

    written: Mapping[str, Any] = field(default_factory=dict[str, Any])
    before: Case | None = None
    """The tool that reads the target, whose view is `$before`."""
    effect: str = "read"
    answers: Collection[str] | None = None
    """By name means `$answer` where it has these names; without them, the inputs of the calling tool."""


class Book:
    """All tools of a charter, while the terms of one are resolved."""

    def __init__(self, cases: Mapping[str, Case], names: Collection[str]) -> None:
        self._cases = cases
        self._names = names

    def read(self, case: Case, name: str, pointer: str, fill: Fill) -> Read | None:
        """Return the read of a tool with its inputs filled; reports what cannot be filled."""
        reader = self.case(case, name, pointer, fill.effect)
        if reader is None:
            return None
        for key in fill.written:
            if key not in reader.spec.input:
                message = f"{name} has no input `{key}`"
                case.findings.error(
                    "TC737", message, f"{pointer}/with", nearest(key, reader.spec.input)
                )
        arguments: dict[str, Any] = {}
        for key in reader.spec.input:
            if key in fill.written:
                self.check_names(case, fill.written[key], pointer, fill.before)
                arguments[key] = fill.written[key]
            elif fill.answers is not None and key in fill.answers:
                arguments[key] = f"{{$answer.{key}}}"
            elif fill.answers is None and key in case.spec.input:
                arguments[key] = f"{{{key}}}"
            elif key not in reader.inputs or reader.inputs[key].required:
                message = f"nothing fills the input `{key}` of {name}"
                case.findings.error("TC547", message, pointer, f"fill it in `with: {{{key}: …}}`")
        return Read(tool=reader.id, arguments=arguments)

    def case(self, case: Case, name: str, pointer: str, effect: str = "read") -> Case | None:
        """Return a tool by name, if it is there and has the effect; reports it otherwise."""
        reader = self._cases.get(name)
        if reader is None:
            if name not in self._names:
                case.findings.error(
                    "TC737", f"there is no tool `{name}`", pointer, nearest(name, self._names)
                )
            return None
        if reader.spec.effect != effect:
            message = f"{name} is no {effect}, and the boundary needs one here"
            case.findings.error("TC547", message, pointer)
            return None
        return reader

    def find(self, name: str | None) -> Case | None:
        """Return a tool by name, or None."""
        return None if name is None else self._cases.get(name)

    def condition(
        self,
        case: Case,
        condition: Mapping[str, Any],
        names: Collection[str],
        pointer: str,
        before: Case | None,
    ) -> None:
        """Report the names of a condition that nothing has; `names` are those of the read it is tried on."""
        for key in condition:
            self._check_key(case, key, names, pointer, before)
        self.check_names(case, dict(condition), pointer, before)

    def _check_key(
        self, case: Case, key: str, names: Collection[str], pointer: str, before: Case | None
    ) -> None:
        if not key.startswith("$"):
            first = key.split(".", maxsplit=1)[0]
            if first not in names and key != "absent":
                case.findings.error(
                    "TC737", f"nothing here is named `{key}`", pointer, nearest(key, names)
                )
            return
        root, *path = key[1:].split(".")
        if path == ["absent"] and root in ("after", "before"):
            return
        if root in ("before", "after", "answer", "run") and path:
            problem = case.name_problem(Reference(root, tuple(path)), before)
            if problem is not None:
                case.findings.error("TC737", problem[0], pointer, problem[1])
        elif root not in ("records", "environment"):
            case.findings.error("TC737", f"`{key}` is no name that a condition can use", pointer)

    def check_names(self, case: Case, template: Any, pointer: str, before: Case | None) -> None:
        """Report each name between braces that nothing has."""
        for reference in references(template):
            problem = case.name_problem(reference, before)
            if problem is not None:
                case.findings.error("TC737", problem[0], pointer, problem[1])
