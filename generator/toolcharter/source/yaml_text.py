"""YAML text: libyaml's events built into JSON values, with the place of every key and item.

Keys stay strings, and only JSON's scalars are resolved (`scalars.py`). What JSON cannot say is refused: tags, merge keys,
composed keys, several documents, and aliases that lead to themselves or multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import yaml

from .document import Step
from .json_text import duplicate_key
from .limits import MAX_ALIASED_NODES, MAX_DEPTH, shown
from .refusal import TextError
from .scalars import is_ambiguous, read_scalar
from .shapes import as_step, is_array, is_object, members_of

__all__ = ["YamlLocator", "YamlText", "read_yaml"]

Place: TypeAlias = tuple[int, int]
Places: TypeAlias = dict[int, Any]
"""By the id of a container: its members' marks by name, or its elements' in order. Marks are read when one is asked for."""
_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Used for its events alone; PyYAML's own parser, fifty times slower, where it was built without libyaml."""
_UNSET: Final = object()


class YamlLocator:
    """Finds places by the table that the builder made: container → key or index → place."""

    def __init__(self, value: Any, places: Places) -> None:
        self._value = value
        self._places = places

    def locate(self, steps: Sequence[Step]) -> Place:
        """Return line and column of the member's key, or of the element."""
        node, found = self._value, (1, 1)
        for step in steps:
            key = as_step(node, step)
            members = members_of(node)
            if key not in members:
                break
            mark = self._places[id(node)][key]
            found, node = (mark.line + 1, mark.column + 1), members[key]
        return found


@dataclass(frozen=True, slots=True)
class YamlText:
    """What a YAML text holds."""

    value: Any
    places: Places
    ambiguous: frozenset[tuple[int, Step]]
    """Scalars that YAML 1.1 reads differently: id of their container, key or index."""
    is_shallow: bool
    """No alias could have made it deeper than what was counted while it was read."""


def read_yaml(text: str) -> YamlText:
    """Return the one document of a YAML text; TextError for anything that JSON could not say."""
    builder = _Builder()
    try:
        builder.take(_PARSER(text).get_event)
    except yaml.reader.ReaderError as error:
        message = "A control character that YAML does not allow"
        raise TextError("TC714", message, _place_at(text, error.position), "remove it") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise TextError(
            "TC714", f"Not YAML: {error.problem}", place, "mend the syntax here"
        ) from None
    except RecursionError:
        raise TextError("TC716", "The file nests too deeply", hint="flatten it") from None
    is_shallow = not builder.has_aliases
    return YamlText(builder.root, builder.places, frozenset(builder.ambiguous), is_shallow)


def _place_at(text: str, position: int) -> Place:
    # libyaml counts bytes, PyYAML's own reader characters; both agree up to the first character beyond ASCII.
    before = text.encode("utf-8")[:position].decode("utf-8", "ignore")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


@dataclass(slots=True)
class _Frame:
    """A container that is being filled."""

    container: Any
    places: Any
    key: Any
    """The member that waits for its value; `_UNSET` where a key comes next, None in an array."""
    anchor: str | None = None


