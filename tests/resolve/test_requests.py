"""Requests from description and charter to the wire, read back by a reader that knows the description alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.fidelity.decode import Described, decode, same
from tests.resolve.things import resolved_body
from toolcharter.charter import load_charter
from toolcharter.diagnostics import Staged
from toolcharter.resolve import ResolvedApi, resolve_api
from toolcharter.source import load_description
from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.frozen import Contract, Key
from toolcharter_runtime.language import Scope
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.upstream import Credential, CredentialError, build_request
from toolcharter_runtime.upstream.credentials import with_credential

SCHEMES = """
    bearer: {type: http, scheme: bearer}
    basic: {type: http, scheme: basic}
    key: {type: apiKey, in: header, name: X-Key}
    app: {type: apiKey, in: query, name: app}
    session: {type: apiKey, in: cookie, name: session}
    digest: {type: http, scheme: digest}
"""


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.strip().splitlines())


def resolved(
    folder: Path,
    operation: str,
    tool: str,
    *,
    method: str = "post",
    path: str = "/things",
    version: str = "3.1.0",
) -> Staged[ResolvedApi]:
    schemes = f"components:\n  securitySchemes:{SCHEMES}" if version != "2.0" else ""
    head = 'swagger: "2.0"' if version == "2.0" else f"openapi: {version}"
    (folder / "openapi.yaml").write_text(
        f"""{head}
info: {{title: T, version: "1"}}
paths:
  {path!r}:
    {method}:
      operationId: findThing
      responses: {{"200": {{description: ok}}}}
{indented(operation, 6)}{schemes}""",
        encoding="utf-8",
    )
    (folder / "charter.yaml").write_text(
        f"""charter: 1
package: thing_tools
spec: openapi.yaml
ceilings: {{string: 200, array: 4, result: 4KiB}}
tools:
  find_thing:
    operation: findThing
    effect: read
    view: {{thing: {{at: /id, type: string, maxLength: 9}}}}
{indented(tool, 4)}""",
        encoding="utf-8",
    )
    charter = load_charter(folder / "charter.yaml", root=folder)
    assert charter.diagnostics == ()
    assert charter.value is not None
    description = load_description(folder / "openapi.yaml")
    assert description.value is not None, description.diagnostics
    return resolve_api(description.value, charter.value)


def contract_of(staged: Staged[ResolvedApi]) -> Contract:
    assert [d for d in staged.diagnostics if d.severity == "error"] == []
    assert staged.value is not None
    tool = staged.value.tool("find_thing")
    assert tool is not None
    return tool.contract


def read_back(contract: Contract, operation: str, arguments: dict[str, Any], path: str = "/things") -> Any:  # fmt: skip
    assert compile_schema(contract.arguments).is_valid(arguments)
    built = build_request(contract.request, Scope(arguments))
    raw = yaml.safe_load(operation)
    content = raw.get("requestBody", {}).get("content", {})
    return decode(Described(path, raw.get("parameters", ()), content), built)


PARAMETERS = """
parameters:
  - {name: ids, in: path, required: true, style: matrix, explode: true, schema: {type: array, items: {type: integer}}}
  - {name: tags, in: query, style: pipeDelimited, schema: {type: array, items: {type: string}}}
  - {name: near, in: query, explode: false, schema: {type: object, properties: {lat: {type: number}, lon: {type: number}}}}
  - {name: filter, in: query, style: deepObject, explode: true, schema: {type: object, properties: {
      since: {type: object, properties: {gte: {type: integer}}}, status: {type: array, items: {type: string}}}}}
  - {name: where, in: query, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}
  - {name: X-Flags, in: header, schema: {type: array, items: {type: string}}}
  - {name: theme, in: cookie, schema: {type: string}}
  - {name: Accept, in: header, required: true, schema: {type: string}}
"""


def test_parameters_of_every_place(tmp_path: Path) -> None:
    tool = """
