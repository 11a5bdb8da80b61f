"""Frozen schemas → one flat set of named definitions, in the few forms that the model generator expresses exactly.

The frozen schema judges every value; the models give its types to programmers, and may be wider than it, never narrower. So
what pydantic cannot say (`if`, `not`, `allOf`, `dependentRequired`, `contains`, patterns of names) is left out here and nowhere
else, and what the generator is known to get wrong does not reach it: inline objects and branches get names of their own (else
they are numbered over the whole package), tags are constants, type lists are unions, formats are the three that have a type,
defaults are scalars.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from toolcharter.naming import class_name, field_name
from toolcharter_runtime.frozen import Contract

from .json_values import list_of, object_of
from .scalars import bounds_of, merge_null, scalar
from .spelling import visible

__all__ = ["Shape", "Shapes", "shape_contract"]

_UNIONS = ("oneOf", "anyOf")
_LONGEST_CHAIN = 32
_LONGEST_NAME = 100
_IMPORTED = frozenset(
    {"Annotated", "AwareDatetime", "ConfigDict", "Field", "JsonValue", "Literal", "ToolArguments", "ToolResult", "Union"}
)  # fmt: skip
"""Names of classes that the modules of contracts import; no model is called so."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One model: its definition for the generator, and the Python name of each property that has another one."""

    definition: dict[str, Any]
    aliases: dict[str, str]
    is_result: bool
    is_model: bool = True
    """Or a name for a union, which is written where it is used."""
    is_open: bool = False
    """A root that takes fields that it does not list."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The models of one contract by class name; the first two are those that the tool names."""

    arguments: str
    result: str
    models: dict[str, Shape]


def shape_contract(contract: Contract) -> Shapes:
    """Return the models of a contract's arguments and result."""
    tool = class_name(contract.tool)
    models: dict[str, Shape] = {}
    arguments, result = f"{tool}Arguments", f"{tool}Result"
    takes = {"description": contract.description, **contract.arguments}
    gives = {"description": f"What `{contract.tool}` returns.", **contract.view.result}
    models[arguments] = models[result] = Shape({}, {}, is_result=False)  # both names are taken
    _Shaper(contract.arguments, models, tool, is_result=False).shape_root(arguments, takes)
    _Shaper(contract.view.result, models, result, is_result=True).shape_root(result, gives)
    return Shapes(arguments, result, models)


