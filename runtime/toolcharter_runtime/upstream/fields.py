"""A header's text as the value that its schema describes: a number, a list, or the text itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.language import ABSENT

__all__ = ["read_header"]

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,18})?", re.ASCII)
_WORDS: Final = {"true": True, "false": False}


def read_header(text: str | None, schema: Mapping[str, Any]) -> Any:
    """Return a header's value in the types that its schema allows, or `ABSENT`; what reads as none of them stays text.

    A list is separated by commas (OpenAPI's style `simple`).
    """
    if text is None:
        return ABSENT
    types = _types(schema)
    if "array" in types and "string" not in types:
        items = schema.get("items")
        inner = items if is_object(items) else {}
        return [read_header(part.strip(), inner) for part in text.split(",")] if text else []
    if "string" in types or not types:
        return text
    if "boolean" in types and text in _WORDS:
        return _WORDS[text]
    if types & {"integer", "number"} and _NUMBER.fullmatch(text):
        return json.loads(text)
    return text


def _types(schema: Mapping[str, Any]) -> set[str]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return {kinds}
    return {str(kind) for kind in kinds} if is_list(kinds) else set()
