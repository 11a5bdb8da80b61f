"""The operation behind a tool: its body, its successes, its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcharter.source import Operation, ResponseSpec
from toolcharter.wording import flaws
from toolcharter_runtime.frozen import Success

from .case import BodyPlan, Case
from .media import body_kind, is_binary, is_foreign, is_json, is_text, plain
from .merging import JsonSchema

__all__ = [
    "DESCRIPTION_LENGTH",
    "answer_media",
    "bodies_always",
    "clean_text",
    "description_of",
    "foreign_media",
    "has_text",
    "is_declared",
    "is_json",
    "plan_body",
    "success_bodies",
    "success_headers",
    "success_responses",
    "successes",
]

DESCRIPTION_LENGTH = 400
"""The longest text of a description that is carried over; a longer one is left to the charter's author."""

_DONE: Final = frozenset({"accepted", "completed"})


def plan_body(case: Case) -> BodyPlan | None:
    """Return the request body's media type and schema; None where the operation has none."""
    bodies = case.operation.bodies
    if not bodies:
        if case.spec.media is not None:
            message = f"{case.operation.key} declares no request body"
            case.findings.error("TC110", message, case.at("media"), "remove `media`")
        return None
    media = _named_media(case) if case.spec.media else next(iter(bodies))
    if media is None or (case.spec.media is None and len(bodies) > 1):
        message = f"{case.operation.key} takes its body in one of {len(bodies)} media types"
        hint = f"state `media`: {', '.join(sorted(bodies))}"
        case.findings.error("TC110", message, case.at("media"), hint)
        return None
    kind = body_kind(media)
    if kind is None:
        code = "TC405" if is_binary(media) else "TC705"
        message = f"a body of {media} cannot be sent"
        hint = "JSON, forms, multipart/form-data and plain text can; choose another operation"
        case.findings.error(code, message, bodies[media].origin, hint)
        return None
    return BodyPlan(media, kind, bodies[media].schema, case.operation.body_required)


def _named_media(case: Case) -> str | None:
    """Return the declared media type that the charter names, its parameters left out or not."""
    wanted, bodies = str(case.spec.media), case.operation.bodies
    if wanted in bodies:
        return wanted
    near = [media for media in bodies if plain(media) == plain(wanted)]
    return near[0] if len(near) == 1 and plain(wanted) == wanted.lower() else None


def _is_success(status: str) -> bool:
    return status.startswith("2")


def success_responses(operation: Operation) -> Iterator[tuple[str, ResponseSpec]]:
    """Yield the declared successes in the order of their statuses; `default` only where there is no other."""
    found = sorted(
        (status, response) for status, response in _pairs(operation) if _is_success(status)
    )
    if not found and "default" in operation.responses:
        found = [("default", operation.responses["default"])]
    yield from found


def _pairs(operation: Operation) -> Iterator[tuple[str, ResponseSpec]]:
    for status, response in operation.responses.items():
        yield status.upper() if status != "default" else status, response


def success_bodies(case: Case) -> tuple[JsonSchema, ...]:
    """Return the JSON schemas of the successes, each once, in the order of their statuses."""
    schemas: list[JsonSchema] = []
    for _, response in success_responses(case.operation):
        schema = next((s for media, s in response.bodies.items() if is_json(media)), None)
        if schema is not None and schema not in schemas:
            schemas.append(schema)
    return tuple(schemas)


def bodies_always(case: Case) -> bool:
    """Say whether every success has a body that a view can read; a 204 beside a 200 has none."""
    read = [answer_media(response) for _, response in success_responses(case.operation)]
    return all(media is not None and not is_foreign(media) for media in read)


def foreign_media(case: Case) -> tuple[str, ...]:
    """Return the media types of the successes, where none of them is JSON."""
    found: dict[str, None] = {}
    for _, response in success_responses(case.operation):
        found |= dict.fromkeys(response.bodies)
    return () if any(is_json(media) for media in found) else tuple(found)


def has_text(case: Case) -> bool:
    """Say whether the successes are plain texts, each of which is one value."""
    found = foreign_media(case)
    return any(is_text(media) for media in found)


def answer_media(response: ResponseSpec) -> str | None:
    """Return the media type that is asked for and read of a response: JSON, else text, else the first."""
    bodies = tuple(response.bodies)
    for wanted in (is_json, is_text):
        for media in bodies:
            if wanted(media):
                return media
    return bodies[0] if bodies else None


def success_headers(operation: Operation) -> dict[str, JsonSchema]:
    """Return the headers that some success declares."""
    found: dict[str, JsonSchema] = {}
    for _, response in success_responses(operation):
        for name, schema in response.headers.items():
            found.setdefault(name, schema)
    return found


def successes(case: Case) -> tuple[Success, ...]:
    """Return the success statuses that the description declares.

    Reports an operation without any, unless a rule of `answers` says which status completes; that status is attested.
    """
    found: list[Success] = []
    for status, response in success_responses(case.operation):
        media = answer_media(response)
        found.append(Success(status="2XX" if status == "default" else status, media=media))
    if not found and not any(rule.outcome in _DONE for rule in case.spec.answers):
        message = f"{case.operation.key} declares no success"
        hint = "say in `answers` which status completes, and attest it; or add it with an overlay"
        case.findings.error("TC407", message, case.operation.origin, hint)
    return tuple(found)


def is_declared(operation: Operation, status: int) -> bool:
    """Say whether the description declares a status, by itself, as a range or as `default`."""
    names = {status_name.upper() for status_name in operation.responses}
    return bool({str(status), f"{status // 100}XX", "DEFAULT"} & names)


def clean_text(text: str | None) -> str | None:
    """Return a text of the description on one line, if it is short and plain; else None.

    One with hidden characters or an instruction to a model is returned as it is: the rules refuse it (TC604, TC611),
    and the author learns what the description holds, where leaving it out in silence would not tell.
    """
    if text is None:
        return None
    line = " ".join(text.split())
    kinds = {flaw.kind for flaw in flaws(line)}
    if kinds & {"hidden", "instruction"}:
        return line
    return line if 0 < len(line) <= DESCRIPTION_LENGTH and not kinds else None


def description_of(case: Case) -> str:
    """Return the text for the model: the charter's, else the description's if it is clean and short, else none."""
    if case.spec.description is not None:
        return case.spec.description
    operation = case.operation
    return clean_text(operation.description) or clean_text(operation.summary) or ""
