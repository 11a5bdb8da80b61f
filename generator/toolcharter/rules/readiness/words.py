"""One thing to know of an operation before it becomes a tool, and what the charter can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toolcharter.rules.table import find_rule

__all__ = ["KINDS", "Kind", "Word", "mend_of"]

Kind: TypeAlias = Literal["cannot", "word", "ceiling", "optional", "note"]
KINDS: Final[tuple[Kind, ...]] = ("cannot", "word", "ceiling", "optional", "note")
"""What stops a tool; what the charter must say; what one line of `ceilings` settles; what may be left out; the rest."""

_MENDS: Final = {
    "TC101": "type the fields that are needed (`to: /place/field, type: …`), or fill the place with a constant (`send`)",
    "TC104": "type it in the charter: `type`, with an enum, a pattern or bounds",
    "TC113": "say which kind is meant: `branches`, `kinds` or `branch`",
    "TC114": "list it only as deep as it is needed",
    "TC201": "one line for all: `ceilings: {string: 2000}`",
    "TC202": "bound it in the charter, `{to: …, minimum: 1, maximum: …}`, or many at once with an overlay",
    "TC205": "one line for all: `ceilings: {array: 100}`",
    "TC102": "one line for all: `ceilings: {array: 100, string: 2000}`",
    "TC401": "leave it out of the view, or mark it `secret: true`",
    "TC403": "bound it with `maxItems` in the view, or add the parameters of its pages with an overlay",
    "TC405": "use an operation that answers metadata and a handle",
    "TC407": "type the fields in the view and attest them, or add the schema with an overlay",
    "TC502": "say how a repeat has one effect: `idempotency: {by: nature | id | version | marker}`",
    "TC521": "fill it under `send` with `{$key}`, `{$version}` or `{$credential.x}`",
    "TC522": "fill it under `send`: a constant, the run or a credential",
    "TC604": "write a description of your own",
    "TC705": "choose another operation or media type, or mend the description with an overlay",
}


def mend_of(code: str) -> str:
    """Return what the charter can do about a finding of a code."""
    rule = find_rule(code)
    text = (
        _MENDS.get(code)
        or (rule.hint if rule is not None else "")
        or "mend the description; an overlay can"
    )
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


@dataclass(frozen=True, slots=True)
class Word:
    """One finding: what kind of trouble it is, the rule's code, the place in the request or answer, and what is there."""

    kind: Kind
    code: str
    place: str
    what: str
