"""Text of a description is data: it never becomes code, a template tag, a heading or a character that hides."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from toolcharter.artifact import Artifact
from toolcharter.emit import Package, emit
from toolcharter_runtime.frozen import Contract

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import address_change, get_customer, package, search_customers

HOSTILE = (
    '"""\nimport os\nos.system("x")\n"""',
    "'''\nimport os\n'''",
    '")\nimport os\nx = ("',
    "\\",
    'ends in a quote "',
    '\\"""',
    "{{ 7 * 7 }}{% for x in y %}{% endfor %}{# c #}",
    "{0.__class__} %s %(x)s f'{x}' $(id) `id`",
    "a\nimport os\n#",
    "a\r\nimport os",
    "a\u2028import os\u2029x\x85y\x0cz",
    "\u202eevil\u202c \u200b\u2060\ufeff \U000e0041\u00ad",
    "\x00\x1b[31m",
    "# type: ignore  # noqa",
    "<script>alert(1)</script> | [x](javascript:x) | ![i](http://h/x)",
    "lambda: __import__('os').system('x')",
    "Field(default_factory=lambda: exit())",
    "*/ --> ]]> ''' \"\"\"",
)
NAMES = (
    "import os", "__import__", "class", "x=1;y", "a b", '"', "\\", "{{x}}", "é", "\u202e", "None", "model_config", "\n", "",
)  # fmt: skip
CALLS = {"Field", "ConfigDict", "ReadTool", "WriteTool", "CrmTools"}
STATEMENTS = (ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef, ast.Expr, ast.Pass)


def poisoned(contract: Contract, text: str) -> Contract:
    """The contract with the text in every string that can hold one."""
    dump = contract.model_dump(mode="json", exclude_defaults=True)
    return Contract.model_validate(_poison(dump, text, ""))


def _poison(node: Any, text: str, key: str) -> Any:
    kept = {"tool", "effect", "method", "location", "style", "kind", "type", "format", "media", "code", "outcome", "by",
            "version_check", "key_form", "status", "required", "redact", "$ref"}  # fmt: skip
    if isinstance(node, dict):
        poison = {k: _poison(v, text, k) for k, v in node.items()}
        if key == "properties":
            poison |= {
                text: {"type": "string", "description": text},
                f"x{text}": {"enum": [text, "b"], "title": text},
            }
            poison[f"y{text}"] = {"const": text, "examples": [text], "$comment": text}
            poison[f"z{text}"] = {"type": "string", "default": text, "pattern": text}
        elif key in ("arguments", "result") and "properties" in node:
            poison |= {"title": text, "description": text, "x-extra": {text: text}}
        return poison
    if isinstance(node, list):
        return node if key in kept else [_poison(one, text, key) for one in node]
    return text if isinstance(node, str) and key not in kept else node


@cache
def artifacts_of(text: str) -> tuple[Artifact, ...]:
    contracts = (
        poisoned(address_change(), text),
        poisoned(get_customer(), text),
        poisoned(search_customers(), text),
    )
    return emit(
        package(
            current=contracts,
            roles={
                text or "r": {
                    "reads": ("get_customer",),
                    "writes": ("address_change",),
                    "purposes": (text,),
                }
            },
            context={"type": "object", "description": text},
            notes={"get_customer": {"silence": {"TC504": {"because": text}}}},
        ),
        {f"{text}.yaml": "sha256:00"},
    )


@pytest.mark.parametrize("text", HOSTILE + NAMES)
def test_python_calls_only_what_it_may(text: str) -> None:
    for artifact in artifacts_of(text):
        if artifact.path.suffix != ".py":
            continue
        tree = ast.parse(artifact.text)
        nodes = list(ast.walk(tree))
        calls = {
            node.func.id if isinstance(node.func, ast.Name) else "?"
            for node in nodes
            if isinstance(node, ast.Call)
        }
        assert calls <= CALLS, artifact.path
        assert all(isinstance(node, STATEMENTS) for node in nodes if isinstance(node, ast.stmt)), (
            artifact.path
        )
        assert not [
            node
            for node in nodes
            if isinstance(node, ast.Lambda | ast.comprehension | ast.JoinedStr | ast.Await)
        ]
        modules = {
            node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0
        }
        assert modules <= {"datetime", "typing", "uuid", "pydantic", "toolcharter_runtime.catalog", "toolcharter_runtime.codes",
                           "toolcharter_runtime.contract", "toolcharter_runtime.declare"}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE + NAMES)
def test_no_character_hides(text: str) -> None:
    for artifact in artifacts_of(text):
        hidden = {
            character
            for character in artifact.text
            if character != "\n" and not character.isprintable()
        }
        assert hidden == set(), artifact.path
        assert artifact.text == "" or artifact.text.endswith("\n")


@pytest.mark.parametrize("text", HOSTILE + NAMES)
def test_data_files_read_back(text: str) -> None:
    files = {str(artifact.path): artifact.text for artifact in artifacts_of(text)}
    assert tomllib.loads(files["pyproject.toml"])["project"]["dependencies"] == ["toolcharter"]
    frozen = Contract.model_validate_json(files["crm_tools/catalog/get_customer.v1.json"])
    assert frozen == poisoned(get_customer(), text)
    for path, content in files.items():
        if path.endswith((".json", ".lock")):
            json.loads(content)


@pytest.mark.parametrize("text", HOSTILE + NAMES)
def test_declaration_states_the_text_and_not_more(text: str) -> None:
    files = {str(artifact.path): artifact.text for artifact in artifacts_of(text)}
    tree = ast.parse(files["crm_tools/tools/get_customer_v1.py"])
    (call,) = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    stated = {
        k.arg: ast.literal_eval(k.value)
        for k in call.keywords
        if k.arg not in ("arguments", "result")
    }
    assert stated.get("description", "") == text


@pytest.mark.parametrize("text", HOSTILE)
def test_handbook_shows_text_and_no_markup(text: str) -> None:
    files = {str(artifact.path): artifact.text for artifact in artifacts_of(text)}
    page = files["TOOLS.md"].removeprefix("<!-- @generated by toolcharter. DO NOT EDIT. -->")
    page = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", page)  # nothing in a code span is markup
    assert "<" not in page.replace("\\<", "")
    page = re.sub(r"\[\]\(#[a-z0-9_]+\)", "", page)  # a write's row leads to its section
    assert "](" not in page.replace("\\](", "").replace("\\]\\(", "")
    assert "://" not in page


@pytest.mark.parametrize("name", ["import os", "a\nb", "é", "a-b", "a.b", ""])
def test_a_name_that_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an identifier"):
        emit(Package(name=name, current=(get_customer(),)), {})
