"""What an operation would take: the places that cannot be left out, and what the charter must say of each."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.patterns import is_anchored
from toolcharter.resolve.media import body_kind, is_binary
from toolcharter.rules._json import Schema, as_list, as_map, branches_of, is_bounded_text, words_of
from toolcharter.rules._secrets import is_credential
from toolcharter.rules.bounds._money import is_money
from toolcharter.rules.guards._places import guard_at
from toolcharter.rules.narrowness._tunnels import is_language
from toolcharter.rules.unions._tags import tag_of, told_apart
from toolcharter.source import Description, Operation
from toolcharter_runtime.language import pointer_of

from .shapes import Shape, shape_of
from .words import Kind, Word

__all__ = ["words_of_request"]

_DEEPEST = 30


def words_of_request(
    operation: Operation, description: Description, *, reads: bool
) -> Iterator[Word]:
    """Yield what stands in the way between the operation's request and a contract."""
    look = _Look(description, reads=reads)
    for parameter in operation.parameters:
        needed = parameter.required or parameter.location == "path"
        yield from look.at(
            f"{parameter.location}.{parameter.name}", parameter.schema, needed=needed
        )
    declared = {p.name for p in operation.parameters if p.location == "path"}
    for name in operation.path_names:
        if name not in declared:
            yield Word("word", "TC104", f"path.{name}", "is in the path and described nowhere")
    if not operation.bodies:
        return
    readable = [media for media in operation.bodies if body_kind(media) is not None]
    if not readable:
        code = "TC405" if all(map(is_binary, operation.bodies)) else "TC705"
        listed = ", ".join(sorted(operation.bodies))
        kind: Kind = "cannot" if operation.body_required else "optional"
        yield Word(kind, code, "body", f"is only taken as {listed}")
        return
    if len(operation.bodies) > 1:
        yield Word(
            "note", "TC110", "body", f"takes {len(operation.bodies)} media types: say `media`"
        )
    yield from look.at("", operation.bodies[readable[0]].schema, needed=operation.body_required)


