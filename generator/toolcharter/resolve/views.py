"""What goes out: each name of the view, proved through the success schemas, with what lies inside it."""

from __future__ import annotations

from collections.abc import Mapping

from toolcharter.charter.places import escape
from toolcharter.charter.schema import ViewSpec
from toolcharter_runtime.frozen import ViewField
from toolcharter_runtime.jsonvalue import is_object

from .case import Case
from .ceilings import bounded_list, bounded_map
from .findings import UncarriedError
from .leaves import nullable, only_branch, tighten
from .merging import JsonSchema, types_of
from .operations import answer_media, foreign_media, success_responses
from .schemas import Expanded, Step
from .shaping import either
from .telling import telling
from .view_places import Scene, find_place, first_scene
from .view_values import resolve_value

__all__ = ["resolve_view"]

_SHAPES = ("each", "element", "fields", "values", "count")


def resolve_view(case: Case) -> None:
    """Fill `case.view`, in the order of the charter."""
    case.view = _fields(case, case.spec.view, first_scene(case))
    for name, spec in case.spec.view.items():
        case.keep_places(f"view.{name}", case.at("view", name), spec)
    _check_bytes(case)
    lists = [field.name for field in case.view if field.each is not None]
    if case.spec.page is None:
        return
    if len(lists) == 1:
        case.items = lists[0]
    else:
        message = (
            f"{case.name} is paged, so its view needs one list with `each`; it has {len(lists)}"
        )
        case.findings.error("TC732", message, case.at("view"))


def _check_bytes(case: Case) -> None:
    """Report an answer that no view can read and of which none says as much as its headers (TC405)."""
    if case.spec.view or not foreign_media(case):
        return
    media = [answer_media(response) for _, response in success_responses(case.operation)]
    shown = ", ".join(dict.fromkeys(one for one in media if one is not None))
    message = f"{case.operation.key} answers with {shown}, and the view takes nothing of it"
    hint = "view its metadata: `{type: header.Content-Type, bytes: header.Content-Length}`; a text with `at: body`"
    case.findings.error("TC405", message, case.at("view"), hint)


def _fields(case: Case, specs: Mapping[str, ViewSpec], scene: Scene) -> tuple[ViewField, ...]:
    found: list[ViewField] = []
    for name, written in specs.items():
        pointer = f"{scene.pointer}/{escape(name)}"
        spec = _placed(name, written, scene)
        try:
            field = _field(case, name, spec, scene, pointer)
        except UncarriedError as error:
            case.findings.uncarried(error, f"view `{name}`", pointer)
            continue
        if field is not None:
            found.append(field)
    return tuple(found)


def _placed(name: str, spec: ViewSpec, scene: Scene) -> ViewSpec:
    """Return the entry with its place: inside another name, that of the property of its own name."""
    if scene.within is None or spec.at is not None or spec.count is not None:
        return spec
    return spec.model_copy(update={"at": f"/{escape(name)}"})


def _field(case: Case, name: str, spec: ViewSpec, scene: Scene, pointer: str) -> ViewField | None:
    if (spec.at is None) == (spec.count is None):
        message = f"view `{name}` needs one of `at` and `count`"
        case.findings.error("TC732", message, pointer)
        return None
    said = [key for key in _SHAPES if getattr(spec, key) is not None]
    if len(said) > 1:
        message = f"view `{name}` says both `{said[0]}` and `{said[1]}` of one place"
        case.findings.error("TC731", message, pointer, "keep the one that fits the description")
        return None
    step = find_place(case, spec, scene, pointer)
    if step is None:
        return None
    match said:
        case ["count"]:
            return _count(name, spec, step)
        case ["each" | "element"]:
            return _list(case, name, spec, step, pointer)
        case ["fields"]:
            return _object(case, name, spec, step, pointer)
        case ["values"]:
            return _map(case, name, spec, step, pointer)
        case _:
            return resolve_value(case, name, spec, step, pointer)


def _count(name: str, spec: ViewSpec, step: Step) -> ViewField:
    accepts: JsonSchema = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
    return ViewField(
        name=name, count=spec.count, accepts=accepts, required=step.required, hidden=spec.hidden
    )


def _alone(case: Case, spec: ViewSpec, scene: Scene) -> ViewField | None:
    """Return the field of what stands in every place of a list or a map; None where that was reported."""
    if spec.at is not None:
        reason = "what is inside has no place of its own"
        raise UncarriedError("at", reason, "remove `at`; to go deeper, list `fields`", "TC731")
    whole = spec.model_copy(update={"at": ""}) if spec.count is None else spec
    field = _field(case, "*", whole, scene, scene.pointer)
    if field is not None and (field.hidden or field.secret):
        raise UncarriedError(
            "hidden", "what is inside is shown as a whole", "mark the name outside", "TC731"
        )
    return field


