"""The model generator's text, read back as a tree and spelled anew: a contract holds what is listed here, or is refused.

Only classes with fields, `Annotated`, `Field` with constants, `Literal`, unions and the types below come through. So
whatever a description says, what is written cannot do anything; and how a string is escaped is ours, the same on every
Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from toolcharter.naming import field_name

from .spelling import literal

__all__ = ["ForeignSourceError", "ModelField", "ModelSource", "read_models"]

_TYPES = {
    "str", "int", "float", "bool", "list", "dict", "tuple", "date", "AwareDatetime", "UUID", "JsonValue", "MISSING",
    "Annotated", "Literal", "Union", "Field",
}  # fmt: skip
_KEYWORDS = {
    "alias", "description", "discriminator", "ge", "gt", "le", "lt", "max_length", "min_length", "multiple_of", "pattern",
}  # fmt: skip


class ForeignSourceError(ValueError):
    """The generator wrote something that a contract may not hold."""


@dataclass(frozen=True, slots=True)
class ModelField:
    """One field: its annotation and default as source, and its description."""

    name: str
    annotation: str
    default: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelSource:
    """One class: base, docstring, fields, and the names that its source uses."""

    name: str
    base: str
    text: str
    fields: tuple[ModelField, ...]
    uses: frozenset[str]
    """Types and other models that its annotations name."""


@dataclass(slots=True)
class _Reader:
    known: frozenset[str]
    """Names of all models."""
    aliases: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """Names that an import gave another one, e.g. `date_aliased` → `date`."""
    used: set[str] = field(default_factory=set[str])

    def spell(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-{self.spell(node.operand)}"
        if isinstance(node, ast.Call):
            return self._call(node)
        raise ForeignSourceError(f"{type(node).__name__} in a contract")

    def _union(self, node: ast.BinOp) -> str:
        """Return the members in their order, None last."""
        members: list[ast.expr] = []
        waiting: list[ast.expr] = [node]
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.BitOr):
                waiting += [one.right, one.left]
            else:
                members.append(one)
        spelled = [self.spell(one) for one in members]
        return " | ".join(sorted(spelled, key=lambda one: one == "None"))

    def _constant(self, node: ast.Constant) -> str:
        value = node.value
        if isinstance(value, str) and value in self.known:
            self.used.add(value)
        if value is not None and not isinstance(value, str | int | float):
            raise ForeignSourceError(f"a {type(value).__name__} in a contract")
        return literal(value)

    def _name(self, name: str) -> str:
        if name in self.aliases:
            return self.spell(self.aliases[name])
        name = self.renamed.get(name, name)
        name = "JsonValue" if name == "Any" else name
        if name not in _TYPES and name not in self.known:
            raise ForeignSourceError(f"the name {name} in a contract")
        self.used.add(name)
        return name

    def _subscript(self, node: ast.Subscript) -> str:
        outer = self.spell(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if outer == "Literal":
            if not all(isinstance(one, ast.Constant | ast.UnaryOp) for one in inner):
                raise ForeignSourceError("a Literal of something else than constants")
            return f"Literal[{', '.join(self._literal_member(one) for one in inner)}]"
        return f"{outer}[{', '.join(self.spell(one) for one in inner)}]"

    def _literal_member(self, node: ast.expr) -> str:
        return literal(ast.literal_eval(node))

    def _call(self, node: ast.Call) -> str:
        keywords = {one.arg: one.value for one in node.keywords}
        plain = isinstance(node.func, ast.Name) and node.func.id == "Field" and not node.args
        if not plain or not keywords.keys() <= _KEYWORDS:
            raise ForeignSourceError("a call in a contract")
        self.used.add("Field")
        parts: list[str] = []
        for name, node_value in keywords.items():
            value = ast.literal_eval(node_value)
            if name == "discriminator":
                value = field_name(
                    str(value)
                )  # pydantic asks for the field, the generator names the property
            parts.append(f"{name}={literal(value)}")
        return f"Field({', '.join(parts)})"


def read_models(source: str, expected: Mapping[str, str]) -> tuple[ModelSource, ...]:
    """Return the classes of the generator's text, in its order; `ForeignSourceError` for anything else in it.

    `expected` has the name of each model and of its base class.
    """
    tree = ast.parse(source)
    reader = _Reader(frozenset(expected))
    models: list[ModelSource] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            reader.renamed |= {one.asname: one.name for one in node.names if one.asname}
        elif isinstance(node, ast.Assign):
            reader.aliases |= _alias(node)
        elif isinstance(node, ast.ClassDef):
            models.append(_model(node, reader, expected))
        elif not _is_rebuild(node) and _text(node) is None:  # a text tells of the alias above it
            raise ForeignSourceError(f"{type(node).__name__} in a contract")
    if {model.name for model in models} != set(expected):
        raise ForeignSourceError("not the models that were asked for")
    return tuple(models)


def _alias(node: ast.Assign) -> dict[str, ast.expr]:
    target, value = node.targets[0], node.value
    is_alias = (
        isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "TypeAliasType"
        and len(value.args) == 2
    )
    if not is_alias or not isinstance(target, ast.Name) or not isinstance(value, ast.Call):
        raise ForeignSourceError("an assignment in a contract")
    return {target.id: value.args[1]}


def _is_rebuild(node: ast.stmt) -> bool:
    """Say whether it is `Model.model_rebuild()`, which models that are built when first used do not need."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "model_rebuild"
        and not node.value.args
        and not node.value.keywords
    )


def _model(node: ast.ClassDef, reader: _Reader, expected: Mapping[str, str]) -> ModelSource:
    bases = [one.id for one in node.bases if isinstance(one, ast.Name)]
    if bases != [expected.get(node.name)] or node.decorator_list or node.keywords:
        raise ForeignSourceError(f"the class {node.name} in a contract")
    reader.used = set()
    body = list(node.body)
    text = _text(body[0]) if body else None
    fields = tuple(_fields(body if text is None else body[1:], reader))
    return ModelSource(node.name, bases[0], text or "", fields, frozenset(reader.used))


def _fields(body: list[ast.stmt], reader: _Reader) -> Iterator[ModelField]:
    for number, node in enumerate(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            behind = _text(body[number + 1]) if number + 1 < len(body) else None
            default = "" if node.value is None else reader.spell(node.value)
            yield ModelField(node.target.id, reader.spell(node.annotation), default, behind or "")
        elif _text(node) is None and not isinstance(node, ast.Pass) and not _is_config(node):
            raise ForeignSourceError(f"{type(node).__name__} in a model")


def _is_config(node: ast.stmt) -> bool:
    """Say whether it is the model's configuration, which is stated anew where one is needed."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "model_config"


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else None
    return None
