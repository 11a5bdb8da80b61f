"""The formats as their RFCs state them, for the independent voice: none of this is shared with the runtime.

Each function takes any JSON value, and says yes to what is not of the format's type. An unknown format is an annotation.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import date
from typing import Final, cast

import idna
import regress

__all__ = ["FORMATS"]

_Check = Callable[[str], bool]


def _grammar(text: str, **parts: str) -> _Check:
    """A whole text by a grammar of named parts, `<part>` in it."""
    for _ in range(8):
        for name, part in parts.items():
            text = text.replace(f"<{name}>", f"(?:{part})")
    pattern = re.compile(text, re.ASCII)
    return lambda value: pattern.fullmatch(value) is not None


_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_TIME: Final = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)


def _date(value: str) -> bool:
    """RFC 3339, full-date."""
    found = _DATE.fullmatch(value)
    if found is None or found[1] == "0000":
        return False
    try:
        date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True


def _time(value: str) -> bool:
    """RFC 3339, full-time; a leap second is refused here as by the boundary, which cannot say it back."""
    found = _TIME.fullmatch(value)
    if found is None:
        return False
    hour, minute, second = int(found[1]), int(found[2]), int(found[3])
    far = int(found[5] or 0) <= 23 and int(found[6] or 0) <= 59
    return hour <= 23 and minute <= 59 and second <= 59 and far


def _date_time(value: str) -> bool:
    """RFC 3339, date-time."""
    return value[10:11] in ("T", "t") and _date(value[:10]) and _time(value[11:])


_TIME_PART = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
_DATE_PART = r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)"
_duration = _grammar(rf"P(?:{_DATE_PART}(?:{_TIME_PART})?|{_TIME_PART}|\d+W)")
"""RFC 3339, appendix A."""


def _label(text: str) -> bool:
    return re.fullmatch(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)", text, re.ASCII) is not None


def _hostname(value: str) -> bool:
    """RFC 1123, with A-labels checked (RFC 5890), as JSON Schema says."""
    if not 0 < len(value) <= 253 or not all(_label(one) for one in value.split(".")):
        return False
    try:
        for one in value.lower().split("."):
            if one[2:4] == "--":
                if not one.startswith("xn--"):
                    return False
                idna.ulabel(one)
    except idna.IDNAError:
        return False
    return True


def _idn_hostname(value: str) -> bool:
    """RFC 5890."""
    dotted = re.sub("[\u3002\uff0e\uff61]", ".", value)
    try:
        return bool(value) and _hostname(
            ".".join(
                one if one.isascii() else idna.alabel(one).decode("ascii")
                for one in dotted.split(".")
            )
        )
    except idna.IDNAError:
        return False


_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"'
_local = _grammar(rf"{_ATOM}(?:\.{_ATOM})*|{_QUOTED}")


def _email(value: str) -> bool:
    """RFC 5321, Mailbox, with a domain of names: an address literal is refused here and there."""
    local, at, domain = value.rpartition("@")
    return bool(at) and len(local) <= 64 and _local(local) and _hostname(domain)


def _idn_email(value: str) -> bool:
    """RFC 6531."""
    local, at, domain = value.rpartition("@")
    plain = re.sub("[^\x00-\x7f]", "a", local)
    return (
        bool(at)
        and len(local.encode("utf-8", "surrogatepass")) <= 64
        and _local(plain)
        and _idn_hostname(domain)
    )


def _ipv4(value: str) -> bool:
    """RFC 2673, section 3.2."""
    try:
        return value.isascii() and bool(ipaddress.IPv4Address(value))
    except ValueError:
        return False


def _ipv6(value: str) -> bool:
    """RFC 4291, section 2.2; a zone is no part of it."""
    try:
        return "%" not in value and value.isascii() and bool(ipaddress.IPv6Address(value) or True)
    except ValueError:
        return False


_URI_PARTS = {
    "hier": r"//<authority>(?:/<pchar>*)*|/(?:<pchar>+(?:/<pchar>*)*)?|<pchar>+(?:/<pchar>*)*|",
    "relative": r"//<authority>(?:/<pchar>*)*|/(?:<pchar>+(?:/<pchar>*)*)?|<nocolon>+(?:/<pchar>*)*|",
    "authority": r"(?:(?:<unreserved>|<escape>|<sub>|:)*@)?(?:\[<literal>\]|(?:<unreserved>|<escape>|<sub>)*)(?::\d*)?",
    "literal": r"[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\.(?:<unreserved>|<sub>|:)+",
    "query": r"(?:<pchar>|[/?])*",
    "nocolon": r"<unreserved>|<escape>|<sub>|@",
    "pchar": r"<unreserved>|<escape>|<sub>|[:@]",
    "unreserved": r"[A-Za-z0-9._~-]",
    "escape": r"%[0-9A-Fa-f]{2}",
    "sub": r"[!$&'()*+,;=]",
}
_uri_text = _grammar(r"[A-Za-z][A-Za-z0-9+.-]*:<hier>(?:\?<query>)?(?:#<query>)?", **_URI_PARTS)
_relative_text = _grammar(r"<relative>(?:\?<query>)?(?:#<query>)?", **_URI_PARTS)
_BRACKETS = re.compile(r"//(?:[^/?#]*@)?\[([^\]]*)\]")


def _literal(value: str) -> bool:
    found = _BRACKETS.search(value)
    return found is None or found[1][:1] in "vV" or _ipv6(found[1])


def _uri(value: str) -> bool:
    """RFC 3986."""
    return _uri_text(value) and _literal(value)


def _uri_reference(value: str) -> bool:
    return _uri(value) or (_relative_text(value) and _literal(value))


_UCS = re.compile("[\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000efffd]")


def _ascii(value: str) -> str:
    """RFC 3987: the characters that an IRI adds, as an escape."""
    return _UCS.sub("%20", value)


_VARIABLE = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*"
_template = _grammar(
    r"(?:[^\x00-\x20\"'%<>\\^`{|}]|%[0-9A-Fa-f]{2}|\{[+#./;?&=,!@|]?<spec>(?:,<spec>)*\})*",
    spec=rf"{_VARIABLE}(?:\*|:[1-9]\d{{0,3}})?",
)
_pointer = _grammar(r"(?:/(?:[^~/]|~[01])*)*")
_relative_pointer = _grammar(r"(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)")


def _regex(value: str) -> bool:
    try:
        regress.Regex(value, "u")
    except regress.RegressError:
        return False
    return True


def _base64(value: str) -> bool:
    """RFC 4648, section 4, in its one canonical form."""
    try:
        return base64.b64encode(base64.b64decode(value, validate=True)) == value.encode("ascii")
    except (binascii.Error, ValueError):
        return False


def _integer(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: not _is_number(value) or low <= cast("float", value) <= high


def _real(most: float) -> Callable[[object], bool]:
    return lambda value: not _is_number(value) or abs(cast("float", value)) <= most


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_text(check: _Check) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or check(value)


_TEXTS: Final[dict[str, _Check]] = {
    "date": _date,
    "time": _time,
    "date-time": _date_time,
    "duration": _duration,
    "email": _email,
    "idn-email": _idn_email,
    "hostname": _hostname,
    "idn-hostname": _idn_hostname,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "uri": _uri,
    "uri-reference": _uri_reference,
    "iri": lambda value: _uri(_ascii(value)),
    "iri-reference": lambda value: _uri_reference(_ascii(value)),
    "uri-template": _template,
    "uuid": _grammar(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    "json-pointer": _pointer,
    "relative-json-pointer": _relative_pointer,
    "regex": _regex,
    "byte": _base64,
    "base64": _base64,
    "decimal": _grammar(r"-?(?:0|[1-9]\d*)(?:\.\d+)?"),
    "char": lambda value: len(value) == 1,
}
FORMATS: Final[dict[str, Callable[[object], bool]]] = {
    **{name: _of_text(check) for name, check in _TEXTS.items()},
    "int8": _integer(-(2**7), 2**7 - 1),
    "int16": _integer(-(2**15), 2**15 - 1),
    "int32": _integer(-(2**31), 2**31 - 1),
    "int64": _integer(-(2**63), 2**63 - 1),
    "uint8": _integer(0, 2**8 - 1),
    "uint16": _integer(0, 2**16 - 1),
    "uint32": _integer(0, 2**32 - 1),
    "uint64": _integer(0, 2**64 - 1),
    "float": _real(3.4028234663852886e38),
    "double": _real(1.7976931348623157e308),
}
"""By name. `int64` and the like bound a number that is an integer or not: the type says which."""
