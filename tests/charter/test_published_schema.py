"""The published JSON Schema accepts what the model accepts, short forms included, and refuses unknown keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from toolcharter.charter import charter_schema
from toolcharter.source import load_document

ROOT = Path(__file__).resolve().parents[2]
CHARTERS = sorted(ROOT.glob("specs/*/charter.yaml"))


def value_of(path: Path) -> dict[str, Any]:
    loaded = load_document(path)
    assert loaded.value is not None
    return loaded.value.value


@pytest.mark.parametrize("path", CHARTERS, ids=lambda path: path.parent.name)
def test_committed_charters_are_valid(path: Path) -> None:
    validator = jsonschema_rs.validator_for(charter_schema())
    assert [error.message for error in validator.iter_errors(value_of(path))] == []


def test_there_are_charters() -> None:
    assert {path.parent.name for path in CHARTERS} >= {"crm", "kinto", "github"}


@pytest.mark.parametrize("key", ["toolz", "policy"])
def test_unknown_key_is_refused(key: str) -> None:
    value = {**value_of(CHARTERS[0]), key: {}}
    assert not jsonschema_rs.validator_for(charter_schema()).is_valid(value)


def test_schema_is_the_same_each_time() -> None:
    assert charter_schema() == charter_schema()
    assert charter_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
