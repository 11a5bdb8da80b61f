"""TC401."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._schemas import as_map, types_of, words_of
from toolcharter.rules._secrets import is_secret, place_words
from toolcharter.rules.outputs._fields import fields_of
from toolcharter.rules.outputs._quotes import secrets_quoted
from toolcharter_runtime.frozen import ViewField

__all__ = ["SecretInView"]


class SecretInView(ToolRule):
    """Finds secrets among what a model reads, by name, by `writeOnly`, by `format: password`, and hidden ones that are quoted.

    Why: what is in a model's context can be asked out of it, and ends up in logs, memories and other tools' arguments.
    Evidence and the sentence of effect are in it, too, and are taken from the answer before anything is masked.

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
            if field.secret or field.redact is not None or field.inner:
                continue
            if field.count is None and self._is_secret(field):
                yield Finding(
                    f"{tool.contract.tool} shows a secret to the model: `{'.'.join(path)}`",
                    place(api.charter, "tools", tool.contract.tool, "view", path[0]),
                    tool.contract.tool,
                )
        for key, name in secrets_quoted(tool, api):
            yield Finding(
                f"{tool.contract.tool} quotes the secret `{name}` in `{key}`",
                place(api.charter, "tools", tool.contract.tool, key),
                tool.contract.tool,
            )

    def _is_secret(self, field: ViewField) -> bool:
        accepts = field.accepts
        is_named = "password" in (accepts.get("format"), as_map(accepts.get("items")).get("format"))
        if accepts.get("writeOnly") is True or is_named:
            return True
        types = types_of(accepts)
        if types and not types & {"string", "integer", "object", "array"}:
            return False
        in_plural = not types or bool(types & {"string", "object", "array"})
        names = (words_of(field.name), place_words(field.at or ""))
        return any(is_secret(words, in_plural=in_plural) for words in names)