class _Builder:
    """Builds the value. One look at each event decides; what is rare has a method of its own."""

    def __init__(self) -> None:
        self.places: Places = {}
        self.ambiguous: list[tuple[int, Step]] = []
        self._top = _Frame([], [], None)
        self._frame = self._top
        self._stack: list[_Frame] = []
        self._known: dict[str, Any] = {}
        """Unquoted scalars that every reader takes alike."""
        self._anchors: dict[str, Any] = {}
        self._open: set[str] = set()
        self._sizes: dict[int, int] = {}
        self._aliased = 0
        self._documents = 0

    @property
    def root(self) -> Any:
        """Return the document's value."""
        return self._top.container[0] if self._top.container else None

    @property
    def has_aliases(self) -> bool:
        """Say whether a part stands in the value more than once."""
        return self._aliased > 0

    def take(self, next_event: Callable[[], Any]) -> None:
        """Take all events. Half a million make 10 MB: what most of them need is written out here."""
        known, scalar, unset = self._known, yaml.ScalarEvent, _UNSET
        frame = self._frame
        while (event := next_event()) is not None:
            if event.__class__ is not scalar:
                self._structure(event)
                frame = self._frame
                continue
            value, key = event.value, frame.key
            if event.tag is not None or event.anchor is not None:
                self._marked(event)
            if key is unset:
                if value in frame.container or value == "<<":
                    self._check_key(event)
                frame.key = value
                frame.places[value] = event.start_mark
                continue
            if event.implicit[0]:
                value = known[value] if value in known else self._plain(event)
            if key is None:
                frame.places.append(event.start_mark)
                frame.container.append(value)
            else:
                frame.container[key] = value
                frame.key = unset

    def _structure(self, event: Any) -> None:
        kind: object = event.__class__
        if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            frame = self._frame
            if frame.anchor is not None:
                self._open.discard(frame.anchor)
                self._anchors[frame.anchor] = frame.container
            self._frame = self._stack.pop()
        elif kind is yaml.MappingStartEvent:
            self._start(event, _Frame({}, {}, _UNSET, event.anchor))
        elif kind is yaml.SequenceStartEvent:
            self._start(event, _Frame([], [], None, event.anchor))
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                hint = "keep one document, or write the others into files of their own"
                raise TextError("TC719", "The file holds several documents", _place(event), hint)

    def _start(self, event: Any, frame: _Frame) -> None:
        if event.tag is not None:
            raise _tag(event)
        if len(self._stack) >= MAX_DEPTH:
            raise TextError("TC716", f"More than {MAX_DEPTH} levels", _place(event), "flatten it")
        self._attach(frame.container, event)
        self.places[id(frame.container)] = frame.places
        if frame.anchor is not None:
            self._open.add(frame.anchor)
            self._anchors.pop(frame.anchor, None)
        self._stack.append(self._frame)
        self._frame = frame

    def _attach(self, value: Any, event: Any) -> None:
        frame = self._frame
        if frame.key is None:
            frame.places.append(event.start_mark)
            frame.container.append(value)
        elif frame.key is _UNSET:
            raise TextError("TC721", "A key is not a scalar", _place(event), "write a plain key")
        else:
            frame.container[frame.key] = value
            frame.key = _UNSET

    def _marked(self, event: Any) -> None:
        """Note the anchor of a scalar; refuse a tag."""
        if event.tag is not None:
            raise _tag(event)
        is_plain = event.implicit[0] and self._frame.key is not _UNSET
        self._anchors[event.anchor] = self._plain(event) if is_plain else event.value

    def _plain(self, event: Any) -> Any:
        """Return the value of an unquoted scalar, and note whether readers differ on it."""
        text, frame = event.value, self._frame
        try:
            value = read_scalar(text)
        except TextError as refused:
            refused.place = _place(event)
            raise
        if is_ambiguous(text, value):
            step = len(frame.container) if frame.key is None else frame.key
            self.ambiguous.append((id(frame.container), step))
        else:
            self._known[text] = value
        return value

    def _check_key(self, event: Any) -> None:
        if event.value in self._frame.container:
            raise duplicate_key(event.value, _place(event))
        if event.implicit[0]:
            hint = "write the merged members out, or use `$ref`"
            raise TextError("TC717", "Merge keys are not read", _place(event), hint)

    def _alias(self, event: Any) -> None:
        name = event.anchor
        if name in self._open:
            hint = "write `$ref` where a schema contains itself"
            message = f"The alias {shown(name)} lies inside itself"
            raise TextError("TC720", message, _place(event), hint)
        if name not in self._anchors:
            hint = "name an anchor that stands earlier in the file"
            message = f"The alias {shown(name)} names no anchor"
            raise TextError("TC720", message, _place(event), hint)
        value = self._anchors[name]
        self._aliased += self._size(value)
        if self._aliased > MAX_ALIASED_NODES:
            message = f"Aliases add more than {MAX_ALIASED_NODES:,} nodes"
            raise TextError("TC720", message, _place(event), "write fewer aliases of aliases")
        if self._frame.key is _UNSET:
            message = "An alias stands as a key"
            raise TextError("TC721", message, _place(event), "write the key itself")
        self._attach(value, event)

    def _size(self, value: Any) -> int:
        """Return how many nodes an alias adds: those of a finished value, written out."""
        if not is_object(value) and not is_array(value):
            return 1
        size = self._sizes.get(id(value))
        if size is None:
            size = 1 + sum(map(self._size, value.values() if is_object(value) else value))
            self._sizes[id(value)] = size
        return size


def _tag(event: Any) -> TextError:
    message = f"The tag {shown(event.tag)} is not read"
    return TextError(
        "TC718", message, _place(event), "remove the tag; quote the value if it is text"
    )


def _place(event: Any) -> Place:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1
