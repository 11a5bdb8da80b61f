"""What one operation takes, as it is written: each parameter's and the body's own schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from .folder import Documents, Raw

__all__ = ["Taken", "taken"]

_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"


@dataclass(frozen=True)
class Taken:
    """One thing that an operation takes: a parameter, or the body in one media type."""

    location: str
    name: str
    required: bool
    schema: Raw
    medias: tuple[str, ...] = ()
    """Of a body: the media types that have this schema."""


def taken(documents: Documents, item: Raw, operation: Raw) -> list[Taken]:
    """Return all that an operation takes, the body once for each schema it may have."""
    found: dict[tuple[str, str], Taken] = {}
    fields: list[Raw] = []
    for place in (item, operation):
        listed = place.get("parameters")
        for one in listed.value if isinstance(listed.value, list) else ():
            parameter = documents.follow(Raw(listed.base, one))
            where, name = parameter.value.get("in"), parameter.value.get("name")
            if where == "formData":
                fields.append(parameter)
            elif where == "body":
                medias = tuple(_listed(documents, operation, "consumes") or ("application/json",))
                required = parameter.value.get("required") is True
                found["body", ""] = Taken("body", "", required, parameter.get("schema"), medias)
            else:
                found[str(where), str(name)] = _parameter(documents, parameter)
    if fields:
        found["body", ""] = _form(fields)
    return [*found.values(), *_bodies(documents, operation)]


def _parameter(documents: Documents, parameter: Raw) -> Taken:
    value = parameter.value
    schema = parameter.get("schema") if "schema" in value else parameter
    if value.get("content"):
        schema = documents.follow(parameter.get("content").get(next(iter(value["content"])))).get(
            "schema"
        )
    required = value.get("required") is True or value["in"] == "path"
    return Taken(value["in"], value["name"], required, schema)


def _bodies(documents: Documents, operation: Raw) -> Iterator[Taken]:
    body = documents.follow(operation.get("requestBody"))
    content = body.get("content")
    for media in content.value:
        schema = documents.follow(content.get(media)).get("schema")
        yield Taken("body", "", body.value.get("required") is True, schema, (media,))


def _form(fields: list[Raw]) -> Taken:
    names = [one.value["name"] for one in fields]
    required = [one.value["name"] for one in fields if one.value.get("required") is True]
    schema: dict[str, Any] = {
        "type": "object", "properties": dict(zip(names, (one.value for one in fields), strict=True)),
    }  # fmt: skip
    if required:
        schema["required"] = required
    return Taken("body", "", bool(required), Raw(fields[0].base, schema), (_FORM, _MULTIPART))


def _listed(documents: Documents, operation: Raw, key: str) -> list[str]:
    own = operation.value.get(key)
    found = own if own is not None else documents.document(documents.root).get(key, [])
    return [media for media in found if isinstance(media, str)]
