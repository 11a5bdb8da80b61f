"""A document's value that is changed part by part, and where each part of it was written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from .document import Anchor, Document, Moved, Step
from .limits import MAX_ALIASED_NODES
from .shapes import is_array, is_object, members_of, value_at

__all__ = ["MisfitError", "Patch", "TooMuchError"]


class MisfitError(Exception):
    """An update that does not fit what stands there."""

    def __init__(self, anchor: Anchor) -> None:
        super().__init__()
        self.anchor: Final = anchor


class TooMuchError(Exception):
    """More was added than a description may hold."""


class Patch:
    """A copy of a document's value, without parts that stand in it twice, so that a change has one place."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._moved: Moved = {}
        self._ambiguous: set[tuple[int, Step]] = set()
        self._gone: list[Any] = []
        """What was taken out: as long as it is held, nothing new has its id."""
        self._added = 0
        self.value: Any = self._copy(document.value, document)
        self._added = 0

    @property
    def document(self) -> Document:
        """Return the document with its value as it is now."""
        ambiguous = frozenset(self._ambiguous)
        return replace(self._document, value=self.value, moved=self._moved, ambiguous=ambiguous)

    def update(self, target: Any, update: Any, anchor: Anchor) -> None:
        """Merge an object into an object, or append a value to an array; `anchor` is where the update is written."""
        if is_array(target):
            self._set(target, len(target), update, anchor)
        elif is_object(target) and is_object(update):
            self._merge(target, update, anchor)
        else:
            raise MisfitError(anchor)

    def remove(self, parent: Any, steps: list[Step]) -> None:
        """Take members or elements out of a container."""
        if is_object(parent):
            for step in steps:
                self._gone.append(parent.pop(str(step)))
                self._forget(parent, step)
            return
        removed = set(steps)
        self._gone.extend(parent[index] for index in steps)
        kept = [index for index in range(len(parent)) if index not in removed]
        anchors = [self._moved.get((id(parent), index)) for index in kept]
        ambiguous = [(id(parent), index) in self._ambiguous for index in kept]
        for index in range(len(parent)):
            self._forget(parent, index)
        parent[:] = [parent[index] for index in kept]
        for index, was in enumerate(kept):
            anchor = anchors[index]
            self._moved[id(parent), index] = was if anchor is None else anchor
            if ambiguous[index]:
                self._ambiguous.add((id(parent), index))

    def _merge(self, target: dict[str, Any], update: dict[str, Any], anchor: Anchor) -> None:
        for key, value in update.items():
            here = anchor / key
            current = target.get(key)
            if key not in target or not (_is_container(current) or _is_container(value)):
                self._set(target, key, value, here)
            elif is_object(current) and is_object(value):
                self._merge(current, value, here)
            elif is_array(current) and is_array(value):
                for index, element in enumerate(value):
                    self._set(current, len(current), element, here / index)
            else:
                raise MisfitError(here)

    def _set(self, container: Any, step: Step, value: Any, anchor: Anchor) -> None:
        self._forget(container, step)
        copied = self._copy(value, anchor.document)
        if is_array(container):
            container.append(copied)
        else:
            container[step] = copied
        self._moved[id(container), step] = anchor
        owner = value_at(anchor.document.value, anchor.steps[:-1])
        if (id(owner), anchor.steps[-1]) in anchor.document.ambiguous:
            self._ambiguous.add((id(container), step))

    def _forget(self, container: Any, step: Step) -> None:
        self._moved.pop((id(container), step), None)
        self._ambiguous.discard((id(container), step))

    def _copy(self, value: Any, document: Document) -> Any:
        self._added += 1
        if self._added > MAX_ALIASED_NODES and document is not self._document:
            raise TooMuchError
        if not _is_container(value):
            return value
        made = {step: self._copy(child, document) for step, child in members_of(value).items()}
        copied: Any = made if is_object(value) else list(made.values())
        ambiguous = document.ambiguous
        self._ambiguous.update(
            (id(copied), step) for step in made if (id(value), step) in ambiguous
        )
        return copied


def _is_container(value: Any) -> bool:
    return is_object(value) or is_array(value)
