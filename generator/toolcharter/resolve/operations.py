"""The operation behind a tool: its body, its successes, its credential, its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from toolcharter.charter.findings import nearest
from toolcharter.charter.schema import AuthSpec
from toolcharter.source import Operation, ResponseSpec, SecurityScheme
from toolcharter.wording import flaws
from toolcharter_runtime.frozen import Auth, Success

from .case import BodyPlan, Case
from .merging import JsonSchema

__all__ = [
    "DESCRIPTION_LENGTH",
    "clean_text",
    "description_of",
    "is_declared",
    "is_json",
    "plan_body",
    "resolve_auth",
    "success_bodies",
    "success_headers",
    "success_responses",
    "successes",
]

DESCRIPTION_LENGTH = 400
"""The longest text of a description that is carried over; a longer one is left to the charter's author."""

_FORM = "application/x-www-form-urlencoded"

_HTTP_SCHEMES: Final[Mapping[str, Literal["bearer", "basic"]]] = {
    "bearer": "bearer",
    "basic": "basic",
}
"""What a charter may name, with `because`, where the description declares no scheme (GitHub's has none)."""


def plan_body(case: Case) -> BodyPlan | None:
    """Return the request body's media type and schema; None where the operation has none."""
    bodies = case.operation.bodies
    if not bodies:
        if case.spec.media is not None:
            message = f"{case.operation.key} declares no request body"
            case.findings.error("TC110", message, case.at("media"), "remove `media`")
        return None
    media = case.spec.media or (next(iter(bodies)) if len(bodies) == 1 else None)
    if media is None or media not in bodies:
        message = f"{case.operation.key} takes its body in one of {len(bodies)} media types"
        hint = f"state `media`: {', '.join(sorted(bodies))}"
        case.findings.error("TC110", message, case.at("media"), hint)
        return None
    if not is_json(media) and media != _FORM:
        message = f"a body of {media} cannot be sent"
        hint = "JSON and URL-encoded forms can; choose another operation"
        case.findings.error("TC705", message, bodies[media].origin, hint)
        return None
    kind = "form" if media == _FORM else "json"
    return BodyPlan(media, kind, bodies[media].schema, case.operation.body_required)


def is_json(media: str) -> bool:
    """Say whether a media type is JSON, `+json` types included."""
    plain = media.partition(";")[0].strip().lower()
    return plain == "application/json" or plain.endswith("+json") or plain == "*/*"


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


def success_headers(operation: Operation) -> dict[str, JsonSchema]:
    """Return the headers that some success declares."""
    found: dict[str, JsonSchema] = {}
    for _, response in success_responses(operation):
        for name, schema in response.headers.items():
            found.setdefault(name, schema)
    return found


def successes(case: Case) -> tuple[Success, ...]:
    """Return the success statuses that the description declares; reports an operation without any."""
    found: list[Success] = []
    for status, response in success_responses(case.operation):
        media = next((media for media in response.bodies if is_json(media)), None)
        found.append(Success(status="2XX" if status == "default" else status, media=media))
    if not found:
        message = f"{case.operation.key} declares no success"
        case.findings.error("TC407", message, case.operation.origin, "add it with an overlay")
    return tuple(found)


def is_declared(operation: Operation, status: int) -> bool:
    """Say whether the description declares a status, by itself, as a range or as `default`."""
    names = {status_name.upper() for status_name in operation.responses}
    return bool({str(status), f"{status // 100}XX", "DEFAULT"} & names)


def resolve_auth(case: Case) -> Auth | None:
    """Return the credential the call needs: the charter's word, or the description's if it has one alternative."""
    spec, pointer = case.spec.auth, case.at("auth")
    default = case.api.charter.defaults.auth
    if spec is None and default is not None and _fits(case, default):
        case.api.used_defaults.add("/auth")
        spec, pointer = default, "/defaults/auth"
    alternatives = case.operation.security
    if spec is not None:
        return _stated_auth(case, spec, pointer)
    if not alternatives or any(not alternative for alternative in alternatives):
        return None
    first = next(iter(alternatives))
    if len(alternatives) > 1 or len(first) > 1:
        message = f"{case.operation.key} can be called with one of several credentials"
        known = sorted({name for alternative in alternatives for name in alternative})
        case.findings.error(
            "TC737", message, pointer, f"state `auth: {{scheme: …}}`: {', '.join(known)}"
        )
        return None
    ((name, scopes),) = first.items()
    scheme = case.api.description.security_schemes.get(name)
    return (
        None
        if scheme is None
        else _auth(case, name, scheme, AuthSpec(scheme=name, scopes=scopes), pointer)
    )


def _fits(case: Case, default: AuthSpec) -> bool:
    undeclared = default.scheme not in case.api.description.security_schemes
    return _takes(case, default.scheme) or (undeclared and default.because is not None)


def _takes(case: Case, scheme: str) -> bool:
    return any(scheme in alternative for alternative in case.operation.security or ())


def _stated_auth(case: Case, spec: AuthSpec, pointer: str) -> Auth | None:
    schemes: Mapping[str, SecurityScheme] = case.api.description.security_schemes
    scheme = schemes.get(spec.scheme)
    if scheme is None and spec.because is not None and spec.scheme in _HTTP_SCHEMES:
        return Auth(
            scheme=spec.scheme,
            kind=_HTTP_SCHEMES[spec.scheme],
            scopes=spec.scopes,
            acts_as=spec.acts_as,
        )
    if scheme is None:
        message = f"the description has no security scheme `{spec.scheme}`"
        case.findings.error("TC737", message, pointer, nearest(spec.scheme, schemes))
        return None
    if not _takes(case, spec.scheme) and spec.because is None:
        message = f"{case.operation.key} does not declare the scheme `{spec.scheme}`"
        case.findings.error("TC737", message, pointer, "state `because`, or another scheme")
    return _auth(case, spec.scheme, scheme, spec, pointer)


def _auth(
    case: Case, name: str, scheme: SecurityScheme, spec: AuthSpec, pointer: str
) -> Auth | None:
    if scheme.kind == "other":
        message = f"the scheme `{name}` cannot be carried"
        case.findings.error(
            "TC705", message, scheme.origin, "bearer, basic, API keys, OAuth 2 and OpenID can"
        )
        return None
    for scope in spec.scopes:
        if scheme.scopes and scope not in scheme.scopes:
            message = f"the scheme `{name}` has no scope `{scope}`"
            case.findings.error("TC737", message, pointer, nearest(scope, scheme.scopes))
    return Auth(
        scheme=name,
        kind=scheme.kind,
        location=scheme.location,
        name=scheme.name,
        scopes=spec.scopes,
        acts_as=spec.acts_as,
    )


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