class _Look:
    def __init__(self, description: Description, *, reads: bool) -> None:
        self.description = description
        self.reads = reads

    def at(
        self, place: str, schema: Schema, *, needed: bool, within: frozenset[str] = frozenset()
    ) -> Iterator[Word]:
        """Yield the words of a place, and of what is required inside it; what may be left out is looked at from outside."""
        shape = shape_of(schema, self.description)
        if shape.schema.get("readOnly") is True and not place.startswith("path."):
            return
        if shape.names & within or place.count("/") > _DEEPEST:
            yield Word("optional", "TC114", place or "body", "may contain itself")
            return
        kind: Kind = "word" if needed else "optional"
        yield from self._named(place, shape, kind)
        if any(key in shape.schema for key in ("enum", "const")):
            return
        if shape.is_untyped:
            yield Word(kind, "TC104", place or "body", "takes any value")
            return
        if branches_of(shape.schema) and not shape.properties:
            yield from self._union(place, shape, kind)
            return
        for name in sorted(shape.kinds):
            if name == "object":
                yield from self._object(place, shape, kind, within | shape.names)
            elif name == "array":
                yield from self._list(place, shape, needed=needed, within=within | shape.names)
            elif name == "string":
                yield from self._text(place, shape, kind)
            elif name in ("integer", "number"):
                yield from self._number(place, shape, kind)

    def _named(self, place: str, shape: Shape, kind: Kind) -> Iterator[Word]:
        """Yield what is wrong with what a place is called: the boundary's own, a credential, a program."""
        last = place.rpartition("/")[2].rpartition(".")[2] if place else ""
        words = words_of(last)
        if guard_at(place) and kind == "word":
            yield Word("word", "TC521", place, f"is {guard_at(place)}'s place")
        elif words and is_credential(words):
            yield Word(kind, "TC522", place, "is called like a credential")
        elif words and is_language(words) and _is_free(shape):
            what = "is called like a query, a program or an action, and is free text"
            yield Word(kind, "TC103", place, what)

    def _union(self, place: str, shape: Shape, kind: Kind) -> Iterator[Word]:
        shapes = [shape_of(branch, self.description) for branch in branches_of(shape.schema)]
        objects = tuple(each.schema for each in shapes if "object" in each.kinds or each.properties)
        if any(each.is_untyped for each in shapes):
            yield Word(kind, "TC104", place or "body", "takes any value in one of its kinds")
        elif len(objects) > 1 and "x-discriminator" not in shape.schema and _are_alike(objects):
            code = "TC113" if self.reads else "TC301"
            yield Word(
                kind, code, place or "body", "is one of several objects that nothing tells apart"
            )
        elif objects:
            yield Word(kind, "TC113", place or "body", "is one of several kinds of values")

    def _object(
        self, place: str, shape: Shape, kind: Kind, within: frozenset[str]
    ) -> Iterator[Word]:
        if not shape.properties:
            rest = as_map(shape.schema.get("additionalProperties"))
            if rest and not shape_of(rest, self.description).is_untyped:
                yield Word("ceiling", "TC102", place or "body", "is a map")
            elif shape.schema.get("additionalProperties") is not False:
                yield Word(kind, "TC101", place or "body", "is an object of anything")
            return
        required = {name for name in as_list(shape.schema.get("required")) if isinstance(name, str)}
        for name, inner in sorted(shape.properties.items()):
            if kind == "word":
                at = f"{place}{pointer_of(name)}"
                yield from self.at(at, as_map(inner), needed=name in required, within=within)

    def _list(
        self, place: str, shape: Shape, *, needed: bool, within: frozenset[str]
    ) -> Iterator[Word]:
        items = as_map(shape.schema.get("items"))
        if not items and "prefixItems" not in shape.schema:
            kind: Kind = "word" if needed else "optional"
            yield Word(kind, "TC104", place or "body", "is a list of anything")
            return
        if "maxItems" not in shape.schema:
            yield Word("ceiling", "TC205", place or "body", "is a list of any length")
        if items:
            yield from self.at(f"{place}/*", items, needed=needed, within=within)

    def _text(self, place: str, shape: Shape, kind: Kind) -> Iterator[Word]:
        pattern = shape.schema.get("pattern")
        if "json" in str(shape.schema.get("contentMediaType", "")) and pattern is None:
            yield Word(kind, "TC103", place or "body", "is a whole document in one text")
        if shape.schema.get("format") == "binary":
            yield Word("cannot" if kind == "word" else kind, "TC405", place or "body", "is bytes")
        elif not is_bounded_text(shape.schema):
            yield Word("ceiling", "TC201", place or "body", "is text of any length")
        elif isinstance(pattern, str) and not is_anchored(pattern):
            yield Word("note", "TC211", place or "body", "has a pattern that matches anywhere")

    def _number(self, place: str, shape: Shape, kind: Kind) -> Iterator[Word]:
        schema = shape.schema
        if "number" in shape.kinds and is_money(place.rpartition("/")[2].rpartition(".")[2]):
            yield Word(kind, "TC203", place, "is money as a floating-point number")
        if schema.get("format") == "int32" and "integer" in shape.kinds:
            return
        pairs = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
        missing = [pair[0] for pair in pairs if not any(key in schema for key in pair)]
        if missing:
            is_half = self.reads and len(missing) == 1
            yield Word(
                "note" if is_half else kind, "TC202", place, f"has no {' and no '.join(missing)}"
            )


def _are_alike(objects: tuple[Schema, ...]) -> bool:
    """Say whether nothing tells objects apart, once they are closed over what is listed."""
    closed = tuple({**each, "additionalProperties": False} for each in objects)
    return tag_of(closed) is None and not told_apart(closed)


def _is_free(shape: Shape) -> bool:
    is_text = "string" in shape.kinds
    return is_text and not any(key in shape.schema for key in ("enum", "const", "pattern"))
