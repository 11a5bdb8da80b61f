"""Where the parts of schemas that were handed out are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolcharter.source.document import Anchor

__all__ = ["Origins"]


@dataclass(slots=True)
class Origins:
    """Where each container that was handed out is written; holding it keeps its id its own."""

    _anchor_by_id: dict[int, tuple[Any, Anchor]] = field(
        default_factory=dict[int, tuple[Any, Anchor]]
    )

    def keep(self, node: Any, anchor: Anchor) -> None:
        """Note where a container is written."""
        self._anchor_by_id[id(node)] = (node, anchor)

    def has(self, node: Any) -> bool:
        """Say whether the container is known."""
        return id(node) in self._anchor_by_id

    def anchor(self, node: Any) -> Anchor:
        """Return where a container is written; KeyError for one that was never handed out."""
        return self._anchor_by_id[id(node)][1]
