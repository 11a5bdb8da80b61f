"""What an operation would answer: whether there is something to read, and how much of it."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve.media import is_binary, is_foreign, is_json
from toolcharter.resolve.operations import success_responses
from toolcharter.rules._json import Schema, as_map, branches_of, words_of
from toolcharter.rules._secrets import names_secret
from toolcharter.source import Description, Operation

from .shapes import Shape, shape_of
from .words import Word

__all__ = ["words_of_answer"]

_PAGES = frozenset(
    {
        "after",
        "before",
        "continue",
        "cursor",
        "limit",
        "marker",
        "next",
        "offset",
        "page",
        "since",
        "skip",
        "start",
        "token",
        "top",
    }
)
_MOST_SECRETS = 3


def words_of_answer(
    operation: Operation, description: Description, *, reads: bool
) -> Iterator[Word]:
    """Yield what stands in the way between the operation's successes and a view."""
    successes = dict(success_responses(operation))
    if not successes:
        yield Word("word", "TC407", "answer", "has no success that is described")
        return
    media = {m: s for r in successes.values() for m, s in r.bodies.items()}
    if media and all(map(is_foreign, media)):
        code = "TC405" if all(map(is_binary, media)) else "TC705"
        listed = ", ".join(sorted(media))
        yield Word("cannot" if reads else "note", code, "answer", f"is only given as {listed}")
        return
    schemas = [schema for name, schema in media.items() if is_json(name)]
    shapes = [shape_of(schema, description) for schema in schemas]
    if reads and not media and not any(r.headers for r in successes.values()):
        yield Word("word", "TC407", "answer", "describes nothing to read")
    elif shapes and all(shape.is_untyped for shape in shapes):
        yield Word("word" if reads else "note", "TC407", "answer", "is described as anything")
    for shape in shapes[:1]:
        if reads:
            yield from _lists(operation, shape, description)
        yield from _secrets(shape, description)
    if "202" in successes and not reads:
        yield Word(
            "note", "TC411", "answer", "may only be accepted: say with `follow` what is asked then"
        )


def _lists(operation: Operation, shape: Shape, description: Description) -> Iterator[Word]:
    listed = _list_in(shape, description)
    if listed is None:
        return
    pages = [
        f"{p.location}.{p.name}"
        for p in operation.parameters
        if p.location in ("query", "header") and _PAGES & set(words_of(p.name))
    ]
    if pages:
        yield Word("note", "TC403", listed, f"is a list: say `page` ({', '.join(pages[:4])})")
    else:
        yield Word("word", "TC403", listed, "is a list, and no parameter asks for a page of it")


def _list_in(shape: Shape, description: Description) -> str | None:
    """Return where an answer is a list: all of it, or the one list of objects in it."""
    if "array" in shape.kinds:
        return None if "maxItems" in shape.schema else "answer"
    found: list[str] = []
    for name, inner in shape.properties.items():
        each = shape_of(as_map(inner), description)
        if "array" not in each.kinds or "maxItems" in each.schema:
            continue
        items = shape_of(as_map(each.schema.get("items")), description)
        if items.properties or branches_of(items.schema):
            found.append(f"answer /{name}")
    return found[0] if len(found) == 1 and len(shape.properties) <= 6 else None


def _secrets(shape: Shape, description: Description) -> Iterator[Word]:
    found: list[str] = []
    waiting: list[tuple[str, Schema]] = [("", shape.schema)]
    for place, schema in waiting:
        for name, inner in sorted(as_map(schema.get("properties")).items()):
            at = f"{place}/{name}"
            each = shape_of(as_map(inner), description)
            if names_secret(at.rpartition("/")[2]) or each.schema.get("format") == "password":
                found.append(at)
            elif place.count("/") < 1:
                waiting.append((at, each.schema))
    for at in found[:_MOST_SECRETS]:
        yield Word("optional", "TC401", f"answer {at}", "is called like a secret")
