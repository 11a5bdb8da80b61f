"""TC521."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import bindings_of, place_of, words_of
from toolcharter_runtime.language import references

__all__ = ["GuardFromModel"]

_HEADERS = frozenset(
    [
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "te",
        "trailer",
        "upgrade",
        "if-match",
        "if-none-match",
        "if-unmodified-since",
        "if-modified-since",
        "if-range",
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-http-method-override",
        "x-http-method",
        "x-method-override",
    ]
)
_KEYS = (
    ("idempotency", "key"),
    ("idempotence", "key"),
    ("idempotency", "token"),
    ("request", "token"),
)


class GuardFromModel(ToolRule):
    """Finds inputs bound to a key, a precondition, a credential or a header that steers the connection.

    Why: the boundary makes keys and preconditions itself. A key that a model supplies makes two intents one, or one two;
    a precondition that it supplies approves a state which nobody saw.

    Bad:

        input: {key: header.Idempotency-Key, etag: header.If-Match}

    Good:

        send: {header.Idempotency-Key: "{$key}", header.If-Match: "{$version}"}
    """

    code = "TC521"
    name = "guard-from-model"
    hint = "Take the input out; `send` fills the place with `{$key}`, `{$version}` or `{$credential.x}`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.hidden:
            return
        for at, value in bindings_of(tool.contract):
            found = references(value)
            named = [reference.path for reference in found if reference.root is None]
            if not named:
                continue
            guard = self._guard(at) or next(
                (f"`{{${r.root}}}`" for r in found if r.root in ("key", "version")), None
            )
            if guard:
                yield Finding(
                    f"{tool.contract.tool}: `{'.'.join(named[0])}` of the model reaches {at}, a place of {guard}",
                    place_of(tool, "input", named[0]),
                    tool.contract.tool,
                )

    def _guard(self, at: str) -> str | None:
        if at.startswith("header.") and at.removeprefix("header.").lower() in _HEADERS:
            return "the boundary's own"
        words = words_of(at.rpartition("/")[2].rpartition(".")[2])
        is_key = words[-2:] in _KEYS or words == ("client", "token")
        in_header = at.startswith("header.") and words[-2:] == ("request", "id")
        return "an idempotency key" if is_key or in_header else None
