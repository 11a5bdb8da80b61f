"""The slice of a description that some operations reach: raw, in its own version and spelling."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from .copying import Copier, Slice
from .description import Description
from .document import Anchor
from .grammar import HOMES
from .operations import Found
from .reading import Node
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
        self._layout = LAYOUTS[description.version]
        self._methods = METHODS[description.version]
        self._root = Node(Anchor(description.root), description.root.value)
        homes = HOMES[description.version]
        self._copier = Copier(description.library, homes, self.result)

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
        copied = self._copier.sections()
        copied[self._layout.security_schemes] = self._security_schemes()
        for home in sorted(copied):
            if copied[home]:
                self._place(home, dict(sorted(copied[home].items())))

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
            item, member = paths[each.key.path], each.key.method.lower()
            operation = each.operation
            if self._requests_only:
                raw = {**operation.value, "responses": {"default": {"description": ""}}}
                operation = Node(operation.anchor, raw)
            if member not in self._methods:
                item, member = item.setdefault("additionalOperations", {}), each.key.method
            item[member] = self._copier.copy(operation, "operation")
        return paths

    def _path_item(self, items: tuple[Node, ...]) -> dict[str, Any]:
        """Return a path item without its operations, and all that it refers to laid into it."""
        left_out = {"$ref", "additionalOperations", *self._methods}
        made: dict[str, Any] = {}
        for item in reversed(items):
            raw = {key: value for key, value in item.value.items() if key not in left_out}
            made.update(self._copier.copy(Node(item.anchor, raw), "pathItem"))
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
        node = self._root.find(self._layout.security_schemes)
        schemes: dict[str, Any] = {}
        for name in sorted(names):
            scheme = node.get(name) if node else None
            followed = self._copier.follow(scheme) if scheme else None
            if followed is not None:
                schemes[name] = followed.value
                self.result.anchors[id(followed.value)] = followed.anchor
        return schemes
