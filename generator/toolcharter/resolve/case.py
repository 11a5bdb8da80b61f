"""One tool while it is resolved: what the charter says, what the description has, and what was found wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from toolcharter.charter.findings import nearest
from toolcharter.charter.schema import Charter, InputSpec, ToolSpec, ViewSpec
from toolcharter.diagnostics import Origin
from toolcharter.source import Description, Operation, ParameterSpec
from toolcharter_runtime.frozen import ViewField
from toolcharter_runtime.language import Place, Reference, pointer_of

from .claims import Ledger
from .findings import Findings, tool_pointer
from .leaves import LeafReader
from .media import BodyKind
from .merging import JsonSchema
from .schemas import SchemaReader

__all__ = ["Api", "BodyPlan", "Case", "Input", "Spot"]


@dataclass(frozen=True, slots=True)
class Api:
    """What all tools share."""

    charter: Charter
    description: Description
    reader: SchemaReader
    leaves: LeafReader
    """Of requests; an answer's schemas are read as its server writes them, by the two below."""
    answer_reader: SchemaReader
    answer_leaves: LeafReader
    used_fields: set[str] = field(default_factory=set[str])
    used_defaults: set[str] = field(default_factory=set[str])
    """Pointers below `/defaults` that fit a tool."""


@dataclass(frozen=True, slots=True)
class BodyPlan:
    """The request body that a tool uses."""

    media: str
    kind: BodyKind
    schema: JsonSchema
    required: bool


