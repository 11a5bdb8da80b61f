"""An upstream's answer and what it means (R5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, cast

from toolcharter_runtime import frozen
from toolcharter_runtime.codes import ErrorCode
from toolcharter_runtime.language import (
    ABSENT,
    Scope,
    holds,
    parse_place,
    pointer_of,
    read_pointer,
)
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.strict import Rejected, parse_json

__all__ = ["Answer", "Judgement", "judge", "parse_answer", "retry_after", "texts_of"]

_ANSWER_DEPTH = 200
_BOM: Final = b"\xef\xbb\xbf"
_CHARSETS: Final = frozenset(
    {"iso-8859-1", "utf-16", "utf-16be", "utf-16le", "utf-32", "us-ascii", "windows-1252"}
)
"""What is read beside UTF-8, where the answer says so."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, read within its bounds. `headers` have lower-case names; the body is JSON, a text or `ABSENT`."""

    status: int
    headers: Mapping[str, str]
    body: Any = ABSENT
    too_large: bool = False
    not_json: bool = False
    """There is a body that is neither JSON nor a text that the description declares."""

    def header(self, name: str) -> str | None:
        """Return a header's value; names ignore case."""
        return self.headers.get(name.lower())

    def look_up(self, place: str) -> Any:
        """Return what stands at a place of the answer (`http`, `header.X`, `/pointer`), or `ABSENT`."""
        parsed = parse_place(place)
        if parsed.location == "http":
            return self.status
        if parsed.location == "header":
            found = self.headers.get(parsed.name.lower())
            return ABSENT if found is None else found
        if parsed.location == "body":
            return ABSENT if self.body is ABSENT else read_pointer(self.body, parsed.pointer)
        return ABSENT


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer means. `code` is None for `completed` and `accepted`; `field` is a pointer into the arguments."""

    outcome: Literal["completed", "accepted", "rejected", "unknown"]
    code: ErrorCode | None = None
    field: str | None = None
    replayed: bool = False
    by_rule: bool = False
    """A rule of the charter said so, rather than the defaults."""


def parse_answer(
    status: int,
    headers: Mapping[str, str],
    raw: bytes | None,
    texts: frozenset[str] = frozenset(),
) -> Answer:
    """Return the answer of a body that was read whole; `raw` is None where it was larger than its bound.

    `texts` are the media types of which the body is one text.
    """
    if raw is None:
        return Answer(status, headers, too_large=True)
    if not raw:
        return Answer(status, headers)
    declared = headers.get("content-type", "application/json")
    media = _plain(declared)
    raw = _as_utf8(raw, declared)
    if media in texts:
        try:
            return Answer(status, headers, raw.decode("utf-8"))
        except UnicodeDecodeError:
            return Answer(status, headers, not_json=True)
    if not _is_json(media):
        return Answer(status, headers, not_json=True)
    try:
        body = parse_json(raw, max_bytes=len(raw), max_depth=_ANSWER_DEPTH, exact=False)
    except Rejected:
        return Answer(status, headers, not_json=True)
    return Answer(status, headers, body)


def texts_of(contract: frozen.Contract, status: int) -> frozenset[str]:
    """Return the media types that the contract reads as one text in a success of this status."""
    named = [one.media for one in contract.successes if one.status == str(status)]
    if not named and 200 <= status < 300:
        named = [one.media for one in contract.successes if one.status.upper() == "2XX"]
    media = [_plain(one) for one in named if one is not None]
    return frozenset(one for one in media if not _is_json(one) and _TEXTUAL.match(one))


_TEXTUAL: Final = re.compile(r"text/|application/(?:x-)?(?:yaml|ndjson|jsonl|sdp)$", re.ASCII)


def _plain(media: str) -> str:
    return media.partition(";")[0].strip().lower()


def _is_json(media: str) -> bool:
    return media in ("application/json", "text/json") or media.endswith("+json")


def _as_utf8(raw: bytes, media: str) -> bytes:
    """Return the body in UTF-8, without a byte order mark; one in a charset that is not read stays as it is."""
    charset = ""
    for parameter in media.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip('"').lower()
    if charset in _CHARSETS:
        try:
            return raw.decode(charset).encode("utf-8")
        except UnicodeError:
            return raw
    return raw.removeprefix(_BOM)


def judge(
    contract: frozen.Contract, answer: Answer, *, precondition_sent: bool, scope: Scope
) -> Judgement:
    """Return what the answer means: the charter's rules in their order, then the table of section 6."""
    for rule in contract.answers:
        if holds(rule.when, answer.look_up, scope):
            return _by_rule(contract, rule)
    if contract.effect == "write":
        return _judge_write(contract, answer, precondition_sent)
    return _judge_read(contract, answer)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that `Retry-After` asks for, from either of its forms; None without a readable one."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _by_rule(contract: frozen.Contract, rule: frozen.AnswerRule) -> Judgement:
    if rule.outcome in ("completed", "accepted"):
        return Judgement(rule.outcome, replayed=rule.replayed, by_rule=True)
    if rule.outcome == "unknown":
        if contract.effect == "write":
            return Judgement("unknown", "UNKNOWN_OUTCOME", by_rule=True)
        return Judgement("rejected", "UPSTREAM_UNAVAILABLE", by_rule=True)
    code = cast("ErrorCode", rule.code or "UPSTREAM_REJECTED")
    return Judgement("rejected", code, _field(rule.field), rule.replayed, by_rule=True)


