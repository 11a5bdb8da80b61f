"""Unquoted scalars that decide what a value may be, and that versions of YAML read differently."""

from __future__ import annotations

from typing import Any, Final

from toolcharter.source.document import Anchor, Step
from toolcharter.source.reading import Node, Reading
from toolcharter.source.shapes import is_array

from .keywords import ANNOTATIONS, SHAPES

__all__ = ["warn_of_ambiguous"]

# Elsewhere a mistaken scalar is only prose.
_READ_LITERALLY: Final = frozenset({*SHAPES, "const", "default"}) - ANNOTATIONS


def warn_of_ambiguous(node: Node, key: str, reading: Reading) -> None:
    """Warn of unquoted scalars in a keyword's value that readers of YAML 1.1 take for something else."""
    ambiguous = node.anchor.document.ambiguous
    if not ambiguous or key not in _READ_LITERALLY:
        return
    value = node.value[key]
    places: list[tuple[Any, Step, Anchor]] = [(node.value, key, node.anchor / key)]
    if is_array(value):
        places = [(value, index, node.anchor / key / index) for index in range(len(value))]
    for container, step, anchor in places:
        if (id(container), step) in ambiguous:
            message = "YAML 1.1 and YAML 1.2 read this scalar differently"
            reading.report("TC706", message, anchor, "quote it", "warning")