def _list(case: Case, name: str, spec: ViewSpec, step: Step, pointer: str) -> ViewField:
    expanded = _kinds(case, step)
    arrays = [
        branch.schema for branch in expanded.branches if types_of(branch.schema) == ("array",)
    ]
    if step.schema is not None and len(arrays) != 1:
        said = "each" if spec.each is not None else "element"
        raise UncarriedError("items", "no list stands there", f"remove `{said}`", "TC113")
    bounds = {k: v for array in arrays for k, v in array.items() if k == "maxItems"}
    written = {k: v for k, v in spec.schema_keywords().items() if k in ("minItems", "maxItems")}
    accepts = _list_bound(case, name, tighten({"type": "array", **bounds}, written), pointer)
    is_write_only = case.api.answer_reader.is_write_only(step)
    key = "each" if spec.each is not None else "element"
    scene = Scene(_elements(arrays), f"{pointer}/{key}", name, is_write_only, step.may_differ)
    return ViewField(
        name=name,
        at=spec.at,
        each=None if spec.each is None else _fields(case, spec.each, scene),
        element=None if spec.element is None else _alone(case, spec.element, scene),
        accepts=nullable(accepts) if expanded.nullable else accepts,
        required=_is_sure(step, expanded),
        branch=_telling_type("array", step, expanded),
        hidden=spec.hidden,
    )


def _elements(arrays: list[JsonSchema]) -> tuple[JsonSchema, ...]:
    """Return the schemas of a list's elements: of all that a tuple begins with, and of what follows."""
    if not arrays:
        return ({},)
    further = arrays[0].get("items", True)
    first = [item for item in arrays[0].get("prefixItems", ()) if is_object(item)]
    if is_object(further):
        first.append(further)
    return (either(first),) if first else ({},)


def _list_bound(case: Case, name: str, accepts: JsonSchema, pointer: str) -> JsonSchema:
    page = case.spec.page
    if page is not None and page.size:
        size = next(iter(page.size.values()))
        if accepts.get("maxItems", size) >= size:
            return {**accepts, "maxItems": size}
    return bounded_list(case, accepts, f"view `{name}`", pointer)


def _object(case: Case, name: str, spec: ViewSpec, step: Step, pointer: str) -> ViewField:
    expanded = _kinds(case, step)
    objects = [branch for branch in expanded.branches if _may_be_object(branch.schema)]
    told: JsonSchema | None = None
    if spec.branch is not None:
        wanted = only_branch(expanded, spec.branch)
        told = telling(wanted, expanded, case.api.answer_reader.flat)
        objects = [wanted]
    if step.schema is not None and not objects:
        raise UncarriedError("fields", "no object stands there", "remove `fields`", "TC113")
    if told is None and len(objects) < len(expanded.branches):
        told = {"type": ["object", "null"] if expanded.nullable else "object"}
    told = told or _telling_type("object", step, Expanded((), expanded.nullable))
    schemas = tuple(branch.schema for branch in objects) or ({},)
    is_write_only = case.api.answer_reader.is_write_only(step)
    scene = Scene(schemas, f"{pointer}/fields", name, is_write_only, step.may_differ)
    accepts: JsonSchema = {"type": "object"}
    return ViewField(
        name=name,
        at=spec.at,
        fields=_fields(case, spec.fields or {}, scene),
        accepts=nullable(accepts) if expanded.nullable else accepts,
        required=_is_sure(step, expanded) if told is None else False,
        branch=told,
        hidden=spec.hidden,
    )


def _map(case: Case, name: str, spec: ViewSpec, step: Step, pointer: str) -> ViewField:
    expanded = _kinds(case, step)
    objects = [branch.schema for branch in expanded.branches if _may_be_object(branch.schema)]
    if step.schema is not None and len(objects) != 1:
        raise UncarriedError("values", "no map stands there", "remove `values`", "TC113")
    schema = objects[0] if objects else {}
    inner = [value for value in schema.get("patternProperties", {}).values() if is_object(value)]
    if is_object(schema.get("additionalProperties")):
        inner.append(schema["additionalProperties"])
    if schema.get("properties"):
        raise UncarriedError(
            "values", "the object there has names of its own", "list them with `fields`", "TC113"
        )
    bounds = {k: v for k, v in schema.items() if k == "maxProperties"}
    written = {k: v for k, v in (("maxProperties", spec.max_properties),) if v is not None}
    accepts = tighten({"type": "object", **bounds}, written)
    accepts = bounded_map(case, accepts, f"view `{name}`", pointer)
    scene = Scene(
        (either(inner),) if inner else ({},),
        f"{pointer}/values",
        name,
        case.api.answer_reader.is_write_only(step),
        step.may_differ,
    )
    return ViewField(
        name=name,
        at=spec.at,
        values=None if spec.values is None else _alone(case, spec.values, scene),
        accepts=nullable(accepts) if expanded.nullable else accepts,
        required=_is_sure(step, expanded),
        branch=_telling_type("object", step, expanded),
        hidden=spec.hidden,
    )


def _kinds(case: Case, step: Step) -> Expanded:
    return (
        Expanded((), False) if step.schema is None else case.api.answer_reader.expand(step.schema)
    )


def _telling_type(kind: str, step: Step, expanded: Expanded) -> JsonSchema | None:
    """Return what tells the shape from other kinds of value, where such may stand there."""
    if len(expanded.branches) < 2 and not step.may_differ:
        return None
    return {"type": [kind, "null"]} if expanded.nullable else {"type": kind}


def _is_sure(step: Step, expanded: Expanded) -> bool:
    return step.required and not expanded.nullable and len(expanded.branches) == 1


def _may_be_object(schema: JsonSchema) -> bool:
    kinds = types_of(schema)
    return kinds == ("object",) or (kinds is None and "properties" in schema)
