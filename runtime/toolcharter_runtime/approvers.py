"""People who may decide: a directory of the application's own, or the file `approvers.yaml`.

The file maps a person to their groups, an argon2 hash, and, if the application knows them by another name, that name:

    ann: {groups: [support_lead], hash: "$argon2id$v=19$…"}
    bob: {groups: [finance, operators], subject: u42, hash: "$argon2id$v=19$…"}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import yaml

__all__ = [
    "OPERATORS",
    "ApproversError",
    "ApproversFile",
    "Directory",
    "Person",
    "hash_password",
    "is_name",
]

OPERATORS: Final = "operators"
"""The group that settles unknown outcomes (I7)."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}\Z")
_MAX_BYTES: Final = 1024 * 1024
_DEEPEST: Final = 3
"""Persons, the fields of one, a list of groups."""


class ApproversError(Exception):
    """The approvers' file is of no use: APPROVERS_UNREADABLE or APPROVERS_INVALID, with the place."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may decide."""

    name: str
    groups: frozenset[str]
    subject: str | None = None
    """The application's name for this person, where it is another: what `Caller.person` says."""

    @property
    def identity(self) -> str:
        """The one name by which a person counts once: the subject, or the name."""
        return self.subject or self.name

    def is_in(self, agent: str, person: str | None) -> bool:
        """Return whether this person is in a requester chain (P8)."""
        chain = {agent, person} - {None}
        return self.name in chain or self.identity in chain


class Directory(Protocol):
    """What the boundary asks at every commit (P10): who is this, now?"""

    def person(self, name: str) -> Person | None:
        """Return the person, or none if there is no such person any more."""
        ...


def is_name(text: str) -> bool:
    """Return whether a text may name a person or group: 1 to 64 of letters, digits and `._@-`."""
    return _NAME.match(text) is not None


def hash_password(password: str) -> str:
    """Return an argon2id hash, as the file keeps it."""
    from argon2 import PasswordHasher

    return PasswordHasher().hash(password)


@dataclass(frozen=True, slots=True)
class _Entry:
    person: Person
    hash: str


class ApproversFile:
    """A directory in a file, read again whenever it changed."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._stamp: tuple[int, int, int] | None = None
        self._entries: Mapping[str, _Entry] = {}

    def person(self, name: str) -> Person | None:
        """Return the person as the file has them now; raise ApproversError if it cannot be read."""
        entry = self._current().get(name)
        return None if entry is None else entry.person

    def authenticate(self, name: str, password: str) -> Person | None:
        """Return the person if the password is theirs; an unknown name costs as much time as a wrong password."""
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerificationError

        entry = self._current().get(name)
        hasher = PasswordHasher()
        try:
            hasher.verify(entry.hash if entry is not None else _nobody(), password)
        except (VerificationError, InvalidHashError):
            return None
        return None if entry is None else entry.person

    def _current(self) -> Mapping[str, _Entry]:
        try:
            stat = self._path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if stamp != self._stamp:
                content = self._path.read_bytes()
                self._entries, self._stamp = _parse(self._path, content), stamp
        except OSError as error:
            raise ApproversError(
                "APPROVERS_UNREADABLE", f"{self._path} cannot be read: {error.strerror}"
            ) from None
        return self._entries


_NOBODY: list[str] = []


def _nobody() -> str:
    if not _NOBODY:
        _NOBODY.append(hash_password("nobody"))
    return _NOBODY[0]


def _parse(path: Path, content: bytes) -> Mapping[str, _Entry]:
    if len(content) > _MAX_BYTES:
        raise _invalid(path, None, "it is longer than 1 MiB")
    try:
        text = content.decode("utf-8")
        _check_events(path, text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        raise _invalid(path, None, "it is not UTF-8") from None
    except yaml.MarkedYAMLError as error:
        raise _invalid(path, error.problem_mark, error.problem or "it is not YAML") from None
    except (yaml.YAMLError, RecursionError):
        raise _invalid(path, None, "it is not YAML") from None
    if root is None:
        return {}
    entries: dict[str, _Entry] = {}
    for name, node in _mapping(path, root, "a map of persons").items():
        if not is_name(name):
            raise _invalid(path, node.start_mark, "a person's name is letters, digits and `._@-`")
        entries[name] = _entry(path, name, node)
    return entries


def _check_events(path: Path, text: str) -> None:
    """Refuse aliases and depth before anything is built: the parser slows down with every open bracket."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _invalid(path, event.start_mark, "anchors and aliases are not taken here")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise _invalid(path, event.start_mark, "nothing here is nested so deep")


def _entry(path: Path, name: str, node: Any) -> _Entry:
    fields = _mapping(path, node, f"the entry of {name}: a map of groups, hash and subject")
    unknown = sorted(set(fields) - {"groups", "hash", "subject"})
    if unknown:
        raise _invalid(
            path, fields[unknown[0]].start_mark, "only groups, hash and subject are known"
        )
    if "groups" not in fields or "hash" not in fields:
        raise _invalid(path, node.start_mark, f"{name} needs both groups and hash")
    groups = fields["groups"]
    if not isinstance(groups, yaml.SequenceNode):
        raise _invalid(path, groups.start_mark, "groups is a list")
    names = [_text(path, item) for item in groups.value]
    if not all(map(is_name, names)):
        raise _invalid(path, groups.start_mark, "a group's name is letters, digits and `._@-`")
    hashed = _text(path, fields["hash"])
    if not hashed.startswith("$argon2id$"):
        raise _invalid(path, fields["hash"].start_mark, "hash is an argon2id hash")
    subject = _text(path, fields["subject"]) if "subject" in fields else None
    return _Entry(Person(name, frozenset(names), subject or None), hashed)


def _mapping(path: Path, node: Any, what: str) -> dict[str, Any]:
    if not isinstance(node, yaml.MappingNode):
        raise _invalid(path, node.start_mark, f"here stands {what}")
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = _text(path, key)
        if name in found:
            raise _invalid(path, key.start_mark, "the same key stands twice")
        found[name] = value
    return found


def _text(path: Path, node: Any) -> str:
    if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null":
        raise _invalid(path, node.start_mark, "here stands a text")
    return str(node.value)


def _invalid(path: Path, mark: Any, problem: str) -> ApproversError:
    place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark is not None else str(path)
    return ApproversError("APPROVERS_INVALID", f"{place}: {problem}")