def _judge_read(contract: frozen.Contract, answer: Answer) -> Judgement:
    status = answer.status
    if _completes(contract, status):
        if answer.too_large and _NEEDS_BODY.of(contract):
            return Judgement("rejected", "RESULT_TOO_LARGE")
        if answer.not_json and _NEEDS_BODY.of(contract):
            return Judgement("rejected", "UPSTREAM_CONTRACT_VIOLATION")
        return Judgement("completed")
    if status in (404, 410):
        return Judgement("rejected", "TARGET_NOT_FOUND")
    if status == 429:
        return Judgement("rejected", "RATE_LIMITED")
    if status in (408, 425) or status >= 500:
        return Judgement("rejected", "UPSTREAM_UNAVAILABLE")
    if 400 <= status < 500:
        return Judgement("rejected", "UPSTREAM_REJECTED")
    return Judgement("rejected", "UPSTREAM_CONTRACT_VIOLATION")


def _judge_write(contract: frozen.Contract, answer: Answer, precondition_sent: bool) -> Judgement:
    status = answer.status
    if _completes(contract, status):
        follows = contract.write is not None and contract.write.follow is not None
        return Judgement("accepted" if status == 202 and follows else "completed")
    if status == 412 and precondition_sent:
        return Judgement("rejected", "VERSION_CONFLICT")
    if status == 429:
        return Judgement("rejected", "RATE_LIMITED")
    if 400 <= status < 500 and status not in (408, 425):
        return Judgement("rejected", "UPSTREAM_REJECTED")
    return Judgement("unknown", "UNKNOWN_OUTCOME")


def _completes(contract: frozen.Contract, status: int) -> bool:
    """Whether a status is a declared 2xx that completes."""
    completing = _COMPLETING.of(contract)
    return 200 <= status < 300 and (str(status) in completing or "2XX" in completing)


def _completing(contract: frozen.Contract) -> frozenset[str]:
    """The declared statuses, unless the charter has rules of its own for what completes."""
    if any(rule.outcome in ("completed", "accepted") for rule in contract.answers):
        return frozenset()
    return frozenset(success.status.upper() for success in contract.successes)


def _needs_body(contract: frozen.Contract) -> bool:
    """Whether the view takes something out of the body; headers alone say what a file is."""
    places = [field.count or field.at or "" for field in contract.view.fields]
    return not places or not all(place.startswith("header.") for place in places)


_NEEDS_BODY: PerObject[frozen.Contract, bool] = PerObject(_needs_body)
_COMPLETING: PerObject[frozen.Contract, frozenset[str]] = PerObject(_completing)


def _field(name: str | None) -> str | None:
    if name is None or name.startswith("/"):
        return name
    return pointer_of(*name.split("."))
