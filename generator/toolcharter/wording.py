"""What is wrong with a text that a model or an approver will read: pure questions asked of strings.

Hidden characters can carry an instruction that a reviewer does not see, and an imperative sentence in a
description is obeyed as if the application had said it (tool poisoning). The stage that carries texts over from a
description asks here which of them it may take; the rules ask again of all that was taken.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Flaw", "FlawKind", "flaws", "hidden_characters", "visible"]

FlawKind: TypeAlias = Literal["hidden", "instruction", "url", "markup"]

_ALLOWED_CONTROLS = frozenset("\n\t")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u00ad")
"""Characters of other categories that print as nothing."""
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")

_INSTRUCTIONS = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your)"
        r"\b[^.\n]{0,40}\b(?:instruction|prompt|rule|message|polic|guideline|guardrail|safety)"
    ),
    (
        r"\b(?:do not|don't|never|must not|without)\s+(?:ever\s+)?(?:tell|telling|inform|informing|mention|mentioning|"
        r"reveal|revealing|show|notify|notifying|ask|asking)\b[^.\n]{0,20}\b(?:the\s+)?(?:user|human|person|operator|anyone)"
    ),
    r"\byou\s+(?:must|should|shall|have to|are required to)\s+(?:always|never|first|immediately|now|call|reply)\b",
    (
        r"\bthe\s+(?:assistant|model|agent|ai|llm)\s+(?:must|should|shall|has to|needs to|is required to|will)\s+"
        r"(?:always|never|first|immediately|also|now|not|call|use|send|read|include|execute|run|pass|reply|respond)\b"
    ),
    r"\b(?:ignore|disregard|forget)\s+(?:the|these|those)\s+(?:instruction|prompt|rule|guideline)",
    r"\b(?:system prompt|system message|developer message|jailbreak)\b",
    (
        r"\b(?:before|after|instead of|when)\s+(?:using|calling|invoking)\s+(?:this|any|another|other)\s+(?:other\s+)?(?:tool|function)"
        r"\b[^.\n]{0,40}\b(?:call|read|send|use|run|fetch|pass)\b"
    ),
    r"\b(?:always|first)\s+(?:call|use|invoke|prefer)\s+this\s+(?:tool|function)",
    r"</?(?:system|important|instructions?|assistant|user|tool|prompt)\b[^>]{0,40}>",
    r"^\s*(?:system|assistant)\s*:",
    r"\[/?INST\]|<\|[a-z_]+\|>|###\s*(?:system|instruction)",
)
_INSTRUCTION = re.compile("|".join(f"(?:{p})" for p in _INSTRUCTIONS), re.IGNORECASE | re.MULTILINE)
_URL = re.compile(
    r"\b(?:https?|ftp|file|wss?)\s*:\s*//\S*|\b(?:javascript|vbscript):\S+|\bdata:[a-z]+/[a-z0-9.+-]\S*|\bwww\.\S+",
    re.IGNORECASE,
)
_TAGS = (
    "a|b|i|p|u|br|div|span|img|svg|math|script|style|iframe|object|embed|link|meta|base|form|input|button|html|head|body|"
    "table|tr|td|th|ul|ol|li|details|summary|video|audio|source|template|textarea|select|option|h[1-6]|pre|code|em|strong"
)
_MARKUP = re.compile(
    r"\{\{|\{%|\{#|%\}|<%|\$\{|<!--|<!\[CDATA\[|<\?[a-z]|</?(?:"
    + _TAGS
    + r")(?:\s[^<>]*)?/?>|!?\[[^\]\n]{1,200}\]\([^)\n]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing wrong with a text: its kind, and what was found, safe to print."""

    kind: FlawKind
    found: str


def _is_hidden(character: str) -> bool:
    if character in _ALLOWED_CONTROLS:
        return False
    if character in _FILLERS or _VARIATION.match(character):
        return True
    return unicodedata.category(character) in _HIDDEN_CATEGORIES


def hidden_characters(text: str) -> tuple[str, ...]:
    """Return the characters that a reader cannot see, in order, once each: bidirectional, zero-width, tag, control."""
    return tuple(dict.fromkeys(character for character in text if _is_hidden(character)))


def visible(text: str, limit: int | None = None) -> str:
    """Return the text with every unseen character, and line breaks, as visible escapes; cut with `…` at the limit."""
    shown = "".join(
        _escape(character) if _is_hidden(character) or character in "\n\t" else character
        for character in text
    )
    return shown if limit is None or len(shown) <= limit else shown[: limit - 1] + "…"


def _escape(character: str) -> str:
    if character == "\n":
        return "\\n"
    if character == "\t":
        return "\\t"
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def flaws(text: str) -> tuple[Flaw, ...]:
    """Return what is wrong with a text for a model: hidden characters, instructions, addresses, markup."""
    found: list[Flaw] = [Flaw("hidden", f"U+{ord(c):04X}") for c in hidden_characters(text)]
    for kind, pattern in _PATTERNS:
        match = pattern.search(text)
        if match is not None:
            found.append(Flaw(kind, visible(match.group().strip(), 60)))
    return tuple(found)


_PATTERNS: tuple[tuple[FlawKind, re.Pattern[str]], ...] = (
    ("instruction", _INSTRUCTION),
    ("url", _URL),
    ("markup", _MARKUP),
)
