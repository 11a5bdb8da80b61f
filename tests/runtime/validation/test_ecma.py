"""Patterns mean what ECMA-262 says, whichever path the engine takes."""

from __future__ import annotations

import pytest
import regress

from toolcharter_runtime.ecma import is_foreign, spelled_out
from toolcharter_runtime.schemas import SchemaFault, compile_schema

CHARACTERS = [chr(point) for point in range(0x180)] + list(
    "\u0663\u1680\u180e\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\ufefe\uff00\ud7ff\ue000😀\U0010ffff"
)
CLASSES = [
    r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".", r"[\d]", r"[\D]", r"[^\d]", r"[^\D]", r"[\w-]", r"[^\w]", r"[\W]", r"[\s]", r"[^\s]",
    r"[\S]", r"[^\S]", "[.]", "[^.]", r"[\s\S]", r"\p{L}", r"\P{L}", r"[^\p{L}]",
]  # fmt: skip


@pytest.mark.parametrize("before", ["", "(?!q)", r"(?=[\s\S])", r"(?<!q)"])
@pytest.mark.parametrize("body", CLASSES)
def test_a_class_takes_the_same_characters_everywhere(body: str, before: str) -> None:
    pattern = f"^{before}{body}$"
    engine, judge = compile_schema({"pattern": pattern}), regress.Regex(pattern, "u")
    wrong = [one for one in CHARACTERS if engine.is_valid(one) != (judge.find(one) is not None)]
    assert wrong == []


@pytest.mark.parametrize(
    ("pattern", "taken", "refused"),
    [
        (r"^\d+$", ["1"], ["1\n", "\u0663", ""]),
        (r"a\bé", ["aé"], ["a"]),
        (r"\bé", ["aé"], ["é", " é"]),
        (r"\Bé", ["é"], ["aé"]),
        (r"^a\/b$", ["a/b"], ["ab"]),
        (r"^(?<y>\d{2})-\k<y>$", ["12-12"], ["12-13"]),
        (r"^(?=.*\d)(?=.*[a-z]).{2,}$", ["a1"], ["ab", "a\u0663", "a\n1"]),
        (r"^[\w\-.]+$", ["a-."], ["é"]),
        (r"^.$", ["😀"], ["\r", "\u2028", "ab"]),
        (r"(?!x)x$", [], ["x", "x\n"]),
    ],
)
def test_pattern(pattern: str, taken: list[str], refused: list[str]) -> None:
    engine = compile_schema({"pattern": pattern})
    assert [one for one in taken if not engine.is_valid(one)] == []
    assert [one for one in refused if engine.is_valid(one)] == []
    assert all((regress.Regex(pattern, "u").find(one) is not None) for one in taken)
    assert not any(regress.Regex(pattern, "u").find(one) for one in refused)


def test_only_a_pattern_that_needs_it_is_spelled_out() -> None:
    assert spelled_out(r"^[\w.-]+\s\d$") == r"^[\w.-]+\s\d$"
    assert spelled_out(r"^(?=\d)a$") == r"^(?=[0-9])a$"


@pytest.mark.parametrize("pattern", ["(?i)a", "a++", "a?+", "(?P<x>a)", "(?>a)", r"\Aa", r"a\Z", "(?#x)", "a{2}+", "(", r"\p{Nope}", "[b-a]", "a**"])  # fmt: skip
@pytest.mark.parametrize("word", ["pattern", "patternProperties", "propertyNames"])
def test_what_is_no_expression_of_ecma_is_refused(pattern: str, word: str) -> None:
    inner = {"pattern": pattern, "patternProperties": {pattern: {}}, "propertyNames": {"pattern": pattern}}  # fmt: skip
    with pytest.raises(SchemaFault):
        compile_schema({"properties": {"x": {word: inner[word]}}})


@pytest.mark.parametrize("pattern", ["a+?", "a{2}?", "[+*+]", "(?<x>a)", "(?:a)", "a??", r"[a\]+]+", "(?<=a)", r"\++", r"\*+", "a|b"])  # fmt: skip
def test_what_looks_foreign_and_is_not(pattern: str) -> None:
    assert not is_foreign(pattern)


def test_a_field_called_pattern_is_no_pattern() -> None:
    schema = {"properties": {"pattern": {"const": "(?i)"}}, "enum": [{"pattern": "(?i)"}]}
    assert compile_schema(schema).is_valid({"pattern": "(?i)"})


def test_a_pattern_that_goes_back_for_ever_is_no_match_and_no_hang() -> None:
    assert not compile_schema({"pattern": r"(?=a)^(a+)+$"}).is_valid("a" * 60 + "b")