@dataclass(slots=True)
class _Shaper:
    root: Mapping[str, Any]
    models: dict[str, Shape]
    prefix: str
    is_result: bool
    named: dict[str, str] = field(default_factory=dict[str, str])
    """References that are models → their class."""
    inlined: set[str] = field(default_factory=set[str])
    """References that are being written where they are used."""
    made: dict[str, str] = field(default_factory=dict[str, str])
    """What is inside of a nested model → its class: equal ones are one."""

    def shape_root(self, name: str, schema: Mapping[str, Any]) -> None:
        self.named["#"] = name
        self._model(name, schema, name_below=self.prefix)

    def _shape(self, schema: Any, name: str) -> dict[str, Any]:
        """Return the definition that stands in a place; a model is put aside under its own name."""
        schema = object_of(schema)
        if "$ref" in schema:
            return self._reference(schema, name)
        if "const" not in schema and "enum" not in schema:
            for word in _UNIONS:
                if word in schema and not _is_refinement(schema, schema[word]):
                    return self._union(schema[word], name)
            types = _types(schema)
            if len(types) > 1:
                return self._union([{**schema, "type": one} for one in types], name)
            if types == ["object"]:
                return self._object(schema, name)
            if types == ["array"]:
                return self._array(schema, name)
        return scalar(schema)

    def _reference(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        key = str(schema["$ref"])
        if key in self.named:
            return {"$ref": f"#/$defs/{self.named[key]}"}
        behind = self._behind(key)
        if not _is_closed(behind) or not behind.get("properties"):
            if key in self.inlined:
                return {}  # a list or a union that holds itself has no name that an annotation could give it
            self.inlined.add(key)
            shaped = self._shape(behind, name)
            self.inlined.discard(key)
            return shaped
        chosen = self._free(class_name(self.prefix, _last(key)))
        self.named[key] = chosen
        return self._model(chosen, behind, name_below=chosen)

    def _object(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        if _is_closed(schema):
            chosen = self._free(name)
            return self._model(chosen, schema, name_below=chosen)
        bounds = bounds_of(schema, "minProperties", "maxProperties")
        is_mixed = bool(schema.get("properties") or schema.get("patternProperties"))
        values: Any = True if is_mixed else schema.get("additionalProperties")
        shaped = self._shape(values, f"{name}Value")
        return {"type": "object", "additionalProperties": shaped or True, **bounds}

    def _model(self, name: str, schema: Mapping[str, Any], name_below: str) -> dict[str, Any]:
        self.models[name] = Shape({}, {}, self.is_result)  # the name is taken; a cycle finds it
        properties: dict[str, Any] = {}
        aliases: dict[str, str] = {}
        taken: set[str] = set()
        required = [
            key for key in schema.get("required", ()) if key in schema.get("properties", {})
        ]
        properties_below = object_of(schema.get("properties"))
        for key in dict.fromkeys((*required, *properties_below)):
            raw = properties_below[key]
            if raw is False:
                continue
            shaped = self._shape(raw, f"{name_below}{class_name(key)}")
            properties[key] = self._described(shaped, raw)
            python = _unlike(field_name(key), taken)
            taken.add(python)
            if python != key:
                aliases[key] = python
        definition: dict[str, Any] = {"type": "object", "properties": properties}
        definition["required"] = [key for key in required if key in properties]
        shape = Shape(
            self._described(definition, schema),
            aliases,
            self.is_result,
            is_open=not _is_closed(schema),
        )
        return {"$ref": f"#/$defs/{self._kept(name, shape)}"}

    def _kept(self, name: str, shape: Shape) -> str:
        """Return the class of a shape: its own, or the one of a nested model that is equal to it."""
        inside = json.dumps([shape.definition, shape.aliases], sort_keys=True)
        if name not in self.named.values() and f'"#/$defs/{name}"' not in inside:
            same = self.made.setdefault(inside, name)
            if same != name:
                del self.models[name]
                return same
        self.models[name] = shape
        return name

    def _described(self, shaped: dict[str, Any], schema: Any) -> dict[str, Any]:
        """Return the definition with the schema's description; of a model in its place, the model has it."""
        schema = object_of(schema)
        text = schema.get("description")
        if not isinstance(text, str) or not text.strip():
            return shaped
        words = {"description": visible(" ".join(text.split()))}
        if "$ref" not in shaped:
            return {**shaped, **words}
        is_union = not self.models[shaped["$ref"].rpartition("/")[2]].is_model
        return {"allOf": [shaped], **words} if "$ref" in schema or is_union else shaped

    def _array(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        bounds = bounds_of(schema, "minItems", "maxItems")
        first = schema.get("prefixItems")
        if first and schema.get("maxItems", len(first)) == len(first) == schema.get("minItems"):
            items = [self._shape(one, f"{name}Item{i}") for i, one in enumerate(first, 1)]
            return {"type": "array", "prefixItems": items, "items": False, **bounds}
        element: Any = True if first else schema.get("items")
        return {"type": "array", "items": self._shape(element, f"{name}Item"), **bounds}

    def _union(self, branches: Any, name: str) -> dict[str, Any]:
        raw = [branch for branch in branches if branch is not False]
        whole = [branch for branch in raw if _types(self._followed(branch)) != ["null"]]
        tag = self._tag(whole)
        shaped = [
            self._shape(branch, f"{name}{self._branch_name(branch, tag, number, len(whole))}")
            for number, branch in enumerate(whole, 1)
        ]
        if tag is not None and self._share_name(shaped, tag):
            union = self._tagged(shaped, tag, name)
        else:
            union = shaped[0] if len(shaped) == 1 else {"anyOf": shaped}
        return merge_null(union) if len(whole) < len(raw) else union

    def _share_name(self, branches: list[dict[str, Any]], tag: str) -> bool:
        """Say whether the tag is a field of one Python name in all branches, as pydantic wants it."""
        for branch in branches:
            shape = self.models.get(str(branch.get("$ref")).rpartition("/")[2])
            if shape is None or tag not in shape.definition.get("properties", {}):
                return False
            if shape.aliases.get(tag, tag) != field_name(tag):
                return False
        return True

    def _tagged(self, branches: list[dict[str, Any]], tag: str, name: str) -> dict[str, Any]:
        """Put a tagged union aside under a name: beside null or a missing value the generator forgets the tag."""
        chosen = self._free(f"{name}Union")
        definition = {"oneOf": branches, "discriminator": {"propertyName": tag}}
        self.models[chosen] = Shape(definition, {}, self.is_result, is_model=False)
        return {"$ref": f"#/$defs/{chosen}"}

    def _branch_name(self, branch: Any, tag: str | None, number: int, count: int) -> str:
        if tag is not None:
            return class_name("", str(_constant(self._followed(branch)["properties"][tag])))
        return str(number) if count > 1 else ""

    def _tag(self, branches: list[Any]) -> str | None:
        """Return the required property whose constant strings tell all branches apart, or None."""
        followed = [self._followed(branch) for branch in branches]
        if len(followed) < 2:
            return None
        for name in followed[0].get("properties", {}):
            constants = [
                _constant(one.get("properties", {}).get(name))
                if name in one.get("required", ())
                else None
                for one in followed
            ]
            if all(isinstance(one, str) for one in constants) and len(set(constants)) == len(
                constants
            ):
                return str(name)
        return None

    def _followed(self, schema: Any) -> Mapping[str, Any]:
        followed = object_of(schema)
        for _ in range(_LONGEST_CHAIN):
            if "$ref" not in followed:
                break
            followed = self._behind(str(followed["$ref"]))
        return followed

    def _behind(self, reference: str) -> Mapping[str, Any]:
        """What a reference inside of the schema names; of any other nothing is known."""
        if not reference.startswith("#/"):
            return self.root if reference == "#" else {}
        place: object = self.root
        for token in reference[2:].split("/"):
            name = unquote(token).replace("~1", "/").replace("~0", "~")
            members = dict(enumerate(list_of(place)))
            place = (
                members.get(int(name)) if members and name.isdigit() else object_of(place).get(name)
            )
        return object_of(place)

    def _free(self, name: str) -> str:
        return _unlike(_short(name), self.models.keys() | _IMPORTED)


def _unlike(name: str, taken: Any) -> str:
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}{number}", number + 1
    return chosen


def _short(name: str) -> str:
    """A name of a deep place: its beginning, and what tells it from others of that beginning."""
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 8]}{digest}"


def _last(reference: str) -> str:
    return unquote(reference.rpartition("/")[2]).replace("~1", "/").replace("~0", "~")


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Say whether the properties that are listed are all that a value may have."""
    if schema.get("patternProperties"):
        return False
    return schema.get("additionalProperties") is False and isinstance(
        schema.get("properties", {}), Mapping
    )


def _constant(schema: Any) -> Any:
    schema = object_of(schema)
    listed = list_of(schema.get("enum"))
    return listed[0] if len(listed) == 1 else schema.get("const")


def _types(schema: Mapping[str, Any]) -> list[str]:
    stated = schema.get("type")
    if stated is not None:
        return [str(one) for one in list_of(stated)] or [str(stated)]
    if "properties" in schema or "additionalProperties" in schema:
        return ["object"]
    return ["array"] if "items" in schema or "prefixItems" in schema else []


def _is_refinement(schema: Mapping[str, Any], branches: Any) -> bool:
    """Say whether the branches only narrow what stands beside them, e.g. groups of required fields."""
    own = bool(_types(schema))
    return own and not any(
        "$ref" in object_of(branch) or _types(object_of(branch)) for branch in branches
    )
