"""The request as a pure function of contract and scope (P3, X2, X3, V3, C3)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.frozen import Binding, Body, Carried, Encoding, Parameter, Request
from toolcharter_runtime.language import LanguageError, Scope
from toolcharter_runtime.upstream import (
    CredentialPlace,
    build_request,
    carry,
    check_request,
    request_digest,
)


def parameter(location: str, name: str, value: Any, **given: Any) -> Parameter:
    style = {"query": "form", "header": "simple", "path": "simple", "cookie": "form"}[location]
    explode = location == "query"
    parts = {"location": location, "name": name, "value": value, "style": style, "explode": explode}
    return Parameter.model_validate({**parts, **given})


def get(*parameters: Parameter) -> Request:
    return Request(method="GET", path="/x", parameters=parameters)


def post(*bindings: Binding, kind: str = "json", **given: Any) -> Request:
    media = "application/json" if kind == "json" else "application/x-www-form-urlencoded"
    body = Body.model_validate({"media": media, "kind": kind, "bindings": bindings, **given})
    return Request(method="POST", path="/x", body=body)


def sent(request: Request, **arguments: Any) -> Any:
    body = build_request(request, Scope(arguments)).body
    assert body is not None
    return json.loads(body)


@pytest.mark.parametrize(
    ("style", "explode", "value", "query"),
    [
        ("form", True, "a b&c=d", "q=a%20b%26c%3Dd"),
        ("form", True, ["a", "b c"], "q=a&q=b%20c"),
        ("form", False, ["a", "b,c"], "q=a,b%2Cc"),
        ("form", True, {"b": 1, "a": True}, "a=true&b=1"),
        ("form", False, {"b": 1, "a": True}, "q=a,true,b,1"),
        ("spaceDelimited", False, ["a", "b"], "q=a%20b"),
        ("pipeDelimited", False, ["a", "b"], "q=a%7Cb"),
        ("deepObject", True, {"gte": 1, "x": {"y": ["a", "b"]}},
         "q%5Bgte%5D=1&q%5Bx%5D%5By%5D%5B0%5D=a&q%5Bx%5D%5By%5D%5B1%5D=b"),
        ("form", True, 1e21, "q=1e%2B21"),
        ("form", True, "", "q="),
        ("form", True, "é\r\n", "q=%C3%A9%0D%0A"),
    ],
)  # fmt: skip
def test_query_styles(style: str, explode: bool, value: object, query: str) -> None:
    request = get(parameter("query", "q", "{v}", style=style, explode=explode))
    assert build_request(request, Scope({"v": value})).query == query


def test_reserved_characters_never_change_the_query() -> None:
    """X2: what `allowReserved` lets through cannot add a parameter."""
    request = get(parameter("query", "q", "{v}", allow_reserved=True))
    query = build_request(request, Scope({"v": "a/b:c?x&admin=1#f+[z] %"})).query
    assert query == "q=a/b:c?x%26admin%3D1%23f%2B%5Bz%5D%20%25"


@given(
    st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=8), min_size=1, max_size=4)
)
def test_a_query_reads_back(values: dict[str, str]) -> None:
    request = get(*(parameter("query", name, f"{{v{i}}}") for i, name in enumerate(values)))
    scope = Scope({f"v{i}": value for i, value in enumerate(values.values())})
    query = build_request(request, scope).query
    assert dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True)) == values


@pytest.mark.parametrize(
    ("style", "explode", "value", "reason"),
    [
        ("form", True, [], "empty list"),
        ("form", False, {}, "empty list"),
        ("deepObject", True, {"a": {}}, "empty list"),
        ("form", True, None, "null"),
        ("form", False, ["a", None], "null"),
        ("form", False, [["a"]], "nested deeper"),
        ("spaceDelimited", False, ["a b"], "a space"),
        ("pipeDelimited", False, ["a|b", "c"], "`|`"),
        ("tabDelimited", False, ["a\tb"], "a tab"),
        ("deepObject", True, {"a]": 1}, "bracket"),
        ("deepObject", True, {"": 1}, "must not be empty"),
    ],
)
def test_what_a_reader_could_not_tell_apart_is_not_sent(
    style: str, explode: bool, value: object, reason: str
) -> None:
    """RFC 6570 would leave an empty list out, as if it were not there; so it is refused with its place."""
    request = get(parameter("query", "q", "{v}", style=style, explode=explode))
    with pytest.raises(Rejected) as caught:
        build_request(request, Scope({"v": value}))
    assert reason in caught.value.reason
    assert caught.value.pointer.startswith("/v")


def test_a_map_cannot_bring_another_parameter() -> None:
    """X2: an exploded map's keys are parameters, and none of them may be another's."""
    request = get(
        parameter("query", "limit", 10), parameter("query", "filter", "{filter}", explode=True)
    )
    assert build_request(request, Scope({"filter": {"a": 1}})).query == "limit=10&a=1"
    with pytest.raises(Rejected, match="another parameter's"):
        build_request(request, Scope({"filter": {"limit": 999}}))


@pytest.mark.parametrize("value", ["a; admin=1", "a\r\nSet-Cookie: b=c", 'a"b', "a,b", "é"])
def test_a_cookie_stays_one(value: str) -> None:
    """X3: whatever a value holds, it ends neither its cookie nor the header."""
    request = get(
        parameter("cookie", "theme", "{v}"), parameter("cookie", "lang", "en", explode=False)
    )
    (header,) = [v for name, v in build_request(request, Scope({"v": value})).headers if name == "Cookie"]  # fmt: skip
    first, second = header.split("; ")
    assert (unquote(first), second) == (f"theme={value}", "lang=en")
    assert header.isascii()
    assert header.isprintable()


@pytest.mark.parametrize("value", ["a; b=c", "a b", 'a"', "é", "a\\b"])
def test_a_plain_cookie_refuses_what_it_cannot_hold(value: str) -> None:
    request = get(parameter("cookie", "theme", "{v}", style="cookie"))
    with pytest.raises(Rejected, match="no cookie can"):
        build_request(request, Scope({"v": value}))


@pytest.mark.parametrize("name", ["a b", "a=b", "a;b", ""])
def test_a_cookie_has_a_name(name: str) -> None:
    with pytest.raises(LanguageError, match="name that no cookie can have"):
        check_request(get(parameter("cookie", name, "x")))


def test_a_header_takes_a_list_that_can_be_taken_apart() -> None:
    request = get(parameter("header", "X-Tags", "{v}"))
    assert build_request(request, Scope({"v": ["a", "b"]})).headers[-1] == ("X-Tags", "a,b")
    with pytest.raises(Rejected, match="separates the elements"):
        build_request(request, Scope({"v": ["a", "b,c"]}))


def test_multipart_bodies() -> None:
    """The boundary is made of the content, so equal arguments give equal bytes."""
    body = Body(
        media="multipart/form-data",
        kind="multipart",
        bindings=(Binding(at="/b", value="{b}"), Binding(at="/a", value={"n": 1})),
    )
    request = Request(method="POST", path="/x", body=body)
    built = build_request(request, Scope({"b": ["x", True]}))
    (kind,) = [value for name, value in built.headers if name == "Content-Type"]
    mark = kind.removeprefix("multipart/form-data; boundary=")
    assert built.body is not None
    assert built.body.decode().replace(mark, "MARK") == (
        '--MARK\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"n":1}\r\n'
        '--MARK\r\nContent-Disposition: form-data; name="b"\r\n\r\nx\r\n'
        '--MARK\r\nContent-Disposition: form-data; name="b"\r\n\r\ntrue\r\n--MARK--\r\n'
    )
    assert request_digest(built) == request_digest(
        build_request(request, Scope({"b": ["x", True]}))
    )
    assert request_digest(built) != request_digest(
        build_request(request, Scope({"b": ["x", False]}))
    )


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\r\nb"])
def test_a_part_has_a_name_that_every_reader_unquotes_alike(name: str) -> None:
    body = Body(
        media="multipart/form-data", kind="multipart", bindings=(Binding(at="", value="{v}"),)
    )
    with pytest.raises(Rejected, match="field's name"):
        build_request(Request(method="POST", path="/x", body=body), Scope({"v": {name: "x"}}))


def test_unset_parameters_are_left_out() -> None:
    """C3: absent is not null."""
    request = get(
        parameter("query", "created", {"gte": "{since}", "lt": "{until}"}, style="deepObject"),
        parameter("query", "limit", 20),
        parameter("query", "page", "{$cursor}"),
        parameter("header", "X-Trace", "{trace}"),
    )
    first = build_request(request, Scope({"since": 5}))
    assert first.query == "created%5Bgte%5D=5&limit=20"
    assert first.headers == (("Accept", "application/json"),)
    assert build_request(request, Scope({}, {"cursor": "c=="})).query == "limit=20&page=c%3D%3D"
    with pytest.raises(Rejected, match="null cannot be written") as caught:
        build_request(request, Scope({"since": None}))
    assert caught.value.pointer.startswith("/since")


@pytest.mark.parametrize(
    "value", ["a\r\nX-Evil: 1", "a\nb", "a\x00", "é", "…", " a", "a ", "\t", ["a", "b\n"]]
)
def test_case_40_is_refused_before_any_connection(value: object) -> None:
    """X3, case 40: header values are printable ASCII, refused with their field."""
    request = get(parameter("header", "X-Note", "{note}"))
    with pytest.raises(Rejected) as caught:
        build_request(request, Scope({"note": value}))
    assert caught.value.pointer == "/note"


@pytest.mark.parametrize(
    "name",
    ["Authorization", "cookie", "If-Match", "If-None-Match", "Host", "Content-Length", "Content-Type",
     "Transfer-Encoding", "Connection", "Proxy-Authorization", "X Y", "X:Y", ""],
)  # fmt: skip
def test_headers_that_no_input_fills(name: str) -> None:
    """X3: cannot be bound to model input."""
    with pytest.raises(LanguageError):
        check_request(get(parameter("header", name, "{value}")))


@pytest.mark.parametrize(
    "value",
    ["{$key}{x}", "{$version}-{x}", "Bearer {$credential.t}", "{$credential.t}{$credential.u}"],
)
def test_a_key_a_version_and_a_credential_stand_alone(value: str) -> None:
    with pytest.raises(LanguageError):
        check_request(get(parameter("header", "X-Any", value)))


def test_only_a_credential_may_stand_in_authorization() -> None:
    for value in ("constant", "{$run.tenant}"):
        with pytest.raises(LanguageError, match="can only hold a credential"):
            check_request(get(parameter("header", "Authorization", value)))
    check_request(get(parameter("header", "Authorization", "{$credential.token}")))


def test_credentials_are_no_part_of_the_request() -> None:
    """X4: outside proposal and digest."""
    request = Request(
        method="POST",
        path="/x",
        parameters=(
            parameter("header", "token", "{$credential.slack}"),
            parameter("query", "key", "{$credential.key}"),
        ),
        body=Body(media="application/json", kind="json", bindings=(
            Binding(at="/secret", value="{$credential.pin}"), Binding(at="/a", value=1),
        )),
    )  # fmt: skip
    built = build_request(request, Scope({}, {"credential": {"slack": "s3cret"}}))
    assert built.credentials == (
        CredentialPlace("body", "/secret", "pin"),
        CredentialPlace("header", "token", "slack"),
        CredentialPlace("query", "key", "key"),
    )
    assert built.body == b'{"a":1}'
    assert "s3cret" not in repr(built)
    with pytest.raises(LanguageError):
        check_request(
            Request(
                method="GET", path="/x/{t}", parameters=(parameter("path", "t", "{$credential.t}"),)
            )
        )


@pytest.mark.parametrize(
    ("template", "version", "header", "precondition"),
    [
        ("{$version}", '"7"', '"7"', True),
        ('"{$version}"', 7, '"7"', True),
        ("{$version}", 'W/"7"', None, False),
        ('"{$version}"', 'W/"7"', None, False),
    ],
)
def test_a_weak_validator_is_never_sent(
    template: str, version: object, header: str | None, precondition: bool
) -> None:
    """V3: weak validators are never sent in `If-Match`."""
    built = build_request(
        get(parameter("header", "If-Match", template)), Scope({}, {"version": version})
    )
    assert dict(built.headers).get("If-Match") == header
    assert built.precondition is precondition


def test_absence_is_a_precondition() -> None:
    """V5: creates use `If-None-Match: *`."""
    built = build_request(get(parameter("header", "If-None-Match", "*")), Scope())
    assert built.precondition
    in_body = build_request(
        post(Binding(at="/sha", value="{$version}")), Scope({}, {"version": "abc"})
    )
    assert in_body.precondition


def test_what_the_generator_could_not_prove_is_checked() -> None:
    request = get(
        parameter(
            "query", "account", "{$run.context.account}", accepts={"type": "string", "maxLength": 3}
        ),
        parameter("query", "q", "{q}", accepts={"type": "string", "pattern": "^[a-z]+$"}),
    )
    run = {"run": {"context": {"account": "long"}}}
    with pytest.raises(Rejected, match="at most 3") as caught:
        build_request(request, Scope({}, run))
    assert caught.value.pointer == ""
    with pytest.raises(Rejected, match="pattern") as caught:
        build_request(request, Scope({"q": "A"}))
    assert caught.value.pointer == "/q"


def test_json_bodies() -> None:
    request = post(
        Binding(at="/destination/kind", value="{destination.kind}"),
        Binding(at="/destination/address/line1", value="{destination.line1}"),
        Binding(at="/destination/address/line2", value="{destination.line2}"),
        Binding(at="/allowed_mentions", value={"parse": []}),
        Binding(at="/ids/0", value="{customer}"),
        Binding(at="/a~1b", value=None),
    )
    assert sent(request, customer="C-1", destination={"kind": "new", "line1": "x"}) == {
        "destination": {"kind": "new", "address": {"line1": "x"}},
        "allowed_mentions": {"parse": []},
        "ids": ["C-1"],
        "a/b": None,
    }
    assert sent(post(Binding(at="", value={}))) == {}
    assert sent(post(Binding(at="", value="{whole}")), whole=[1, 2]) == [1, 2]
    assert sent(post(Binding(at="/note", value="{note}")), note=None) == {"note": None}


def test_the_items_of_a_list() -> None:
    request = post(
        Binding(
            at="/orders",
            each="lines",
            item=(
                Binding(at="/sku/code", value="{code}"),
                Binding(at="/qty", value="{quantity}"),
                Binding(at="/key", value="{$key}"),
            ),
        )
    )
    scope = Scope(
        {"code": "outer", "lines": [{"code": "a", "quantity": 1}, {"quantity": 2}]}, {"key": "k"}
    )
    body = build_request(request, scope).body
    assert json.loads(body or b"") == {
        "orders": [{"sku": {"code": "a"}, "qty": 1, "key": "k"}, {"qty": 2, "key": "k"}]
    }
    assert sent(request) == {}


def test_a_fault_inside_a_list_is_placed_inside_it() -> None:
    item = (Binding(at="/code", value="{code}", accepts={"type": "string", "maxLength": 1}),)
    request = post(Binding(at="/orders", each="lines", item=item))
    with pytest.raises(Rejected) as caught:
        sent(request, lines=[{"code": "a"}, {"code": "bb"}])
    assert caught.value.pointer == "/lines/1/code"


def test_form_bodies() -> None:
    request = post(
        Binding(at="/amount", value="{amount}"),
        Binding(at="/metadata/toolcharter", value="{$marker}"),
        Binding(at="/expand", value=["a", "b"]),
        Binding(at="/blocks", value=[{"type": "x", "n": 1}]),
        Binding(at="/address", value={"line1": "a&b c"}),
        Binding(at="/tags", value=["x", "y"]),
        kind="form",
        encodings={
            "metadata": Encoding(style="deepObject"),
            "expand": Encoding(style="deepObject"),
            "tags": Encoding(style="form", explode=False),
        },
    )
    built = build_request(request, Scope({"amount": 5}, {"marker": "tc-1"}))
    assert ("Content-Type", "application/x-www-form-urlencoded") in built.headers
    assert built.body == (
        b"address=%7B%22line1%22%3A%22a%26b+c%22%7D&amount=5"
        b"&blocks=%7B%22n%22%3A1%2C%22type%22%3A%22x%22%7D&expand%5B0%5D=a&expand%5B1%5D=b"
        b"&metadata%5Btoolcharter%5D=tc-1&tags=x,y"
    )


def test_a_full_replacement_sends_back_what_it_does_not_know() -> None:
    """Charter.md: fields that this charter does not know survive the PUT."""
    carried = Carried(at="/data", without=("/last_modified", "/gone"))
    request = post(Binding(at="/data/name", value="{name}"), carried=carried)
    answered = {"data": {"id": "1", "name": "old", "unknown": [1], "last_modified": 5}}
    root = carry(carried, answered)
    assert root == {"id": "1", "name": "old", "unknown": [1]}
    body = build_request(request, Scope({"name": "new"}, {"carried": root})).body
    assert json.loads(body or b"") == {"data": {"id": "1", "name": "new", "unknown": [1]}}
    assert root["name"] == "old"
    with pytest.raises(Rejected, match="is not known"):
        build_request(request, Scope({"name": "new"}))


def test_a_dry_run_lays_values_over_places() -> None:
    """V7: a declared dry run."""
    request = Request(
        method="POST",
        path="/x",
        parameters=(parameter("query", "mode", "real"),),
        body=Body(media="application/json", kind="json", bindings=(Binding(at="/a", value=1),)),
    )
    overlay = {
        "query.mode": "dry",
        "query.dry_run": True,
        "/options/dry": True,
        "header.X-Dry": "yes",
        "cookie.dry": 1,
    }
    built = build_request(request, Scope(), overlay=overlay)
    assert built.query == "mode=dry&dry_run=true"
    assert ("X-Dry", "yes") in built.headers
    assert ("Cookie", "dry=1") in built.headers
    assert json.loads(built.body or b"") == {"a": 1, "options": {"dry": True}}
    with pytest.raises(LanguageError):
        build_request(request, Scope(), overlay={"path.x": 1})


def test_equal_arguments_give_equal_bytes() -> None:
    """P3: the request is a pure function of stored proposal and contract."""
    request = post(Binding(at="/a", value="{a}"), Binding(at="/b", value="{b}"))
    one = build_request(request, Scope({"a": {"y": 1, "x": 2.0}, "b": [1]}))
    two = build_request(request, Scope({"b": [1], "a": {"x": 2, "y": 1}}))
    assert request_digest(one) == request_digest(two)
    other = build_request(request, Scope({"b": [1], "a": {"x": 2, "y": 2}}))
    assert request_digest(one) != request_digest(other)


def test_methods_of_an_apis_own_are_sent_as_they_are_written() -> None:
    for method in ("QUERY", "COPY", "M-SEARCH"):
        request = Request(method=method, path="/x", body=post(Binding(at="/a", value=1)).body)
        built = build_request(request, Scope())
        assert (built.method, built.body) == (method, b'{"a":1}')


def test_a_contract_that_could_never_be_sent_is_refused() -> None:
    for request in (
        Request(method="CONNECT", path="/x"),
        Request(method="TRACE", path="/x"),
        Request(method="copy", path="/x"),
        Request(method="GET /\r\n", path="/x"),
        Request(method="GET", path="/x/{id}"),
        Request(method="GET", path="http://evil/"),
        post(Binding(at="x", value=1)),
    ):
        with pytest.raises(LanguageError):
            check_request(request)


def test_a_url_that_is_too_long_is_refused() -> None:
    with pytest.raises(Rejected, match="too long"):
        build_request(get(parameter("query", "q", "{q}")), Scope({"q": "x" * 20_000}))
