"""X1: no value leaves its path segment, however often it is decoded."""

from __future__ import annotations

from urllib.parse import quote, unquote

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.frozen import Parameter, Request
from toolcharter_runtime.language import LanguageError, Scope
from toolcharter_runtime.upstream import build_request
from toolcharter_runtime.upstream.paths import parse_path

BOOK = Request(
    method="GET",
    path="/books/{id}/detail",
    parameters=(Parameter(location="path", name="id", value="{book}", style="simple"),),
)
FILE = Request(
    method="GET",
    path="/files/{path}",
    parameters=(
        Parameter(location="path", name="path", value="{path}", style="simple", multi_segment=True),
    ),
)


def built(book: object) -> str:
    return build_request(BOOK, Scope({"book": book})).path


@pytest.mark.parametrize(
    "value",
    [
        "..", ".", "", "%2e%2e", "%2E", "..%2f", "..%2Fadmin", "a/b", "a\\b", "//evil", "http://evil/",
        "\r\n", "a\x00b", "\x7f", "\x85", "%0d%0a", "%252e%252e", "%25252e%25252e", "%5c", "%00", "..;",
        "..;x=1", ".%3bx", "%2525252525252525252525252525252525252541",
    ],
)  # fmt: skip
def test_case_39_is_refused_at_the_argument(value: str) -> None:
    """X1, case 39: refused with the argument's own place."""
    with pytest.raises(Rejected) as caught:
        built(value)
    assert caught.value.pointer == "/book"
    assert value == "" or value not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("a?x=1", "/books/a%3Fx%3D1/detail"),
        ("a#f", "/books/a%23f/detail"),
        ("a b", "/books/a%20b/detail"),
        ("100%", "/books/100%25/detail"),
        ("a;b=c", "/books/a%3Bb%3Dc/detail"),
        ("…", "/books/%E2%80%A6/detail"),
        ("...", "/books/.../detail"),
        ("user@host:80", "/books/user%40host%3A80/detail"),
        (12, "/books/12/detail"),
        (True, "/books/true/detail"),
    ],
)
def test_case_39_or_the_upstream_sees_exactly_the_templates_path(value: object, path: str) -> None:
    assert built(value) == path


@given(st.text(max_size=20))
def test_any_text_stays_in_its_segment_or_is_refused(value: str) -> None:
    """X1: compared with what an HTTP client really sends, below a base path."""
    try:
        path = built(value)
    except (Rejected, UnicodeEncodeError):
        return
    sent = httpx2.URL("https://host.test/api/v1" + path)
    assert (sent.scheme, sent.host, sent.query, sent.fragment) == ("https", "host.test", b"", "")
    raw = sent.raw_path.decode("ascii")
    assert raw.split("/") == ["", "api", "v1", "books", quote(value, safe=""), "detail"]
    assert unquote(raw.split("/")[4]) == value


@pytest.mark.parametrize("value", [None, {"a": {}}, [], [[1]]])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(Rejected):
        built(value)


def test_a_missing_value_is_refused() -> None:
    with pytest.raises(Rejected, match="has no value"):
        build_request(BOOK, Scope())


@pytest.mark.parametrize("value", ["a//b", "/a", "a/", "a/../b", "a/%2e%2e/b", "a/..%2fb", "a\\b"])
def test_a_value_of_many_segments_is_checked_in_each(value: str) -> None:
    with pytest.raises(Rejected):
        build_request(FILE, Scope({"path": value}))


def test_a_value_of_many_segments_keeps_its_slashes() -> None:
    assert build_request(FILE, Scope({"path": "a b/c"})).path == "/files/a%20b/c"


def test_a_slash_of_the_contract_stays_one() -> None:
    parameter = Parameter(
        location="path", name="ref", value="heads/{branch}", style="simple", multi_segment=True
    )
    request = Request(method="DELETE", path="/git/refs/{ref}", parameters=(parameter,))
    assert build_request(request, Scope({"branch": "main"})).path == "/git/refs/heads/main"
    with pytest.raises(Rejected):
        build_request(request, Scope({"branch": ".."}))


@pytest.mark.parametrize(
    ("style", "explode", "value", "path"),
    [
        ("simple", False, ["a", "b,c"], "/x/a,b%2Cc"),
        ("label", False, "a", "/x/.a"),
        ("label", True, ["a", "b"], "/x/.a.b"),
        ("matrix", False, "a", "/x/;id=a"),
        ("matrix", True, ["a", "b"], "/x/;id=a;id=b"),
        ("matrix", False, ["a", "b"], "/x/;id=a,b"),
        ("matrix", False, {"b": 1, "a": "x"}, "/x/;id=a,x,b,1"),
        ("matrix", True, {"b": 1, "a": "x"}, "/x/;a=x;b=1"),
        ("matrix", True, "", "/x/;id"),
        ("label", False, ["a", "b"], "/x/.a,b"),
        ("label", False, {"b": 1, "a": "x"}, "/x/.a,x,b,1"),
        ("label", True, {"b": 1, "a": "x"}, "/x/.a=x.b=1"),
        ("label", False, "1.5", "/x/.1.5"),
        ("simple", False, {"b": 1, "a": "x"}, "/x/a,x,b,1"),
        ("simple", True, {"b": 1, "a": "x"}, "/x/a=x,b=1"),
        ("pipeDelimited", False, ["a", "b"], "/x/a%7Cb"),
    ],
)
def test_styles(style: str, explode: bool, value: object, path: str) -> None:
    parameter = Parameter.model_validate(
        {"location": "path", "name": "id", "value": "{v}", "style": style, "explode": explode}
    )
    request = Request(method="GET", path="/x/{id}", parameters=(parameter,))
    assert build_request(request, Scope({"v": value})).path == path


@pytest.mark.parametrize(
    ("style", "value"),
    [("label", ["a.b"]), ("label", ""), ("label", ["."]), ("simple", {"..": 1}), ("simple", {}), ("pipeDelimited", ["|"])],
)  # fmt: skip
def test_a_style_makes_no_dots_and_no_second_element(style: str, value: object) -> None:
    parameter = Parameter.model_validate(
        {"location": "path", "name": "id", "value": "{v}", "style": style, "explode": True}
    )
    request = Request(method="GET", path="/x/{id}", parameters=(parameter,))
    with pytest.raises(Rejected):
        build_request(request, Scope({"v": value}))


@pytest.mark.parametrize("text", ["", "x", "/x?y=1", "/x#y", "/a//b", "/a\\b"])
def test_a_template_that_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(LanguageError):
        parse_path(text)


@pytest.mark.parametrize(
    ("path", "value", "built"),
    [("/x/{id}/", "a", "/x/a/"), ("/x/{id}/", "a/b", "/x/a/b/"), ("/x/", None, "/x/"), ("/", None, "/")],
)  # fmt: skip
def test_a_path_may_end_with_a_slash(path: str, value: str | None, built: str) -> None:
    given = Parameter(location="path", name="id", value="{id}", style="simple", multi_segment=True)
    request = Request(method="GET", path=path, parameters=() if value is None else (given,))
    assert build_request(request, Scope({"id": value})).path == built
    if value is not None:
        with pytest.raises(Rejected):
            build_request(request, Scope({"id": "a/"}))


def test_a_template_with_two_parameters_in_a_segment() -> None:
    template = parse_path("/compare/{base}...{head}.json")
    assert template.names == ("base", "head")
