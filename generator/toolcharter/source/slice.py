"""The slice of a description that some operations reach: raw, in its own version and spelling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from toolcharter.diagnostics import Diagnostic

from .definitions import Definitions
from .description import Description
from .document import Anchor, Step
from .grammar import GRAMMAR, HOMES, Kind, Shape
from .operations import Found
from .reading import Node, Reading, malformed
from .refusal import SourceError
from .shapes import is_array, is_object
from .versions import LAYOUTS, METHODS, order_of

__all__ = ["Slice", "build_slice", "slice_description"]

_KEPT_INFO: Final = ("title", "version", "summary", "contact", "license", "termsOfService")
_KEPT_ROOT: Final = (
    "jsonSchemaDialect",
    "servers",
    "host",
    "basePath",
    "schemes",
    "consumes",
    "produces",
    "security",
)


@dataclass(slots=True)
class Slice:
    """A self-contained description, where its parts came from, and what could not be copied."""

    value: dict[str, Any] = field(default_factory=dict[str, Any])
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    anchors: dict[int, Anchor] = field(default_factory=dict[int, Anchor])
    """By the id of a container of `value`."""

    def anchor(self, steps: Iterable[Step], root: Anchor) -> Anchor:
        """Return where a part of the value came from."""
        node: Any = self.value
        anchor = root
        for step in steps:
            try:
                node = node[step]
            except (KeyError, IndexError, TypeError):
                break
            anchor = self.anchors.get(id(node)) or anchor / step
        return anchor


def slice_description(description: Description, operations: Iterable[str]) -> dict[str, Any]:
    """Return a self-contained description of some operations; SourceError if one of them cannot be copied."""
    built = build_slice(description, operations)
    if built.findings:
        raise SourceError(built.findings[0])
    return built.value


def build_slice(
    description: Description, operations: Iterable[str], *, requests_only: bool = False
) -> Slice:
    """Return the slice of some operations; without what they answer if only requests are asked for.

    Paths and components are sorted; inside them the source's order stays. Examples, callbacks, links, tags' texts and
    extensions outside schemas are left out: they say nothing of what may be sent or comes back.
    """
    slicer = _Slicer(description, requests_only=requests_only)
    found: list[Found] = []
    for name in dict.fromkeys(operations):
        staged = description.find(name)
        slicer.result.findings.extend(staged.diagnostics)
        if staged.value is not None:
            found.append(staged.value)
    slicer.copy(found)
    return slicer.result


class _Slicer:
    def __init__(self, description: Description, *, requests_only: bool) -> None:
        self.result = Slice()
        self._requests_only = requests_only
        self._library = description.library
        self._layout = LAYOUTS[description.version]
        self._methods = METHODS[description.version]
        self._has_resources = description.version in ("3.1", "3.2")
        self._root = Node(Anchor(description.root), description.root.value)
        self._homes = HOMES[description.version]
        self._names = {kind: Definitions(self._library, home) for kind, home in self._homes.items()}
        self._waiting: list[tuple[Kind, str]] = []
        self._dynamic: list[tuple[str, Anchor]] = []
        self._copied: dict[tuple[str, ...], dict[str, Any]] = {}

    def copy(self, found: list[Found]) -> None:
        value = self.result.value
        for key in ("openapi", "swagger"):
            if key in self._root.value:
                value[key] = self._root.value[key]
        info = self._root.value.get("info")
        info = info if is_object(info) else {}
        value["info"] = {key: info[key] for key in _KEPT_INFO if key in info}
        for key in _KEPT_ROOT:
            if key in self._root.value:
                value[key] = self._root.value[key]
        value["paths"] = self._paths(found)
        while self._waiting:
            kind, name = self._waiting.pop()
            section = self._copied.setdefault(self._homes[kind], {})
            if name not in section:
                section[name] = None  # holds the name while what lies below is copied
                section[name] = self._copy(self._names[kind].node(name), kind)
        checked = (self._library.check_dynamic(*reference) for reference in self._dynamic)
        self.result.findings.extend(finding for finding in checked if finding)
        self._copied[self._layout.security_schemes] = self._security_schemes()
        for home in sorted(self._copied):
            if self._copied[home]:
                self._place(home, dict(sorted(self._copied[home].items())))

    def _place(self, home: tuple[str, ...], section: dict[str, Any]) -> None:
        owner = self.result.value
        for step in home[:-1]:
            owner = owner.setdefault(step, {})
        owner[home[-1]] = section

    def _paths(self, found: list[Found]) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        for each in sorted(found, key=lambda f: (f.key.path, *order_of(f.key.method))):
            if each.key.path not in paths:
                paths[each.key.path] = self._path_item(each.items)
            item = paths[each.key.path]
            operation = each.operation
            if self._requests_only:
                raw = {**operation.value, "responses": {"default": {"description": ""}}}
                operation = Node(operation.anchor, raw)
            if each.key.method.lower() not in self._methods:
                item = item.setdefault("additionalOperations", {})
            member = (
                each.key.method if item is not paths[each.key.path] else each.key.method.lower()
            )
            item[member] = self._copy(operation, "operation")
        return paths

    def _path_item(self, items: tuple[Node, ...]) -> dict[str, Any]:
        """Return a path item without its operations, and all that it refers to laid into it."""
        left_out = {"$ref", "additionalOperations", *self._methods}
        made: dict[str, Any] = {}
        for item in reversed(items):
            raw = {key: value for key, value in item.value.items() if key not in left_out}
            made.update(self._copy(Node(item.anchor, raw), "pathItem"))
            self.result.anchors.setdefault(id(made), item.anchor)
        return made

    def _security_schemes(self) -> dict[str, Any]:
        """Return the schemes that the copied operations, or else the whole description, name."""
        value = self.result.value
        operations = (
            operation
            for item in value["paths"].values()
            for methods in (item, item.get("additionalOperations", {}))
            for method, operation in methods.items()
            if method in self._methods or methods is not item
        )
        requirements = [value.get("security"), *(o.get("security") for o in operations)]
        names = {
            name
            for alternatives in requirements
            if is_array(alternatives)
            for alternative in alternatives
            if is_object(alternative)
            for name in alternative
        }
        node: Node | None = self._root
        for step in self._layout.security_schemes:
            node = node.get(step) if node else None
        schemes: dict[str, Any] = {}
        for name in sorted(names):
            scheme = node.get(name) if node else None
            followed = self._follow(scheme) if scheme else None
            if followed is not None:
                schemes[name] = followed.value
                self.result.anchors[id(followed.value)] = followed.anchor
        return schemes

    def _follow(self, node: Node) -> Node | None:
        try:
            return self._library.follow(node)
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return None

    def _copy(self, node: Node, kind: Kind) -> Any:
        if not is_object(node.value):
            return node.value  # the validator says what is wrong with it
        if "$ref" in node.value:
            return self._copy_reference(node, kind)
        if "$dynamicRef" in node.value and kind == "schema" and self._has_resources:
            return self._copy_dynamic(node)
        part = GRAMMAR[kind]
        copied: dict[str, Any] = {}
        for key, value in node.value.items():
            if key in part.left_out or (key.startswith("x-") and not part.keeps_extensions):
                continue
            child = Node(node.anchor / key, value)
            if key in part.members:
                copied[key] = self._copy_members(child, *part.members[key])
            elif kind == "schema" and key == "discriminator":
                copied[key] = self._copy_discriminator(child)
            else:
                copied[key] = value
                if is_object(value) or is_array(value):
                    self.result.anchors[id(value)] = child.anchor
        self.result.anchors[id(copied)] = node.anchor
        return copied

    def _copy_members(self, node: Node, shape: Shape, kind: Kind) -> Any:
        made: Any
        if is_array(node.value):  # also a tuple of draft 4, where elsewhere one schema stands
            made = [self._copy(node / index, kind) for index in range(len(node.value))]
        elif shape == "map" and is_object(node.value):
            made = {
                key: value
                if key.startswith("x-") and kind != "schema"
                else self._copy(node / key, kind)
                for key, value in node.value.items()
            }
        elif shape == "one":
            return self._copy(node, kind)
        else:
            return node.value
        self.result.anchors[id(made)] = node.anchor
        return made

    def _copy_reference(self, node: Node, kind: Kind) -> Any:
        try:
            target = self._library.target(node)
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return {}
        if kind not in self._homes:
            followed = self._follow(node)
            return self._copy(followed, kind) if followed else {}
        siblings = {key: value for key, value in node.value.items() if key != "$ref"}
        copied = {"$ref": self._named(target, kind, node.value["$ref"])}
        if siblings:
            copied.update(self._copy(Node(node.anchor, siblings), kind))
        self.result.anchors[id(copied)] = node.anchor
        return copied

    def _copy_dynamic(self, node: Node) -> Any:
        """Copy a schema with a dynamic reference, which in a slice is an ordinary one."""
        others = {key: value for key, value in node.value.items() if key != "$dynamicRef"}
        try:
            target = self._library.target(node, "$dynamicRef")
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return {}
        name = target.value.get("$dynamicAnchor") if is_object(target.value) else None
        if isinstance(name, str):
            self._dynamic.append((name, node.anchor / "$dynamicRef"))
        reference = {"$ref": self._named(target, "schema", "")}
        copied = self._copy(Node(node.anchor, others), "schema")
        made = {**copied, "allOf": [*copied.get("allOf", ()), reference]} if others else reference
        self.result.anchors[id(made)] = node.anchor
        return made

    def _named(self, target: Node, kind: Kind, spelled: str) -> str:
        """Return the reference to a part's place in the slice: as it was spelled, where that is the place."""
        home = self._homes[kind]
        steps = target.anchor.steps
        if target.anchor.document is self._root.anchor.document and steps[:-1] == home:
            name = self._names[kind].keep(target, str(steps[-1]))
            reference = spelled
        else:
            name = self._names[kind].name(target, Reading())
            reference = f"#/{'/'.join(home)}/{name}"
        self._waiting.append((kind, name))
        return reference if reference.startswith("#/") else f"#/{'/'.join(home)}/{name}"

    def _copy_discriminator(self, node: Node) -> Any:
        mapping = node.get("mapping")
        if mapping is None or not is_object(mapping.value):
            return node.value
        targets = {tag: self._mapped(mapping / tag) for tag in mapping.value}
        self.result.anchors[id(targets)] = mapping.anchor
        copied = {**node.value, "mapping": targets}
        self.result.anchors[id(copied)] = node.anchor
        return copied

    def _mapped(self, node: Node) -> Any:
        text = node.value
        if not isinstance(text, str):
            reading = Reading()
            malformed(reading, node.anchor, "A mapping's value is not a string")
            self.result.findings.extend(reading.findings)
            return text
        component = self._names["schema"].component(text) if "/" not in text else None
        if component is not None:
            self._named(component, "schema", text)
            return text
        try:
            return self._named(self._library.resolve(text, node.anchor), "schema", text)
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return text
