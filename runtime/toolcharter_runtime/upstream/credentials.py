"""Credentials: asked from the application for each call, and put only into the request that leaves (X4)."""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
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

__all__ = ["AuthCallback", "Credential", "CredentialError", "Need", "ask", "with_credential"]

_PRINTABLE: Final = re.compile(r"[\x20-\x7e]+", re.ASCII)


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

    def header(self, auth: frozen.Auth) -> tuple[str, str] | None:
        """Return the header that carries it, or None if it goes into the query."""
        if auth.kind == "api_key":
            self._expect("api_key")
            if auth.location == "query":
                return None
            cookie = auth.location == "cookie"
            text = f"{auth.name}={self._secret}" if cookie else self._secret
            return ("Cookie" if cookie else auth.name, _sendable(text))
        self._expect("basic" if auth.kind == "basic" else "bearer")
        word = "Basic" if auth.kind == "basic" else "Bearer"
        return ("Authorization", _sendable(f"{word} {self._secret}"))

    def query(self, auth: frozen.Auth) -> str:
        """Return the encoded query pair that carries it."""
        self._expect("api_key")
        return f"{quote(auth.name, safe='')}={quote(self._secret, safe='')}"

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
    )


_NEEDS: PerObject[frozen.Contract, Need] = PerObject(_need)


def _checked(answered: object) -> Credential | None:
    return answered if isinstance(answered, Credential) else None


def with_credential(
    built: BuiltRequest, auth: frozen.Auth | None, credential: Credential
) -> tuple[str, list[tuple[str, str]], bytes | None]:
    """Return query, headers and body with the credential in them."""
    query, headers, body = built.query, list(built.headers), built.body
    if auth is not None:
        header = credential.header(auth)
        if header is None:
            query = _joined(query, credential.query(auth))
        else:
            headers.append(header)
    for place in built.credentials:
        secret = credential.value(place.credential)
        if place.location == "header":
            headers.append((place.name, _sendable(secret)))
        elif place.location == "query":
            query = _joined(query, f"{quote(place.name, safe='')}={quote(secret, safe='')}")
        else:
            body = _body_with(built, body, place, secret)
    return query, headers, body


def _body_with(
    built: BuiltRequest, body: bytes | None, place: CredentialPlace, secret: str
) -> bytes:
    media = next((text for name, text in built.headers if name == "Content-Type"), "")
    tokens = tokens_of(place.name)
    if media.partition(";")[0].strip() == "application/x-www-form-urlencoded":
        pair = f"{quote_plus(tokens[0])}={quote_plus(secret)}".encode("ascii")
        return b"&".join(part for part in (body, pair) if part)
    value = put(json.loads(body or b"{}"), tokens, secret)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _joined(query: str, pair: str) -> str:
    return f"{query}&{pair}" if query else pair


def _sendable(text: str) -> str:
    if not _PRINTABLE.fullmatch(text):
        raise CredentialError("the credential is not printable ASCII, so no header can carry it")
    return text
