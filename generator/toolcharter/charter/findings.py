"""What pydantic says of a charter's shape, as findings with a code, a place and a way to mend it."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from toolcharter.diagnostics import Diagnostic
from toolcharter_runtime.jsonvalue import is_list, is_object

from .places import Places, escape
from .schema import Charter

__all__ = ["UNDECIDED", "nearest", "shape_findings", "undecided_findings"]

UNDECIDED = "DECIDE"
"""What `toolcharter init` writes where a person must answer; it always fails."""

_COMMA = "quote the text: in a flow map what follows a comma is the next key"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint that names the known word nearest to `name`, or the known words if none is near."""
    words = sorted(known)
    near = difflib.get_close_matches(name, words, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"known: {', '.join(words)}" if 0 < len(words) <= 24 else ""


def undecided_findings(raw: Any, places: Places) -> Iterator[Diagnostic]:
    """Yield one TC804 for each `DECIDE`, wherever it stands."""
    for pointer in _undecided(raw, ""):
        yield Diagnostic(
            code="TC804",
            severity="error",
            message=f"{_shown(pointer)} is not decided",
            origin=places.origin(pointer),
            hint="replace DECIDE with the answer; nothing is generated before",
            tool=_tool(pointer),
        )


def shape_findings(errors: Iterable[ErrorDetails], places: Places) -> Iterator[Diagnostic]:
    """Yield one finding for each error of the model that is not only an undecided answer."""
    for error in errors:
        steps = tuple(step for step in error["loc"] if step != "[key]")
        if error["input"] != UNDECIDED:
            yield _finding(error, steps, places)


def _finding(error: ErrorDetails, steps: Sequence[int | str], places: Places) -> Diagnostic:
    pointer = "".join("/" + escape(str(step)) for step in steps)
    code, message, hint = _said(error, steps, pointer)
    return Diagnostic(
        code=code,
        severity="error",
        message=message,
        origin=places.origin(pointer),
        hint=hint,
        tool=_tool(pointer),
    )


def _said(error: ErrorDetails, steps: Sequence[int | str], pointer: str) -> tuple[str, str, str]:
    kind, name = error["type"], str(steps[-1]) if steps else ""
    if kind == "extra_forbidden":
        where = _shown(pointer.rpartition("/")[0])
        is_prose = error["input"] is None and " " in name
        hint = _COMMA if is_prose else nearest(name, _known_keys(steps[:-1]))
        if not hint and error["input"] is None:
            hint = _COMMA
        return "TC730", f"{where} has an unknown key `{name}`", hint
    if kind == "missing":
        return "TC732", f"{_shown(pointer.rpartition('/')[0])} lacks `{name}`", f"add `{name}: …`"
    if steps == ("charter",):
        return (
            "TC733",
            "`charter` names a format that is not known",
            "this version reads `charter: 1`",
        )
    if error["input"] is None and " " in name:
        return "TC731", f"{_shown(pointer)} has no value", _COMMA
    return "TC731", f"{_shown(pointer)}: {_wanted(error)}", ""


def _wanted(error: ErrorDetails) -> str:
    if error["type"] in ("model_type", "dict_type"):
        return "must be a map"
    if error["type"] in ("tuple_type", "list_type"):
        return "must be a list"
    if error["type"] == "string_type":
        return "must be a text; quote it if it is one"
    text = error["msg"].removeprefix("Value error, ")
    return (
        text.replace("Input should be", "must be").replace("Tuple should", "must")
        if text
        else "is not valid"
    )


def _shown(pointer: str) -> str:
    if not pointer:
        return "the charter"
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]
    return f"`{'.'.join(steps)}`"


def _tool(pointer: str) -> str | None:
    steps = pointer.split("/")
    return steps[2] if len(steps) > 2 and steps[1] == "tools" else None


def _undecided(value: Any, pointer: str) -> Iterator[str]:
    if value == UNDECIDED:
        yield pointer
    elif is_object(value):
        for key, member in value.items():
            if key == UNDECIDED:
                yield f"{pointer}/{key}"
            yield from _undecided(member, f"{pointer}/{escape(key)}")
    elif is_list(value):
        for index, member in enumerate(value):
            yield from _undecided(member, f"{pointer}/{index}")


def _known_keys(steps: Sequence[int | str]) -> Iterator[str]:
    kind: Any = Charter
    for step in steps:
        kind = _inside(_bare(kind), step)
    kind = _bare(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            yield field.alias or name


def _inside(kind: Any, step: int | str) -> Any:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            if step == (field.alias or name):
                return field.annotation
        return None
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return arguments[1]
    return arguments[0] if get_origin(kind) is tuple else None


def _bare(kind: Any) -> Any:
    """Strip `Annotated` and `| None`."""
    while get_origin(kind) in (Annotated, Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    return kind
