"""Walks through a view."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter_runtime.frozen import ViewField

__all__ = ["fields_of"]


def fields_of(
    fields: tuple[ViewField, ...], within: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], ViewField]]:
    """Yield every field with the names that lead to it; what holds others before them."""
    for field in fields:
        path = (*within, field.name)
        yield path, field
        yield from fields_of(field.inner, path)
