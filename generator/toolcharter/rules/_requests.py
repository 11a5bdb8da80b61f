"""Where the request of a contract puts what: its places, and the inputs that fill them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.frozen.request import Binding, Shape
from toolcharter_runtime.language import pointer_of, references

from ._json import as_list, as_map, words_of
from ._nodes import Node, input_nodes

__all__ = ["bindings_of", "names_of", "places_by_input", "places_reached"]


def bindings_of(contract: Contract) -> Iterator[tuple[str, Any]]:
    """Yield every place of the request (`query.x`, `header.x`, `/pointer`) with the template that fills it."""
    for parameter in contract.request.parameters:
        yield f"{parameter.location}.{parameter.name}", parameter.value
    body = contract.request.body
    for binding in body.bindings if body is not None else ():
        if binding.each is None:
            yield binding.at, binding.value
        else:
            yield binding.at, "{" + binding.each + "}"


def places_by_input(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Return the places that an input fills by itself, by the input's name; `rows.*.name` for one of a list's items.

    Where an input is sent whole, each value inside it fills the place of its own name below.
    """
    places: dict[str, tuple[str, ...]] = {}
    for at, text, within in _templates(contract):
        if text.startswith("{") and text.endswith("}"):
            _add(places, within + text[1:-1], at)
    return _with_inner(contract, places)


def places_reached(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Return the places that an input fills, by itself or joined with other text, by the input's name."""
    places: dict[str, tuple[str, ...]] = {}
    for at, text, within in _templates(contract):
        for reference in references(text):
            if reference.root is None:
                _add(places, within + ".".join(reference.path), at)
    return _with_inner(contract, places)


def _add(places: dict[str, tuple[str, ...]], name: str, at: str) -> None:
    if at not in places.get(name, ()):
        places[name] = (*places.get(name, ()), at)


def _with_inner(
    contract: Contract, places: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Add what is inside an input that is sent whole: below its places, under the name that the API has for it."""
    renamed = _renamed(contract)
    for node in input_nodes(contract):
        name, parent = ".".join(node.path), ".".join(node.path[:-1])
        if name in places or parent not in places:
            continue
        below = renamed.get(name) or (pointer_of(node.path[-1]),)
        places[name] = tuple(
            f"{at}{step}" if at.startswith("/") or not at else f"{at}.{step[1:]}"
            for at in places[parent]
            for step in below
        )
    return places


def _renamed(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Return the pointers below their object of the members that the API names otherwise, by the name of the input."""
    found: dict[str, tuple[str, ...]] = {}
    for value, shape in _laid(contract):
        if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
            _rename(found, value[1:-1], shape)
        for key, inner in as_map(value).items():
            if isinstance(inner, str) and key in shape.inside:
                _rename(found, inner[1:-1], shape.inside[key])
    return found


def _laid(contract: Contract) -> Iterator[tuple[Any, Shape]]:
    for parameter in contract.request.parameters:
        if parameter.shape is not None:
            yield parameter.value, parameter.shape
    body = contract.request.body
    for binding in body.bindings if body is not None else ():
        if binding.shape is not None:
            yield binding.value, binding.shape


def _rename(found: dict[str, tuple[str, ...]], name: str, shape: Shape) -> None:
    for member, pointer in shape.at.items():
        _add(found, f"{name}.{member}", pointer)
    for member, inner in shape.inside.items():
        _rename(found, f"{name}.{member}", inner)
    for each in (shape.values, shape.element):
        if each is not None:
            _rename(found, f"{name}.*", each)
    for same in (*shape.branches.values(), *(kind.shape for kind in shape.kinds)):
        if same is not None:
            _rename(found, name, same)


def _templates(contract: Contract) -> Iterator[tuple[str, str, str]]:
    """Yield each text of the request: its place, the template, and what stands before the names of an item's fields."""
    for at, value in bindings_of(contract):
        yield from ((inner, text, "") for inner, text in _texts(at, value))
    body = contract.request.body
    for binding in body.bindings if body is not None else ():
        yield from _in_items(binding, binding.at, "")


def _in_items(binding: Binding, at: str, within: str) -> Iterator[tuple[str, str, str]]:
    inside = f"{within}{binding.each}.*."
    for item in binding.item:
        place = f"{at}/*{item.at}"
        if item.each is None:
            yield from ((inner, text, inside) for inner, text in _texts(place, item.value))
        else:
            yield place, "{" + item.each + "}", inside
            yield from _in_items(item, place, inside)


def _texts(at: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    for name, inner in as_map(value).items():
        yield from _texts(f"{at}/{name}", inner)
    for inner in as_list(value):
        yield from _texts(f"{at}/*", inner)


def names_of(node: Node, places: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the words of an input's own name, and of the last name of each place that it fills."""
    filled = (
        at.rpartition("/")[2].rpartition(".")[2] for at in places.get(".".join(node.path), ())
    )
    return tuple(words for words in map(words_of, (node.field, *filled)) if words)
