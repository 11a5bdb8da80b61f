"""The credential that a call needs: the charter's word, or the description's where it leaves no choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from toolcharter.charter.findings import nearest
from toolcharter.charter.schema import AuthSpec
from toolcharter.source import SecurityScheme
from toolcharter_runtime.frozen import Auth, Key

from .case import Case

__all__ = ["credential_of_cookie", "resolve_auth"]

_HTTP_SCHEMES: Final[Mapping[str, Literal["bearer", "basic"]]] = {
    "bearer": "bearer",
    "basic": "basic",
}
"""What a charter may name, with `because`, where the description declares no scheme (GitHub's has none)."""
_UNDECLARED: Final = (
    "name `bearer` or `basic` with `because`, or leave `auth` out of what takes no credential"
)


def resolve_auth(case: Case) -> Auth | None:
    """Return the credential the call needs; reports where the description leaves a choice and the charter none.

    Of several alternatives the charter's `scheme` names one: the smallest that has it, the first of equals. What an
    alternative asks for beside it are API keys, which are sent too.
    """
    spec, pointer = case.spec.auth, case.at("auth")
    default = case.api.charter.defaults.auth
    if spec is None and default is not None and _fits(case, default):
        case.api.used_defaults.add("/auth")
        spec, pointer = default, "/defaults/auth"
    if spec is not None:
        return _stated_auth(case, spec, pointer)
    alternatives = case.operation.security
    if not alternatives or any(not alternative for alternative in alternatives):
        return None
    if len(alternatives) > 1:
        message = f"{case.operation.key} can be called with one of several credentials"
        known = sorted({name for alternative in alternatives for name in alternative})
        case.findings.error(
            "TC737", message, pointer, f"state `auth: {{scheme: …}}`: {', '.join(known)}"
        )
        return None
    only = next(iter(alternatives))
    main = _main_of(case, only)
    scheme = None if main is None else case.api.description.security_schemes.get(main)
    if main is None or scheme is None:
        return None
    return _auth(case, scheme, AuthSpec(scheme=main, scopes=only[main]), only, pointer)


def _main_of(case: Case, alternative: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return the scheme whose secret is the credential itself: the one that is no API key, else the first."""
    schemes = case.api.description.security_schemes
    known = [name for name in alternative if name in schemes]
    others = [name for name in known if schemes[name].kind != "api_key"]
    return next(iter([*others, *known]), None)


def _fits(case: Case, default: AuthSpec) -> bool:
    undeclared = default.scheme not in case.api.description.security_schemes
    return bool(_having(case, default.scheme)) or (undeclared and default.because is not None)


def _having(case: Case, scheme: str) -> list[Mapping[str, tuple[str, ...]]]:
    """Return the alternatives that have a scheme, the smallest first."""
    found = [alternative for alternative in case.operation.security or () if scheme in alternative]
    return sorted(found, key=len)


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
        hint = nearest(spec.scheme, schemes) if schemes else _UNDECLARED
        case.findings.error("TC737", message, pointer, hint)
        return None
    having = _having(case, spec.scheme)
    if not having and spec.because is None:
        message = f"{case.operation.key} does not declare the scheme `{spec.scheme}`"
        case.findings.error("TC737", message, pointer, "state `because`, or another scheme")
    return _auth(case, scheme, spec, having[0] if having else {}, pointer)


def _auth(
    case: Case,
    scheme: SecurityScheme,
    spec: AuthSpec,
    alternative: Mapping[str, tuple[str, ...]],
    pointer: str,
) -> Auth | None:
    schemes = case.api.description.security_schemes
    main = spec.scheme
    if len(alternative) > 1:
        main = _main_of(case, alternative) or main
        scheme = schemes[main]
    if scheme.kind == "other":
        message = f"the scheme `{main}` cannot be carried"
        case.findings.error(
            "TC705", message, scheme.origin, "bearer, basic, API keys, OAuth 2 and OpenID can"
        )
        return None
    for scope in spec.scopes:
        if scheme.scopes and scope not in scheme.scopes:
            message = f"the scheme `{main}` has no scope `{scope}`"
            case.findings.error("TC737", message, pointer, nearest(scope, scheme.scopes))
    beside = [name for name in alternative if name != main]
    keys = [_key(case, name, main) for name in beside]
    found = tuple(key for key in keys if key is not None)
    if len(found) != len(beside):
        return None
    return Auth(
        scheme=main,
        kind=scheme.kind,
        location=scheme.location,
        name=scheme.name,
        scopes=spec.scopes,
        acts_as=spec.acts_as,
        also=found,
    )


def _key(case: Case, name: str, main: str) -> Key | None:
    """Return what is sent beside the credential itself; only an API key has a place of its own."""
    scheme = case.api.description.security_schemes.get(name)
    if scheme is not None and scheme.kind == "api_key":
        return Key(scheme=name, location=scheme.location, name=scheme.name)
    message = f"{case.operation.key} asks for `{main}` and `{name}` at once"
    origin = case.operation.origin if scheme is None else scheme.origin
    case.findings.error("TC705", message, origin, "beside a credential only API keys can be sent")
    return None


def credential_of_cookie(case: Case, name: str) -> str | None:
    """Return the scheme whose secret a cookie is, or None."""
    for scheme, found in case.api.description.security_schemes.items():
        if found.kind == "api_key" and found.location == "cookie" and found.name == name:
            return scheme
    return None
