"""Credentials: asked from the application for each call, and put only into the request that leaves (X4)."""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import quote, quote_plus

from toolcharter_runtime import frozen
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.language import tokens_of
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.upstream.bodies import put
from toolcharter_runtime.upstream.errors import NotSent
from toolcharter_runtime.upstream.request import BuiltRequest, CredentialPlace
from toolcharter_runtime.upstream.writing import add_part

__all__ = ["AuthCallback", "Credential", "CredentialError", "Need", "ask", "with_credential"]

_PRINTABLE: Final = re.compile(r"[\x20-\x7e]+", re.ASCII)
_COOKIE_OCTETS: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+", re.ASCII)


class CredentialError(NotSent):
    """There is no credential, or not of the kind that the tool needs. Nothing was sent."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a call needs a credential for; `auth(caller, need)` answers it."""

    tool: str
    """Registry id, e.g. `get_customer.v1`."""
    effect: Literal["read", "write"]
    scheme: str | None = None
    scopes: tuple[str, ...] = ()
    acts_as: Literal["service", "person"] = "service"
    also: tuple[str, ...] = ()
    """Schemes of API keys that are sent beside it; the credential gives each under its scheme's name."""


class Credential:
    """What proves who calls; its values are in no text, error or copy that this library makes.

    Make one with `bearer`, `basic`, `api_key` or `named`.
    """

    __slots__ = ("_kind", "_secret", "_values")

    def __init__(self, kind: str, secret: str, values: Mapping[str, str] | None = None) -> None:
        self._kind = kind
        self._secret = secret
        self._values = dict(values or {})

    @classmethod
    def bearer(cls, token: str, **named: str) -> Credential:
        """Return a bearer token, for HTTP bearer, OAuth 2 and OpenID Connect."""
        return cls("bearer", token, named)

    @classmethod
    def basic(cls, username: str, password: str, **named: str) -> Credential:
        """Return a user name and password for HTTP basic authentication."""
        pair = f"{username}:{password}".encode()
        return cls("basic", base64.b64encode(pair).decode("ascii"), named)

    @classmethod
    def api_key(cls, key: str, **named: str) -> Credential:
        """Return an API key; the contract says in which header, query parameter or cookie it goes."""
        return cls("api_key", key, named)

    @classmethod
    def named(cls, **values: str) -> Credential:
        """Return values for `{$credential.NAME}` alone."""
        return cls("named", "", values)

    def places(self, auth: frozen.Auth) -> Iterator[tuple[CredentialPlace, str]]:
        """Yield where each secret that the contract asks for goes, and the secret."""
        yield self._main(auth)
        for key in auth.also:
            yield CredentialPlace(key.location, key.name, key.scheme), self._named(key.scheme)

    def _main(self, auth: frozen.Auth) -> tuple[CredentialPlace, str]:
        if auth.kind == "api_key":
            if auth.also and auth.scheme in self._values:
                secret = self._values[auth.scheme]
            else:
                self._expect("api_key")
                secret = self._secret
            return CredentialPlace(auth.location, auth.name, auth.scheme), secret
        self._expect("basic" if auth.kind == "basic" else "bearer")
        word = "Basic" if auth.kind == "basic" else "Bearer"
        return CredentialPlace("header", "Authorization", auth.scheme), f"{word} {self._secret}"

    def _named(self, scheme: str) -> str:
        if not self._values.get(scheme):
            raise CredentialError(f"the credential has no value named {scheme}")
        return self._values[scheme]

    def value(self, name: str) -> str:
        """Return the value behind `{$credential.NAME}`; a lone secret serves every name."""
        found = self._values.get(name, self._secret)
        if not found:
            raise CredentialError(f"the credential has no value named {name}")
        return found

    def _expect(self, kind: str) -> None:
        if self._kind != kind:
            raise CredentialError(f"the tool needs a credential of kind {kind}, not {self._kind}")
        if not self._secret:
            raise CredentialError(f"the {kind} credential is empty")

    def __repr__(self) -> str:
        return f"<Credential {self._kind}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a credential is not copied or stored")


