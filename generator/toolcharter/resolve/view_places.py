"""Where a name of the view stands: its place, walked through every success that the description declares."""

from __future__ import annotations

from dataclasses import dataclass

from toolcharter.charter.findings import nearest
from toolcharter.charter.schema import ViewSpec
from toolcharter_runtime.language import parse_place, tokens_of

from .case import Case
from .merging import ANNOTATIONS, JsonSchema
from .operations import (
    bodies_always,
    foreign_media,
    has_text,
    success_bodies,
    success_headers,
    success_responses,
)
from .schemas import Step
from .shaping import either

__all__ = ["Scene", "find_place", "first_scene"]

_ALWAYS_THERE = frozenset({"content-length", "content-type"})
"""Headers of HTTP itself, which descriptions do not list."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a view's places start: the successes' bodies, or what stands inside a list, an object or a map."""

    schemas: tuple[JsonSchema, ...]
    pointer: str
    """Of the entries, in the charter."""
    within: str | None = None
    """The name whose inside this is."""
    is_write_only: bool = False
    may_differ: bool = False
    """Another kind of value may stand there, of which nothing is described."""
    is_always: bool = True
    """Every answer that completes has it."""


def first_scene(case: Case) -> Scene:
    """Return the scene of a tool's whole answer."""
    return Scene(success_bodies(case), case.at("view"), is_always=bodies_always(case))


def find_place(case: Case, spec: ViewSpec, scene: Scene, pointer: str) -> Step | None:
    """Return what stands at the place of an entry; reports a place that no success has."""
    text = spec.at if spec.at is not None else spec.count
    if text is None:
        return None
    if scene.within is None and text.startswith("header."):
        return _header(case, spec, text, pointer)
    if scene.within is None and parse_place(text).location != "body":
        message = f"`{text}` is no place of an answer: write /pointer or header.NAME"
        case.findings.error("TC735", message, pointer)
        return None
    tokens = tokens_of("" if text == "body" else text)
    if scene.within is None and not scene.schemas and not tokens and has_text(case):
        return Step({"type": "string"}, bodies_always(case))
    steps = [case.api.answer_reader.walk(schema, tokens) for schema in scene.schemas]
    found = [step for step in steps if step.exists and step.schema is not None]
    if not found:
        return _not_found(case, spec, scene, steps, pointer)
    always = len(found) == len(steps) and all(step.required for step in found)
    schema = either(step.schema for step in found if step.schema is not None)
    return Step(
        None if _says_nothing(case, schema) else schema,
        always and scene.is_always,
        found[0].many,
        is_write_only=scene.is_write_only or any(step.is_write_only for step in found),
        may_differ=scene.may_differ or _is_open(steps) or any(step.may_differ for step in found),
    )


def _is_open(steps: list[Step]) -> bool:
    return any(step.exists and step.schema is None for step in steps)


def _says_nothing(case: Case, schema: JsonSchema) -> bool:
    """Say whether a schema accepts every value, so that the charter gives the type."""
    branches = case.api.answer_reader.expand(schema).branches
    return len(branches) == 1 and all(
        key in ANNOTATIONS or key.startswith("x-") for key in branches[0].schema
    )


def _not_found(
    case: Case, spec: ViewSpec, scene: Scene, steps: list[Step], pointer: str
) -> Step | None:
    text = spec.at if spec.at is not None else spec.count or ""
    claim = f"answer {text}" + (f" of {scene.within}" if scene.within is not None else "")
    is_typed = bool({"type", "const", "enum"} & spec.schema_keywords().keys()) or any(
        inner is not None for inner in (spec.each, spec.element, spec.fields, spec.values)
    )
    known = {name for step in steps for name in step.known}
    if any(step.exists for step in steps) or (is_typed and not steps and not foreign_media(case)):
        case.ledger.state(claim, "declared", "the description leaves it open; typed in the charter")
        is_write_only = scene.is_write_only or any(step.is_write_only for step in steps)
        is_many = "*" in text.split("/")
        return Step(None, False, is_many, tuple(sorted(known)), is_write_only=is_write_only)
    if not steps and foreign_media(case):
        media = ", ".join(foreign_media(case))
        message = f"{case.operation.key} answers with {media}, of which no view can show `{text}`"
        hint = "view its headers (`header.Content-Length`), or choose an operation that answers with JSON"
        if has_text(case):
            hint = "a text is one value: view it with `at: body`, cut with `truncate`"
        case.findings.error("TC405", message, pointer, hint)
    elif not any(True for _ in success_responses(case.operation)):
        pass  # an operation without any success is told once
    elif not steps:
        message = f"{case.operation.key} declares no JSON answer that could hold `{text}`"
        case.findings.error(
            "TC407", message, pointer, "type it in the charter, or add the schema with an overlay"
        )
    else:
        message = f"no success of {case.operation.key} has `{text}`"
        case.findings.error("TC110", message, pointer, nearest(text.rpartition("/")[2], known))
    return None


def _header(case: Case, spec: ViewSpec, text: str, pointer: str) -> Step | None:
    name = text.removeprefix("header.").lower()
    for known, schema in success_headers(case.operation).items():
        if known.lower() == name:
            return Step(schema, False)
    if case.ledger.attested(text, f"answer {text}"):
        return Step(None, False)
    if name in _ALWAYS_THERE or "type" in spec.schema_keywords():
        case.ledger.state(f"answer {text}", "declared", "typed in the charter")
        return Step(None, False)
    message = f"no success of {case.operation.key} declares the header `{name}`"
    case.findings.error("TC110", message, pointer, f"attest `{text}`, and type it in the charter")
    return None
