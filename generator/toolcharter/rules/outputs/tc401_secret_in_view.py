"""TC401."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._schemas import types_of, words_of
from toolcharter.rules.outputs._fields import fields_of
from toolcharter_runtime.frozen import ViewField

__all__ = ["SecretInView"]

_WORDS = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "secrets",
        "token",
        "apikey",
        "cvv",
        "cvc",
        "pin",
        "ssn",
        "authorization",
        "session",
        "cookie",
        "otp",
        "credential",
        "credentials",
    ]
)
_PAIRS = frozenset(
    {
        ("api", "key"),
        ("private", "key"),
        ("access", "key"),
        ("secret", "key"),
        ("session", "id"),
        ("card", "number"),
    }
    | {("signing", "key"), ("encryption", "key"), ("password", "hash"), ("security", "code")}
)


class SecretInView(ToolRule):
    """Finds secrets among what a model reads: by name, by `writeOnly`, by `format: password`.

    Why: what is in a model's context can be asked out of it, and ends up in logs, memories and other tools' arguments.

    Bad:

        view: {user: /id, token: /access_token}

    Good:

        view: {user: /id, token: {at: /access_token, secret: true}}
    """

    code = "TC401"
    name = "secret-in-view"
    hint = "Leave it out of the view; if the boundary needs it, mark it `secret: true`, or `redact` it."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for path, field in fields_of(tool.contract.view.fields):
            if field.hidden or field.secret or field.redact is not None or field.each is not None:
                continue
            if self._is_secret(field):
                yield Finding(
                    f"{tool.contract.tool} shows a secret to the model: `{'.'.join(path)}`",
                    place(api.charter, "tools", tool.contract.tool, "view", path[0]),
                    tool.contract.tool,
                )

    def _is_secret(self, field: ViewField) -> bool:
        accepts = field.accepts
        if accepts.get("writeOnly") is True or accepts.get("format") == "password":
            return True
        if types_of(accepts) and not types_of(accepts) & {"string", "integer", "object"}:
            return False
        names = (
            words_of(field.name),
            words_of((field.at or "").rpartition("/")[2].rpartition(".")[2]),
        )
        return any(words and (words[-1] in _WORDS or words[-2:] in _PAIRS) for words in names)
