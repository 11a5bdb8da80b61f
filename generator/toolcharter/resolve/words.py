"""Names that stand between the braces of a template: one that is no word there is refused before a template is made of it."""

from __future__ import annotations

import re

from toolcharter.wording import visible
from toolcharter_runtime.language import LanguageError, Reference, parse_template

from .findings import UncarriedError

__all__ = ["check_member", "check_name", "check_tag", "is_word"]

_SHOWN = 80
_MEMBER = re.compile(r"[A-Za-z0-9_.$@-]{1,64}", re.ASCII)


def check_name(name: str) -> None:
    """Refuse the name of an input that `{name}` would not name."""
    if not _stands_for(name, (name,)):
        message = f"the name `{visible(name, _SHOWN)}` is not of lower-case letters, digits and underscores"
        raise UncarriedError("properties", message, "say its place with `to`", "TC613")


def check_member(name: str) -> None:
    """Refuse the name of a member that no model writes without a mistake; the API's own spelling is mostly fine."""
    if not _MEMBER.fullmatch(name):
        message = f"the name `{visible(name, _SHOWN)}` is not of letters, digits and _ . $ @ -, at most 64"
        hint = "name it in such letters, and say its place with `to`"
        raise UncarriedError("properties", message, hint, "TC613")


def check_tag(tag: str) -> None:
    """Refuse the tag of a union that no model writes without a mistake."""
    if not _MEMBER.fullmatch(tag):
        message = f"the tag `{visible(tag, _SHOWN)}` is not of letters, digits and _ . $ @ -"
        hint = "take one branch with `branch`, and send the tag as a constant"
        raise UncarriedError("discriminator", message, hint)


def is_word(owner: str, part: str) -> bool:
    """Say whether `{owner.part}` can stand in a template: `@type` cannot."""
    return _stands_for(f"{owner}.{part}", (owner, part))


def _stands_for(text: str, path: tuple[str, ...]) -> bool:
    try:
        return parse_template(f"{{{text}}}") == (Reference(None, path),)
    except LanguageError:
        return False
