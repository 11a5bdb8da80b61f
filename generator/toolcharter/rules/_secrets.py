"""Which names are those of secrets: asked of what a model may read, and of what it may give."""

from __future__ import annotations

from toolcharter.rules._schemas import words_of

__all__ = ["is_credential", "is_secret", "names_secret", "place_words"]

_WORDS = frozenset(
    {
        "apikey", "authorization", "cookie", "credential", "credentials", "cvc", "cvv", "jwt", "otp", "passcode",
        "passphrase", "passwd", "password", "pin", "pwd", "secret", "session", "ssn", "token", "totp",
    }
)  # fmt: skip
_PAIRS = frozenset(
    {
        ("access", "key"), ("access", "token"), ("api", "key"), ("auth", "token"), ("backup", "code"), ("bearer", "token"),
        ("card", "number"), ("client", "secret"), ("connection", "string"), ("encryption", "key"), ("factor", "code"),
        ("id", "token"), ("magic", "link"), ("password", "hash"), ("private", "key"), ("recovery", "code"),
        ("refresh", "token"), ("secret", "key"), ("security", "code"), ("session", "id"), ("session", "key"),
        ("session", "token"), ("signing", "key"),
    }
)  # fmt: skip
_RUN_TOGETHER = frozenset("".join(pair) for pair in _PAIRS)
_AMONG_OTHERS = frozenset({"cookie", "pin", "session"})
"""Words that are secrets alone; several of them are as often something else."""
_NOT_GIVEN = frozenset({("card", "number"), ("session", "id")})
"""What no model should read, and a request may still name."""
_ALONE = frozenset({"pin", "pins", "session", "sessions", "ssn", "token", "tokens"})
"""Of these a request has harmless ones, such as the token of a page."""
_EMPTY = frozenset({"plain", "plaintext", "raw", "value", "values"})
"""Last words that say nothing beside those before them."""
_VAGUE = frozenset({"code", "hash", "key", "keys", "number", "string", "token"})
"""Names that mean something together with that of the object which they are of."""


def is_secret(words: tuple[str, ...], *, in_plural: bool = True) -> bool:
    """Say whether the words of a name, e.g. `("access", "token")`, call a secret, or several of a kind."""
    while words and words[-1] in _EMPTY:
        words = words[:-1]
    if not words:
        return False
    last = words[-1]
    one = last.removesuffix("s") if in_plural else last
    if last in _WORDS or (one in _WORDS and one not in _AMONG_OTHERS):
        return True
    return one in _RUN_TOGETHER or (*words[-2:-1], one) in _PAIRS


def is_credential(words: tuple[str, ...]) -> bool:
    """Say whether the words of a name call what opens a door, and what no model should give."""
    if words[-1] in _ALONE:
        return words in {("token",), ("tokens",)} or words[-2:] in _PAIRS
    return is_secret(words) and words[-2:] not in _NOT_GIVEN


def place_words(place: str) -> tuple[str, ...]:
    """Return the words of a place's last name, and of the one before it where the last says too little."""
    names = [
        name
        for token in place.split("/")
        for name in token.split(".")
        if name != "*" and not name.isdecimal()
    ]
    words = words_of(names[-1]) if names else ()
    is_vague = all(word in _EMPTY for word in words) or (len(words) == 1 and words[0] in _VAGUE)
    return (*words_of(names[-2]), *words) if is_vague and len(names) > 1 else words


def names_secret(place: str) -> bool:
    """Say whether any name on the way to a place calls a secret."""
    parts = [words_of(part) for part in place.split("/")]
    return any(is_secret(words) for words in (*parts, place_words(place)))