@dataclass(frozen=True, slots=True)
class Input:
    """One input, resolved: its schema as the model sees it, and where its value goes."""

    name: str
    schema: JsonSchema
    required: bool
    spec: InputSpec
    pointer: str
    """Where the charter says it."""
    place: Place | None = None
    """None where `send` composes it."""
    is_typed: bool = False
    """The charter gives the type, the description none."""
    label: str = ""
    """The name with those that it lies inside, for messages: `lines[].sku`."""
    text: str | None = None
    """What the description says of the place."""
    near: tuple[str, tuple[str, ...]] = ("", ())
    """The place's last name, and the names that are described beside it."""
    members_at: str | None = None
    """Where the charter lists the members, if not under `fields`."""
    fields: tuple[Input, ...] | None = None
    element: Input | None = None
    values: Input | None = None
    kinds: tuple[Input, ...] | None = None
    branches: Mapping[str, tuple[Input, ...]] | None = None
    tag: str | None = None
    """Of a union: the property that tells its branches apart."""
    tags: Mapping[str, JsonSchema] = field(default_factory=dict[str, JsonSchema])
    """Of a union: the constant of each listed branch."""

    @property
    def is_leaf(self) -> bool:
        """Say whether nothing is listed inside."""
        return not any((self.fields is not None, self.element, self.values, self.kinds, self.tag))

    def members(self, name: str) -> tuple[Input, ...]:
        """Return what `{input.name}` may be: a member of the object, or of branches of the union."""
        branches = (self.branches or {}).values()
        return tuple(
            one for group in (self.fields or (), *branches) for one in group if one.name == name
        )


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of the request that exists. `schema` is None where the description gives no type."""

    schema: JsonSchema | None
    required: bool
    """A valid request always has it."""
    parameter: ParameterSpec | None = None
    is_described: bool = True
    description: str | None = None
    known: tuple[str, ...] = ()
    """Names that are described beside it."""


@dataclass(slots=True)
class Case:
    """One tool's working state."""

    api: Api
    name: str
    spec: ToolSpec
    operation: Operation
    findings: Findings
    ledger: Ledger
    body: BodyPlan | None = None
    inputs: dict[str, Input] = field(default_factory=dict[str, Input])
    view: tuple[ViewField, ...] = ()
    items: str | None = None
    """The list field of a paged view."""
    together: tuple[JsonSchema, ...] = ()
    """What the arguments must be together: conditions of a body whose properties are inputs."""
    is_body_optional: bool = False
    """No body is sent where none of its inputs is set, for an empty one would lack what is required."""
    places: dict[str, Origin] = field(default_factory=dict[str, Origin])
    is_placed: bool = True
    """Every input and every entry of `send` has its place; else what is missing is not asked."""
    spots: dict[str, Spot | None] = field(default_factory=dict[str, Spot | None])
    """Places of the request that were looked for, and what was found."""

    @property
    def is_write(self) -> bool:
        """Say whether the tool writes."""
        return self.spec.effect == "write"

    @property
    def id(self) -> str:
        """The registry id of the current version."""
        return f"{self.name}.v{self.spec.version}"

    def at(self, *steps: str) -> str:
        """Return the charter's pointer of a part of this tool."""
        return tool_pointer(self.name, *steps)

    def keep_places(self, key: str, pointer: str, spec: InputSpec | ViewSpec) -> None:
        """Keep where a name of the tool is written, and each name inside it that stands in one branch or kind alone."""
        inside = list(_names_inside(key, pointer, spec))
        count = Counter(name for name, _ in inside)
        for name, at in ((key, pointer), *(each for each in inside if count[each[0]] == 1)):
            self.places[name] = self.api.charter.origin(at)

    def parameter(self, location: str, name: str) -> ParameterSpec | None:
        """Return the declared parameter; header names ignore case."""
        for parameter in self.operation.parameters:
            if parameter.location != location:
                continue
            if parameter.name == name or (
                location == "header" and parameter.name.lower() == name.lower()
            ):
                return parameter
        return None

    def view_field(self, name: str) -> ViewField | None:
        """Return a field of the view by name; in a list of items, also a name inside them."""
        for one in self.view:
            if one.name == name:
                return one
        for one in self.view:
            for inner in one.each or ():
                if inner.name == name:
                    return inner
        return None

    def inner_problem(self, reference: Reference) -> tuple[str, str] | None:
        """Return what is wrong with the names that follow the first one, inside an object of the view."""
        fields = self.view
        for at, name in enumerate(reference.path[:-1]):
            one = next((field for field in fields if field.name == name), None)
            if one is None or one.fields is None:
                return None
            fields = one.fields
            known = tuple(field.name for field in fields)
            wrong = _unknown(f"`{name}` of the view", reference.path[at + 1], known)
            if wrong is not None:
                return wrong
        return None

    def name_problem(self, reference: Reference, before: Case | None) -> tuple[str, str] | None:
        """Return what is wrong with a name between braces and a hint, or None; `before` reads the target."""
        first = reference.path[0] if reference.path else ""
        match reference.root:
            case None:
                return self._input_problem(reference)
            case "run" if first == "context":
                known: Collection[str] = self.api.charter.context
                return _unknown("the run's context", reference.path[1], known)
            case "before" | "after":
                if before is None and not self.lacks_target:
                    return None
                if before is None:
                    return (
                        f"`{{{reference}}}` needs a target that is read",
                        "state `target: {read: …}`",
                    )
                wrong = _unknown("the target's view", first, before.view_names())
                return wrong or before.inner_problem(reference)
            case "answer":
                return _unknown("the view", first, self.spec.view) or self.inner_problem(reference)
            case "version":
                target = self.spec.target
                if target is None or target.version is None or len(target.version.fields) != 1:
                    return (
                        "`{$version}` needs a target with one version field",
                        "several are never sent",
                    )
                return None
            case _:
                return None

    def _input_problem(self, reference: Reference) -> tuple[str, str] | None:
        first, *rest = reference.path
        if first not in self.spec.input:
            return _unknown("the input", first, self.spec.input)
        one = self.inputs.get(first)
        if one is None or not rest:
            return None
        parts = {inner.name for branch in (one.branches or {}).values() for inner in branch}
        parts |= {inner.name for inner in one.fields or ()}
        return _unknown(f"input `{first}`", rest[0], parts | ({one.tag} if one.tag else set()))

    def view_names(self) -> tuple[str, ...]:
        """Return the names that conditions on this tool's answer may use, those that could not be resolved too."""
        inner = tuple(name for spec in self.spec.view.values() for name in spec.each or {})
        return (*self.spec.view, *inner)

    @property
    def lacks_target(self) -> bool:
        """Say whether the charter names no read of the target (a name of no tool is reported once, elsewhere)."""
        return self.spec.target is None or self.spec.target.read is None


def _names_inside(key: str, pointer: str, spec: InputSpec | ViewSpec) -> Iterator[tuple[str, str]]:
    """Yield each name inside another as rules know it, `input.owner.id`, and its pointer; elements and kinds have none."""
    for steps, inner in spec.inner():
        at = pointer + pointer_of(*steps)
        is_named = steps[0] not in ("element", "values", "kinds")
        below = f"{key}.{steps[-1]}" if is_named else key
        if is_named:
            yield below, at
        yield from _names_inside(below, at, inner)


def _unknown(where: str, name: str, known: Collection[str]) -> tuple[str, str] | None:
    return None if name in known else (f"{where} has no `{name}`", nearest(name, known))
