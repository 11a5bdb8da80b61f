"""Text on a terminal: nothing invisible, nothing that moves the cursor or turns the line around (P16, P17)."""

from __future__ import annotations

import ipaddress
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_object

__all__ = ["plain", "quoted", "warnings_of"]

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")
"""Letters and marks that show as nothing."""
_HOST: Final = re.compile(r"://([^\s/?#\"'<>]{1,300})")
"""What follows a scheme: a search that starts at fixed characters stays linear in a long text."""


def plain(text: str) -> str:
    r"""Return one line of text in which what cannot be seen is an escape: `\u{202E}`; a backslash is `\\`."""
    return "".join(map(_character, text))


def quoted(value: Any) -> str:
    """Return a JSON value on one line: text in quotes, controls escaped; absent and null look different from text."""
    if isinstance(value, str):
        return '"' + plain(value).replace('"', '\\"') + '"'
    if is_list(value):
        return "[" + ", ".join(map(quoted, value)) + "]"
    if is_object(value):
        return "{" + ", ".join(f"{quoted(k)}: {quoted(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def warnings_of(value: Any) -> tuple[str, ...]:
    """Return what a reader should know of the texts in a value: hidden characters, hosts that mislead, not NFC (C5)."""
    found: dict[str, None] = {}
    for text in _texts(value):
        if any(_is_unseen(c) and c not in "\n\t" for c in text):
            found["holds characters that are not seen, shown as \\u{…}"] = None
        if not unicodedata.is_normalized("NFC", text):
            found["is not in Unicode's normal form NFC"] = None
        for host in _HOST.findall(text):
            reason = _suspicion(host)
            if reason:
                found[f"names a host that {reason}: {plain(host)[:80]}"] = None
    return tuple(found)


def _character(c: str) -> str:
    if c == "\\":
        return "\\\\"
    if not _is_unseen(c):
        return c
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(c, f"\\u{{{ord(c):04X}}}")


def _is_unseen(c: str) -> bool:
    if c.isascii():
        return not c.isprintable()
    is_other_space = unicodedata.category(c) == "Zs"
    is_selector = "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
    return is_other_space or is_selector or c in _BLANK or unicodedata.category(c) in _UNSEEN


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_list(value):
        for item in value:
            yield from _texts(item)
    elif is_object(value):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def _suspicion(authority: str) -> str | None:
    if "@" in authority:
        return "hides behind a user name"
    host = authority.partition(":")[0] if not authority.startswith("[") else authority[1:-1]
    if any(label.lower().startswith("xn--") for label in host.split(".")) or not host.isascii():
        return "is written in letters of other alphabets"
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return None
    return "is a bare address"
