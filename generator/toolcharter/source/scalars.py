"""What an unquoted YAML scalar is: YAML 1.2, with JSON's numbers only."""

from __future__ import annotations

import math
import re
from typing import Final

from .refusal import TextError

__all__ = ["is_ambiguous", "read_scalar"]

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<rest>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)")
_NOT_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MAX_DIGITS: Final = 4000

# What YAML 1.1 reads as a number, a truth value, a time or a merge key, and YAML 1.2 with JSON's numbers as a string.
_ONLY_IN_1_1 = re.compile(
    r"""yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|=|<<
    |[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?[1-9][0-9_]*|\+0|[-+]?0x[0-9a-fA-F_]+
    |[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    |[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
    (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?""",
    re.VERBOSE,
)
_FLOAT_IN_1_1 = re.compile(r"-?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?")


def read_scalar(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar; TextError for what JSON has no value for."""
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        if _NOT_JSON.fullmatch(text):
            raise TextError(
                "TC721", "Infinity and NaN are not JSON", hint="quote it, or write a number"
            )
        return text
    if len(text) > _MAX_DIGITS:
        raise TextError("TC721", "A number has too many digits", hint="quote it if it is text")
    if not number["rest"]:
        return int(text)
    value = float(text)
    if math.isinf(value):
        raise TextError(
            "TC721", "A number is too large for JSON readers", hint="quote it if it is text"
        )
    return value


def is_ambiguous(text: str, value: object) -> bool:
    """Say whether YAML 1.1 reads the unquoted scalar as something else than `value`."""
    if isinstance(value, str):
        return text[:1] in "+-.0123456789yYnNoO=<" and _ONLY_IN_1_1.fullmatch(text) is not None
    return isinstance(value, float) and _FLOAT_IN_1_1.fullmatch(text) is None
