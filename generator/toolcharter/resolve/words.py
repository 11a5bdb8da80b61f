"""Names that stand between the braces of a template: one that is no word there is refused before a template is made of it."""

from __future__ import annotations

from toolcharter.wording import visible
from toolcharter_runtime.language import LanguageError, Reference, parse_template

from .findings import UncarriedError

__all__ = ["check_name", "check_tag"]

_SHOWN = 80


def check_name(name: str) -> None:
    """Refuse the name of an input that `{name}` would not name."""
    if not _stands_for(name, (name,)):
        message = f"the name `{visible(name, _SHOWN)}` is not of lower-case letters, digits and underscores"
        raise UncarriedError("properties", message, "say its place with `to`", "TC613")


def check_tag(owner: str, tag: str) -> None:
    """Refuse the tag of a union that `{owner.tag}` would not name, such as `@type`."""
    if not _stands_for(f"{owner}.{tag}", (owner, tag)):
        message = f"the tag `{visible(tag, _SHOWN)}` is no word that a template could name"
        hint = "take one branch with `branch`, and send the tag as a constant"
        raise UncarriedError("discriminator", message, hint)


def _stands_for(text: str, path: tuple[str, ...]) -> bool:
    try:
        return parse_template(f"{{{text}}}") == (Reference(None, path),)
    except LanguageError:
        return False
