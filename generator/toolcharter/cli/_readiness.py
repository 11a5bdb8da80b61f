"""A description without a charter: how many of its operations could be tools, what the others need, and where."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcharter.diagnostics import Diagnostic
from toolcharter.rules.readiness import OperationReadiness, Readiness, Status, Word, mend_of
from toolcharter.wording import visible

from ._counting import counted
from ._formats import Format
from ._github import titled
from .render import render

__all__ = ["is_description", "readiness_as_findings", "render_readiness"]

_MOST_MENDS = 10
_MOST_TAGS = 25
_MOST_LISTED = 20
_MOST_PLACES = 4
_MOST_SAID = 3
_LONGEST = 160
_ORDER: dict[Status, int] = {"cannot": 0, "needs": 1, "ready": 2}
_DESCRIBES = re.compile(rb"""^(?:openapi|swagger|["'](?:openapi|swagger)["'])\s*:""", re.MULTILINE)
_DESCRIBES_JSON = re.compile(rb"""[{,]\s*"(?:openapi|swagger)"\s*:\s*"[0-9]""")
_CHARTS = re.compile(rb"""^(?:charter|["']charter["'])\s*:""", re.MULTILINE)


def is_description(path: Path) -> bool:
    """Say whether a file is an OpenAPI description and no charter; what cannot be read counts as a charter."""
    try:
        text = path.read_bytes()
    except OSError:
        return False
    if text.lstrip()[:1] == b"{":
        return _DESCRIBES_JSON.search(text) is not None and b'"charter"' not in text[:4096]
    return _DESCRIBES.search(text) is not None and _CHARTS.search(text) is None


def render_readiness(found: Sequence[tuple[Path, Readiness]], form: Format) -> str:
    """Return the reports in one format."""
    if form == "json":
        return json.dumps([_json(path, readiness) for path, readiness in found], indent=2)
    if form == "concise":
        rows = [row for _, readiness in found for row in _concise(readiness)]
        return "\n".join([*rows, *(_headline(path, readiness) for path, readiness in found)])
    if form == "text":
        return "\n\n".join("\n".join(_text(path, readiness)) for path, readiness in found)
    return render([each for _, one in found for each in readiness_as_findings(one)], form)


def readiness_as_findings(readiness: Readiness) -> Iterator[Diagnostic]:
    """Yield a warning for each thing that keeps an operation from being ready, for formats that know only findings."""
    for operation in readiness.operations:
        for word in operation.deciding:
            yield Diagnostic(
                code=word.code,
                severity="warning",
                message=f"{_called(operation)}: {_said(word)}",
                origin=operation.origin,
                hint=mend_of(word.code),
                tool=operation.name,
            )
    yield from readiness.unlisted


def _text(path: Path, readiness: Readiness) -> Iterator[str]:
    counts = readiness.counts
    yield _headline(path, readiness)
    yield ""
    yield f"  {counts['ready']:>6} ready: a charter that lists their inputs and a view will do"
    yield f"  {counts['needs']:>6} need the charter's word on something, named below"
    yield f"  {counts['cannot']:>6} cannot be a tool as described"
    mends = _mends(readiness)
    if mends:
        yield from ("", "What is needed most:")
    for mend in mends[:_MOST_MENDS]:
        rest = f", {mend.alone} with no other need" if mend.alone else ""
        yield f"  {titled(mend.code)}: {counted(mend.operations, 'operation')}{rest}"
        yield f"      {mend_of(mend.code)}"
        if len(mend.places) > 1:
            yield f"      most at {', '.join(f'`{place}` ({n})' for place, n in mend.places)}"
        yield f"      e.g. {mend.example}"
    yield from _tags(readiness)
    stuck = [one for one in readiness.operations if one.status == "cannot"]
    if stuck:
        yield from ("", "What cannot be a tool:")
        yield from (f"  {row}" for row in map(_row, stuck[:_MOST_LISTED]))
        if len(stuck) > _MOST_LISTED:
            yield f"  and {len(stuck) - _MOST_LISTED} more"
    yield from _beside(readiness)
    yield from (
        "",
        "`--format concise` has a line for each operation, `--format json` every place.",
    )


def _headline(path: Path, readiness: Readiness) -> str:
    counts = readiness.counts
    return visible(
        f"{path.as_posix()}: {counted(len(readiness.operations), 'operation')} of OpenAPI {readiness.version}: "
        f"{counts['ready']} ready, {counts['needs']} need the charter's word, {counts['cannot']} cannot be a tool."
    )


@dataclass(frozen=True, slots=True)
class _Mend:
    """What several operations need: how many, how many with no other need, where most, and one of them."""

    code: str
    operations: int
    alone: int
    places: tuple[tuple[str, int], ...]
    example: str


def _mends(readiness: Readiness) -> list[_Mend]:
    """Return what is needed, the most needed first."""
    every: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    places: dict[str, Counter[str]] = {}
    examples: dict[str, str] = {}
    for operation in readiness.operations:
        every.update(operation.codes)
        if len(operation.codes) == 1:
            alone.update(operation.codes)
        for word in operation.deciding:
            places.setdefault(word.code, Counter())[visible(word.place, 60)] += 1
            examples.setdefault(word.code, f"{_called(operation)}: {_said(word)}")
    ranked = sorted(every, key=lambda code: (-every[code], -alone[code], code))
    return [
        _Mend(
            code, every[code], alone[code], _most(places[code]), visible(examples[code], _LONGEST)
        )
        for code in ranked
    ]


def _most(places: Counter[str]) -> tuple[tuple[str, int], ...]:
    ranked = sorted(places.items(), key=lambda each: (-each[1], each[0]))
    return tuple((place, count) for place, count in ranked[:_MOST_PLACES] if place and count > 1)


def _tags(readiness: Readiness) -> Iterator[str]:
    counts = _by_tag(readiness)
    if len(counts) < 2:
        return
    width = min(max(len(visible(tag, 40)) for tag in counts), 40)
    yield from ("", f"  {'By tag:':<{width}}   ready  need  cannot")
    for tag, found in list(counts.items())[:_MOST_TAGS]:
        numbers = f"{found['ready']:>7} {found['needs']:>5} {found['cannot']:>7}"
        yield f"  {visible(tag, 40):<{width}} {numbers}"
    if len(counts) > _MOST_TAGS:
        yield f"  and {len(counts) - _MOST_TAGS} more"


def _by_tag(readiness: Readiness) -> dict[str, Counter[Status]]:
    """Return the counts of each tag, the largest first; an operation of no tag is under `(none)`."""
    found: dict[str, Counter[Status]] = {}
    for operation in readiness.operations:
        for tag in operation.tags or ("(none)",):
            found.setdefault(tag, Counter())[operation.status] += 1
    return dict(sorted(found.items(), key=lambda each: (-each[1].total(), each[0])))


def _beside(readiness: Readiness) -> Iterator[str]:
    """Yield what decides nothing and helps to know."""
    ceilings = sum(any(w.kind == "ceiling" for w in one.words) for one in readiness.operations)
    writes = sum(not one.reads for one in readiness.operations)
    having = Counter(code for one in readiness.operations for code in {w.code for w in one.words})
    rows = [
        (
            ceilings,
            "take text, lists or maps of any length: `ceilings: {string: 2000, array: 100}` bounds them",
        ),
        (
            writes,
            "are writes by their verb: each needs approval, target, idempotency, unknown, evidence and compensation",
        ),
        (
            having["TC502"],
            "of the writes describe no idempotency key, and their verb may not be repeated: TC502",
        ),
        (
            having["TC510"],
            "are described without a credential: if they take one, `auth: {scheme: bearer, because: …}` says so",
        ),
        (
            having["TC737"],
            "take one of several credentials: say which with `defaults: {auth: {scheme: …}}`",
        ),
        (having["TC802"], "are deprecated"),
        (len(readiness.unlisted), "paths could not be read, and their operations are not counted"),
    ]
    said = [f"  {count:>6} {text}" for count, text in rows if count]
    if said:
        yield from ("", "Good to know:", *said)


def _concise(readiness: Readiness) -> Iterator[str]:
    for operation in sorted(readiness.operations, key=lambda one: _ORDER[one.status]):
        yield _row(operation)
    for each in readiness.unlisted:
        yield visible(f"{each.origin}: unlisted: {each.code} {each.message}")


def _row(operation: OperationReadiness) -> str:
    deciding = operation.deciding
    said = "; ".join(f"{word.code} {_said(word)}" for word in deciding[:_MOST_SAID])
    if len(deciding) > _MOST_SAID:
        said += f"; and {len(deciding) - _MOST_SAID} more"
    return visible(
        f"{operation.origin}: {operation.status} {_called(operation)}{f': {said}' if said else ''}"
    )


def _called(operation: OperationReadiness) -> str:
    written = f"{operation.method} {operation.path}"
    return written if operation.name == written else f"{written} ({operation.name})"


def _said(word: Word) -> str:
    if word.code.startswith("TC7") and ":" in word.place:
        return f"{word.what} ({word.place})"
    return f"`{word.place}` {word.what}" if word.place else word.what


def _json(path: Path, readiness: Readiness) -> dict[str, Any]:
    return {
        "file": visible(path.as_posix()),
        "title": visible(readiness.title),
        "version": readiness.version,
        "summary": {
            "operations": len(readiness.operations),
            **readiness.counts,
            "unlisted": len(readiness.unlisted),
            "by_code": [
                {
                    "code": mend.code,
                    "operations": mend.operations,
                    "alone": mend.alone,
                    "mend": mend_of(mend.code),
                    "places": dict(mend.places),
                    "example": mend.example,
                }
                for mend in _mends(readiness)
            ],
            "by_tag": {
                visible(tag): {status: found[status] for status in ("ready", "needs", "cannot")}
                for tag, found in _by_tag(readiness).items()
            },
        },
        "operations": [_operation(one) for one in readiness.operations],
        "unlisted": [
            {"code": each.code, "message": visible(each.message), "pointer": each.origin.pointer}
            for each in readiness.unlisted
        ],
    }


def _operation(operation: OperationReadiness) -> dict[str, Any]:
    origin = operation.origin
    return {
        "name": visible(operation.name),
        "method": operation.method,
        "path": visible(operation.path),
        "tags": [visible(tag) for tag in operation.tags],
        "status": operation.status,
        "likely_effect": "read" if operation.reads else "write",
        "file": visible(origin.file),
        "line": origin.line,
        "column": origin.column,
        "pointer": visible(origin.pointer),
        "words": [
            {"kind": w.kind, "code": w.code, "place": visible(w.place), "what": visible(w.what)}
            for w in operation.words
        ],
    }
