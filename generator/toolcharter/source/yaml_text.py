"""YAML text: libyaml's events built into JSON values, with the place of every key and item.

Keys stay strings, and only JSON's scalars are resolved (`scalars.py`). What JSON cannot say is refused: tags, merge keys,
composed keys, several documents, and aliases that lead to themselves or multiply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

from .document import Step
from .json_text import duplicate_key
from .limits import MAX_ALIASED_NODES, MAX_DEPTH, shown
from .refusal import TextError
from .scalars import is_ambiguous, read_scalar
from .shapes import as_step, is_object, members_of

__all__ = ["YamlLocator", "YamlText", "read_yaml"]

Place: TypeAlias = tuple[int, int]
Places: TypeAlias = dict[int, dict[Step, Place]]
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
            place = self._places.get(id(node), {}).get(key)
            if place is None:
                break
            found, node = place, members_of(node)[key]
        return found


@dataclass(frozen=True, slots=True)
class YamlText:
    """What a YAML text holds."""

    value: Any
    places: Places
    ambiguous: frozenset[tuple[int, Step]]
    """Scalars that YAML 1.1 reads differently: id of their container, key or index."""


def read_yaml(text: str) -> YamlText:
    """Return the one document of a YAML text; TextError for anything that JSON could not say."""
    builder = _Builder()
    try:
        parser = _PARSER(text)
        event = parser.get_event()
        while event is not None:
            builder.take(event)
            event = parser.get_event()
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
    return YamlText(builder.root, builder.places, frozenset(builder.ambiguous))


def _place_at(text: str, position: int) -> Place:
    # libyaml counts bytes, PyYAML's own reader characters; both agree up to the first character beyond ASCII.
    before = text.encode("utf-8")[:position].decode("utf-8", "ignore")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


@dataclass(slots=True)
class _Frame:
    container: Any
    is_map: bool
    places: dict[Step, Place]
    anchor: str | None
    started_at: int
    key: Any = _UNSET


@dataclass(slots=True)
class _Builder:
    root: Any = None
    places: Places = field(default_factory=dict[int, dict[Step, Place]])
    ambiguous: list[tuple[int, Step]] = field(default_factory=list[tuple[int, Step]])
    _stack: list[_Frame] = field(default_factory=list[_Frame])
    _anchors: dict[str, tuple[Any, int]] = field(default_factory=dict[str, tuple[Any, int]])
    _open: set[str] = field(default_factory=set[str])
    _nodes: int = 0
    _aliased: int = 0
    _documents: int = 0

    def take(self, event: Any) -> None:
        kind: object = event.__class__
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent:
            self._start({}, event)
        elif kind is yaml.SequenceStartEvent:
            self._start([], event)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._end()
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                hint = "keep one document, or write the others into files of their own"
                raise TextError("TC719", "The file holds several documents", _place(event), hint)

    def _scalar(self, event: Any) -> None:
        self._nodes += 1
        if event.tag is not None:
            raise _tag(event)
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is _UNSET and frame.is_map:
            self._key(frame, event)
            return
        value: Any = event.value
        if event.implicit[0]:
            value = self._plain(value, event)
            if frame is not None and is_ambiguous(event.value, value):
                step = frame.key if frame.is_map else len(frame.container)
                self.ambiguous.append((id(frame.container), step))
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._attach(value, event)

    @staticmethod
    def _plain(text: str, event: Any) -> Any:
        try:
            return read_scalar(text)
        except TextError as refused:
            refused.place = _place(event)
            raise

    def _key(self, frame: _Frame, event: Any) -> None:
        key = event.value
        if key == "<<" and event.implicit[0]:
            hint = "write the merged members out, or use `$ref`"
            raise TextError("TC717", "Merge keys are not read", _place(event), hint)
        if key in frame.container:
            raise duplicate_key(key, _place(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = (key, 1)
        frame.key = key
        frame.places[key] = _place(event)

    def _start(self, container: Any, event: Any) -> None:
        self._nodes += 1
        if event.tag is not None:
            raise _tag(event)
        if len(self._stack) >= MAX_DEPTH:
            raise TextError("TC716", f"More than {MAX_DEPTH} levels", _place(event), "flatten it")
        self._attach(container, event)
        places: dict[Step, Place] = {}
        self.places[id(container)] = places
        if event.anchor is not None:
            self._open.add(event.anchor)
            self._anchors.pop(event.anchor, None)
        self._stack.append(
            _Frame(
                container, is_object(container), places, event.anchor, self._nodes + self._aliased
            )
        )

    def _end(self) -> None:
        frame = self._stack.pop()
        if frame.anchor is not None:
            self._open.discard(frame.anchor)
            size = self._nodes + self._aliased - frame.started_at + 1
            self._anchors[frame.anchor] = (frame.container, size)

    def _alias(self, event: Any) -> None:
        name = event.anchor
        if name in self._open:
            hint = "write `$ref` where a schema contains itself"
            raise TextError(
                "TC720", f"The alias {shown(name)} lies inside itself", _place(event), hint
            )
        if name not in self._anchors:
            hint = "name an anchor that stands earlier in the file"
            raise TextError(
                "TC720", f"The alias {shown(name)} names no anchor", _place(event), hint
            )
        value, size = self._anchors[name]
        self._aliased += size
        if self._aliased > MAX_ALIASED_NODES:
            message = f"Aliases add more than {MAX_ALIASED_NODES:,} nodes"
            raise TextError("TC720", message, _place(event), "write fewer aliases of aliases")
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is _UNSET and frame.is_map:
            raise TextError(
                "TC721", "An alias stands as a key", _place(event), "write the key itself"
            )
        self._attach(value, event)

    def _attach(self, value: Any, event: Any) -> None:
        if not self._stack:
            self.root = value
            return
        frame = self._stack[-1]
        if not frame.is_map:
            frame.places[len(frame.container)] = _place(event)
            frame.container.append(value)
        elif frame.key is _UNSET:
            raise TextError("TC721", "A key is not a scalar", _place(event), "write a plain key")
        else:
            frame.container[frame.key] = value
            frame.key = _UNSET


def _tag(event: Any) -> TextError:
    message = f"The tag {shown(event.tag)} is not read"
    return TextError(
        "TC718", message, _place(event), "remove the tag; quote the value if it is text"
    )


def _place(event: Any) -> Place:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1