input:
  ids: {}
  tags: {}
  near: {fields: {lat: {}, lon: {}}}
  filter: {fields: {since: {fields: {gte: {}}}, status: {}}}
  where: {fields: {a: {}}}
  flags: header.X-Flags
  theme: cookie.theme
"""
    contract = contract_of(resolved(tmp_path, PARAMETERS, tool, path="/things/{ids}/x"))
    arguments = {
        "ids": [1, 2],
        "tags": ["a,b", "c d"],
        "near": {"lat": 1.5, "lon": -2},
        "filter": {"since": {"gte": 5}, "status": ["x", "y&z"]},
        "where": {"a": "é\r\n"},
        "flags": ["a", "b"],
        "theme": "dark; session=stolen",
    }
    read = read_back(contract, PARAMETERS, arguments, "/things/{ids}/x").parameters
    for place, name, sent in [
        ("path", "ids", "ids"), ("query", "tags", "tags"), ("query", "near", "near"), ("query", "filter", "filter"),
        ("query", "where", "where"), ("header", "X-Flags", "flags"), ("cookie", "theme", "theme"),
    ]:  # fmt: skip
        assert same(arguments[sent], read[place, name]), name
    with pytest.raises(Rejected, match="separates the elements"):
        build_request(contract.request, Scope({**arguments, "tags": ["a|b"]}))
    with pytest.raises(Rejected, match="empty list"):
        build_request(contract.request, Scope({**arguments, "flags": []}))


def test_a_cookie_is_found_by_its_name(tmp_path: Path) -> None:
    operation = "parameters: [{name: theme, in: cookie, required: true, schema: {type: string}}]"
    contract = contract_of(resolved(tmp_path, operation, "input: {theme: {}}", method="get"))
    assert contract.arguments["required"] == ["theme"]
    assert build_request(contract.request, Scope({"theme": "a b"})).headers[-1] == ("Cookie", "theme=a%20b")  # fmt: skip


BODIES = [
    (
        "application/x-www-form-urlencoded",
        "{type: object, properties: {name: {type: string}, address: {type: object, properties: {line1: {type: string}}}, lines: {type: array, items: {type: object, properties: {n: {type: integer}}}}, meta: {type: object, properties: {k: {type: string}}}}}",
        "encoding: {meta: {style: deepObject, explode: true}}",
        "name: {}, address: {fields: {line1: {}}}, lines: {each: {n: {}}}, meta: {fields: {k: {}}}",
        {"name": "a&b", "address": {"line1": "x y"}, "lines": [{"n": 1}, {"n": 2}], "meta": {"k": "v"}},
    ),
    (
        "multipart/form-data",
        "{type: object, properties: {name: {type: string}, tags: {type: array, items: {type: string}}, info: {type: object, properties: {n: {type: integer}}}, file: {type: string, format: binary}}}",
        "encoding: {name: {contentType: text/plain}}",
        "name: {}, tags: {}, info: {fields: {n: {}}}",
        {"name": "é\r\n--", "tags": ["a", "b"], "info": {"n": 1}},
    ),
    (
        "application/merge-patch+json",
        "{type: object, properties: {name: {type: [string, 'null']}, note: {type: string}}}",
        "",
        "name: {nullable: true}, note: {}",
        {"name": None},
    ),
    (
        "application/json-patch+json",
        "{type: array, items: {type: object, required: [op, path], properties: {op: {enum: [add, remove]}, path: {type: string}, value: {type: string}}}}",
        "",
        "patch: {to: body, each: {op: {}, path: {}, value: {}}}",
        {"patch": [{"op": "remove", "path": "/a"}, {"op": "add", "path": "/b", "value": "c"}]},
    ),
    ("text/plain", "{type: string}", "", "text: {to: body}", {"text": "é & more"}),
    ("application/vnd.x.v2+json; profile=y", "{type: object, properties: {n: {type: integer}}}", "", "n: {}", {"n": 1}),
    ("'*/*'", "{type: object, properties: {n: {type: integer}}}", "", "n: {}", {"n": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("media", "schema", "more", "inputs", "arguments"), BODIES)
def test_bodies(
    tmp_path: Path, media: str, schema: str, more: str, inputs: str, arguments: dict[str, Any]
) -> None:
    comma = ", " if more else ""
    operation = (
        f"requestBody: {{required: true, content: {{{media}: {{schema: {schema}{comma}{more}}}}}}}"
    )
    contract = contract_of(resolved(tmp_path, operation, f"input: {{{inputs}}}", method="patch"))
    body = read_back(contract, operation, arguments).body
    whole = next((arguments[name] for name in ("patch", "text") if name in arguments), arguments)
    assert same(whole, body)
    assert contract.request.body is not None
    assert contract.request.body.partial


def test_a_range_of_media_types_is_sent_as_json(tmp_path: Path) -> None:
    operation = "requestBody: {content: {'*/*': {schema: {type: object, properties: {n: {type: integer}}}}}}"
    contract = contract_of(resolved(tmp_path, operation, "input: {n: {}}"))
    assert dict(build_request(contract.request, Scope({"n": 1})).headers)["Content-Type"] == "application/json"  # fmt: skip


def test_a_path_with_a_query_sends_it_and_a_fragment_is_never_sent(tmp_path: Path) -> None:
    contract = contract_of(
        resolved(tmp_path, "", "", method="get", path="/things?beta=true&public#x")
    )
    built = build_request(contract.request, Scope({}))
    assert (built.path, built.query) == ("/things", "beta=true&public=")


@pytest.mark.parametrize(
    ("form", "query"), [("ssv", "a=x%20y"), ("tsv", "a=x%09y"), ("pipes", "a=x%7Cy"), ("csv", "a=x,y"), ("multi", "a=x&a=y")]
)  # fmt: skip
def test_collection_formats(tmp_path: Path, form: str, query: str) -> None:
    operation = f"parameters: [{{name: a, in: query, type: array, items: {{type: string}}, collectionFormat: {form}}}]"
    contract = contract_of(resolved(tmp_path, operation, "input: {a: {}}", version="2.0"))
    built = build_request(contract.request, Scope({"a": ["x", "y"]}))
    assert built.query == query
    raw = yaml.safe_load(operation)["parameters"]
    assert decode(Described("/things", raw), built).parameters["query", "a"] == ["x", "y"]


def test_credentials_that_go_together(tmp_path: Path) -> None:
    contract = contract_of(resolved(tmp_path, "security: [{bearer: [], app: [], session: []}]", ""))
    assert contract.auth is not None
    assert contract.auth.also == (
        Key(scheme="app", location="query", name="app"),
        Key(scheme="session", location="cookie", name="session"),
    )
    built = build_request(contract.request, Scope({}))
    whole = Credential.bearer("t0ken", app="a&b", session="s3cret")
    query, headers, _ = with_credential(built, contract.auth, whole)
    assert query == "app=a%26b"
    assert headers[-2:] == [("Authorization", "Bearer t0ken"), ("Cookie", "session=s3cret")]
    with pytest.raises(CredentialError, match="no value named session"):
        with_credential(built, contract.auth, Credential.bearer("t0ken", app="a"))


def test_two_keys_at_once(tmp_path: Path) -> None:
    contract = contract_of(resolved(tmp_path, "security: [{key: [], app: []}]", ""))
    built = build_request(contract.request, Scope({}))
    query, headers, _ = with_credential(built, contract.auth, Credential.named(key="k", app="a"))
    assert (query, headers[-1]) == ("app=a", ("X-Key", "k"))


@pytest.mark.parametrize(
    ("security", "scheme", "kinds"),
    [
        ("[{bearer: []}, {key: []}]", "key", ["key"]),
        ("[{bearer: [], app: []}, {bearer: []}]", "bearer", ["bearer"]),
        ("[{bearer: [], app: []}, {key: []}]", "app", ["bearer", "app"]),
        ("[{}, {key: []}]", "key", ["key"]),
    ],
)
def test_the_charter_chooses_among_alternatives(
    tmp_path: Path, security: str, scheme: str, kinds: list[str]
) -> None:
    contract = contract_of(
        resolved(tmp_path, f"security: {security}", f"auth: {{scheme: {scheme}}}")
    )
    auth = contract.auth
    assert auth is not None
    assert [auth.scheme, *(key.scheme for key in auth.also)] == kinds


def test_a_cookie_never_stands_beside_a_credential_of_its_name(tmp_path: Path) -> None:
    operation = (
        "parameters: [{name: theme, in: cookie, schema: {type: string}}]\nsecurity: [{session: []}]"
    )
    contract = contract_of(resolved(tmp_path, operation, "input: {theme: {}}"))
    built = build_request(contract.request, Scope({"theme": "x"}))
    _, headers, _ = with_credential(built, contract.auth, Credential.api_key("s3cret"))
    assert headers[-1] == ("Cookie", "theme=x; session=s3cret")
    assert contract.auth is not None
    evil = contract.auth.model_copy(update={"name": "theme"})
    with pytest.raises(CredentialError, match="own name"):
        with_credential(built, evil, Credential.api_key("s3cret"))


def body_of(media: str, schema: str, more: str = "") -> str:
    return f"requestBody: {{required: true, content: {{{media}: {{schema: {schema}{more}}}}}}}"


PAIR = "{type: object, properties: {a: {type: string}, b: {type: string}}}"
STRINGS = "{type: array, items: {type: string}}"
REFUSED = [
    (f"parameters: [{{name: a, in: query, style: spaceDelimited, explode: true, schema: {STRINGS}}}]", "input: {a: {}}", "TC705", "no two servers read alike"),
    (f"parameters: [{{name: a, in: cookie, schema: {STRINGS}}}]", "input: {a: {}}", "TC705", "no form in a cookie"),
    ("parameters: [{name: a, in: query, schema: {type: object, additionalProperties: {type: string}}}]", "input: {a: {values: {}}}", "TC705", "parameters of their own"),
    (f"parameters: [{{name: a, in: query, schema: {{type: array, items: {STRINGS}}}}}]", "input: {a: {element: {}}}", "TC705", "a list inside another value"),
    ("parameters: [{name: a, in: query, schema: {type: [string, 'null']}}]", "input: {a: {nullable: true}}", "TC705", "no form for null"),
    ("parameters: [{name: a, in: query, content: {application/xml: {schema: {type: object}}}}]", "input: {a: {}}", "TC705", "a document of application/xml"),
    ("parameters: [{name: session, in: cookie, schema: {type: string}}]", "input: {session: {}}", "TC118", "is the credential of the scheme `session`"),
    (f"parameters: [{{name: f, in: query, style: deepObject, schema: {PAIR}}}]", "input: {f: {fields: {a: {}}}}\nsend: {query.f/b: x}", "TC118", "lies inside `query.f`"),
    (f"parameters: [{{name: f, in: cookie, explode: false, schema: {PAIR}}}]", "input: {f: {to: cookie.f, fields: {a: {}}}, b: cookie.f/b}", "TC118", "lies inside `cookie.f`"),
    (body_of("application/json", PAIR), "input: {all: {to: body, fields: {a: {}}}, b: /b}", "TC118", "lies inside `body`"),
    ("parameters: [{name: X Y, in: header, schema: {type: string}}]", "input: {a: header.X Y}", "TC705", "no header can have"),
    ("", "input: {a: {to: header.Content-Type, type: string, maxLength: 9}}", "TC705", "the boundary's own"),
    ("parameters: [{name: gone, in: path, required: true, schema: {type: string}}]", "input: {gone: path.gone}", "TC110", "has no `gone`"),
    (body_of("application/octet-stream", "{}"), "", "TC405", "application/octet-stream cannot be sent"),
    (body_of("image/png", "{}"), "", "TC405", "image/png cannot be sent"),
    (body_of("application/xml", "{type: object}"), "", "TC705", "application/xml cannot be sent"),
    (body_of("text/xml", "{type: string}"), "", "TC705", "text/xml cannot be sent"),
    (body_of("multipart/mixed", "{type: object}"), "", "TC705", "multipart/mixed cannot be sent"),
    (body_of("multipart/form-data", "{type: object, required: [file], properties: {file: {type: string, format: binary}}}"), "", "TC405", "a file at `/file`"),
    (body_of("multipart/form-data", "{type: object, properties: {a: {type: string}}}", ", encoding: {a: {headers: {X-A: {required: true, schema: {type: string}}}}}"), "input: {a: {}}", "TC705", "the header X-A"),
    (body_of("multipart/form-data", "{type: object, properties: {a: {type: string}}}", ", encoding: {a: {contentType: application/xml}}"), "input: {a: {}}", "TC705", "a document of application/xml"),
    ("requestBody: {content: {application/json: {schema: {}}, text/plain: {schema: {type: string}}}}", "", "TC110", "one of 2 media types"),
    ("security: [{bearer: []}, {key: []}]", "", "TC737", "one of several credentials"),
    ("security: [{bearer: [], basic: []}]", "", "TC705", "asks for `bearer` and `basic` at once"),
    ("security: [{digest: []}]", "", "TC705", "`digest` cannot be carried"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "tool", "code", "message"), REFUSED)
def test_what_cannot_be_sent_is_refused_by_name(
    tmp_path: Path, operation: str, tool: str, code: str, message: str
) -> None:
    staged = resolved(tmp_path, operation, tool)
    errors = [(d.code, d.message) for d in staged.diagnostics if d.severity == "error"]
    assert any(one == code and message in said for one, said in errors), errors
    assert staged.value is None
    assert all(d.hint for d in staged.diagnostics if d.code == code)


def test_a_cookie_of_the_style_of_3_2_stands_as_it_is(tmp_path: Path) -> None:
    operation = f"parameters: [{{name: tags, in: cookie, style: cookie, schema: {STRINGS}}}]"
    contract = contract_of(resolved(tmp_path, operation, "input: {tags: {}}", version="3.2.0"))
    built = build_request(contract.request, Scope({"tags": ["a", "b=c"]}))
    assert built.headers[-1] == ("Cookie", "tags=a; tags=b=c")
    read = read_back(contract, operation, {"tags": ["a", "b=c"]}).parameters
    assert read["cookie", "tags"] == ["a", "b=c"]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("{type: array, items: {type: integer}}", "[1, true]"),
        ("{type: string, pattern: ^aTrue$, maxLength: 9}", "'a{flag}'"),
        ("{type: string, maxLength: 41}", "'a{when}'"),
        ("{allOf: [{type: string}, {type: integer}]}", "5"),
    ],
)
def test_what_is_not_proved_to_fit_is_an_error(tmp_path: Path, place: str, value: str) -> None:
    inputs = "{flag: {const: true, required: true}, when: {type: string, format: date-time, required: true}}"
    used = "{/x: VALUE, /y: 'b{flag}', /z: '{when}'}".replace("VALUE", value)
    body = f"{{type: object, properties: {{x: {place}, y: {{type: string, pattern: ^btrue$}}, z: {{type: string}}}}}}"
    staged = resolved_body(tmp_path, body, inputs, used)
    found = [d for d in staged.diagnostics if d.severity == "error"]
    assert [d.code for d in found] in (["TC121"], ["TC115"])
    assert found[0].origin.pointer.endswith("~1x")


@pytest.mark.parametrize("tool", ["send: {query.f/y: 1}", "input: {a: query.f/y}"])
def test_a_parameter_that_has_no_value_is_refused(tmp_path: Path, tool: str) -> None:
    schema = "{allOf: [{type: string}, {type: integer}]}"
    operation = f"parameters: [{{name: f, in: query, style: deepObject, schema: {schema}}}]"
    (found,) = resolved(tmp_path, operation, tool).diagnostics
    assert (found.code, found.severity) == ("TC115", "error")
    assert found.hint