AuthCallback: TypeAlias = Callable[[Caller, Need], Credential | Awaitable[Credential]]
"""The application's callback; it may be sync or async."""


async def ask(
    auth: AuthCallback | Credential | None, caller: Caller, contract: frozen.Contract
) -> Credential:
    """Return the credential of a call; raise `CredentialError`, never with the callback's own text."""
    if isinstance(auth, Credential):
        return auth
    if auth is None:
        raise CredentialError(f"{contract.id} needs a credential, and the upstream has no `auth`")
    try:
        answered = auth(caller, _NEEDS.of(contract))
        if not isinstance(answered, Credential) and inspect.isawaitable(answered):
            answered = await answered
        credential = _checked(answered)
    except Exception as error:
        raise CredentialError(f"the credentials callback failed: {type(error).__name__}") from None
    if credential is None:
        raise CredentialError("the credentials callback did not return a Credential")
    return credential


def _need(contract: frozen.Contract) -> Need:
    wanted = contract.auth
    return Need(
        tool=contract.id,
        effect=contract.effect,
        scheme=wanted.scheme if wanted else None,
        scopes=wanted.scopes if wanted else (),
        acts_as=wanted.acts_as if wanted else "service",
        also=tuple(key.scheme for key in wanted.also) if wanted else (),
    )


_NEEDS: PerObject[frozen.Contract, Need] = PerObject(_need)


def _checked(answered: object) -> Credential | None:
    return answered if isinstance(answered, Credential) else None


def with_credential(
    built: BuiltRequest, auth: frozen.Auth | None, credential: Credential
) -> tuple[str, list[tuple[str, str]], bytes | None]:
    """Return query, headers and body with the credential in them."""
    secrets = [] if auth is None else list(credential.places(auth))
    secrets += [(place, credential.value(place.credential)) for place in built.credentials]
    query, headers, body = built.query, list(built.headers), built.body
    for place, secret in secrets:
        match place.location:
            case "header":
                headers.append((place.name, _sendable(secret)))
            case "query":
                query = _joined(query, place.name, secret)
            case "cookie":
                _add_cookie(headers, place.name, secret)
            case "body":
                body = _body_with(built, body, place, secret)
    return query, headers, body


def _body_with(
    built: BuiltRequest, body: bytes | None, place: CredentialPlace, secret: str
) -> bytes:
    media = next((text for name, text in built.headers if name == "Content-Type"), "")
    tokens = tokens_of(place.name)
    kind = media.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        pair = f"{quote_plus(tokens[0])}={quote_plus(secret)}".encode("ascii")
        return b"&".join(part for part in (body, pair) if part)
    if kind == "multipart/form-data":
        written = add_part(body or b"", media, tokens[0], secret)
        if written is None:
            raise CredentialError("the credential holds the boundary of the body's parts")
        return written
    value = put(json.loads(body or b"{}"), tokens, secret)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _joined(query: str, name: str, secret: str) -> str:
    """Add the secret's parameter; a request that has one of its name would be read in two ways."""
    own = f"{quote(name, safe='')}="
    if any(pair.startswith(own) for pair in query.split("&")):
        raise CredentialError("the request has a parameter of the credential's own name")
    pair = own + quote(secret, safe="")
    return f"{query}&{pair}" if query else pair


def _add_cookie(headers: list[tuple[str, str]], name: str, secret: str) -> None:
    """Add the secret's cookie to the one `Cookie` header (RFC 6265, section 5.4)."""
    if not _COOKIE_OCTETS.fullmatch(secret):
        raise CredentialError("the credential holds a character that no cookie can")
    for index, (key, text) in enumerate(headers):
        if key.lower() != "cookie":
            continue
        if any(one.partition("=")[0] == name for one in text.split("; ")):
            raise CredentialError("the request has a cookie of the credential's own name")
        headers[index] = (key, f"{text}; {name}={secret}")
        return
    headers.append(("Cookie", f"{name}={secret}"))


def _sendable(text: str) -> str:
    if not _PRINTABLE.fullmatch(text):
        raise CredentialError("the credential is not printable ASCII, so no header can carry it")
    return text
