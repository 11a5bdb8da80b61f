"""How Python code writes and reads the models: by keyword, with dates and models as values, alone and inside of others."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import MISSING, BaseModel, TypeAdapter, ValidationError

from toolcharter_runtime.contract import ToolArguments

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import closed, get_customer
from loading import load, text_of

SCHEMA = closed(
    {
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "id": {"type": "string", "format": "uuid"},
        "from": {"type": "integer"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "maxItems": 2},
        "who": closed({"born": {"type": "string", "format": "date"}, "n": {"type": "integer"}}, "born"),
        "sizes": {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True},
    },
    "day",
)  # fmt: skip


@cache
def module() -> Any:
    contract = get_customer(arguments=SCHEMA)
    return load(contract, text_of(contract))


def arguments() -> Any:
    return module().GetCustomerArguments


def test_keywords_take_values_of_python() -> None:
    identity = UUID("8d3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11")
    at = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    who = module().GetCustomerWho(born=date(2000, 1, 2))
    made = arguments()(day=date(2026, 1, 1), at=at, id=identity, from_=3.0, pair=("a", 1), who=who, sizes=[1, 2.0])  # fmt: skip
    assert (made.day, made.at, made.id, made.from_, made.pair) == (date(2026, 1, 1), at, identity, 3, ("a", 1))  # fmt: skip
    assert made.who == who
    assert made.to_json() == {
        "day": "2026-01-01", "at": "2026-01-01T01:00:00+01:00", "id": str(identity), "from": 3, "pair": ["a", 1],
        "who": {"born": "2000-01-02"}, "sizes": [1, 2],
    }  # fmt: skip
    assert type(made.from_) is int


def test_what_is_absent_stays_absent() -> None:
    made = arguments()(day=date(2026, 1, 1), at=MISSING)
    assert made.to_json() == {"day": "2026-01-01"}
    assert made.at is MISSING
    assert "at" not in made.model_fields_set


def test_both_names_of_a_field_are_keywords_and_one_is_json() -> None:
    model = arguments()
    assert model(**{"day": "2026-01-01", "from": 1}) == model(day="2026-01-01", from_=1)
    assert model.model_validate({"day": "2026-01-01", "from": 1}).from_ == 1
    for value in ({"day": "2026-01-01", "from_": 1},):
        with pytest.raises(ValidationError, match="did you mean `from`"):
            model.model_validate(value)
        with pytest.raises(ValidationError, match="did you mean `from`"):
            model.model_validate_json(json.dumps(value))


REFUSED: dict[str, dict[str, Any]] = {
    "naive": {"at": datetime(2026, 1, 1)},  # noqa: DTZ001
    "a set": {"sizes": {1}},
    "bytes": {"id": b"8d3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11"},
    "an instant for a date": {"day": datetime(2026, 1, 1, tzinfo=UTC)},
    "true for one": {"sizes": [True]},
    "twice": {"sizes": [1, 1.0]},
    "too long": {"pair": ("a", 1, 2)},
    "unknown": {"zz": 1},
    "unknown below": {"who": {"born": "2000-01-01", "zz": 1}},
    "epoch": {"at": 1700000000},
}


@pytest.mark.parametrize("name", REFUSED)
def test_keywords_refuse(name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        arguments()(**{"day": "2026-01-01", **REFUSED[name]})
    assert caught.value.errors()[0]["type"] == "refused"
    assert caught.value.errors()[0]["input"] is None


def test_a_part_alone_is_a_plain_model() -> None:
    part: type[BaseModel] = module().GetCustomerWho
    assert part.model_validate_json('{"born": "2000-01-01", "n": 1}').n == 1  # type: ignore[attr-defined]
    with pytest.raises(ValidationError, match="extra"):
        part(born=date(2000, 1, 1), zz=1)


def test_inside_of_another_model_the_schema_is_asked_as_well() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(list[arguments()])  # type: ignore[misc]
    assert adapter.validate_json('[{"day": "2026-01-01", "sizes": [1, 2]}]')[0].sizes == [1, 2]
    for wrong in ('[{"day": "2026-01-01", "sizes": [1, 1]}]', '[{"day": "2026-01-01", "zz": 1}]'):
        with pytest.raises(ValidationError):
            adapter.validate_json(wrong)


def test_models_are_copied_and_pickled() -> None:
    made = arguments()(day=date(2026, 1, 1))
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert arguments().model_validate(made) is made


def test_json_is_read_as_the_boundary_reads_it() -> None:
    """C1: a key that stands twice, a number that no double holds."""
    model = arguments()
    for text in ('{"day": "2026-01-01", "day": "2026-01-01"}', '{"day": "2026-01-01", "from": 9007199254740993}', '{"day": NaN}', "[", "\ufeff{}"):  # fmt: skip
        with pytest.raises(ValidationError):
            model.model_validate_json(text)
    assert model.model_validate_json(b'{"day": "2026-01-01"}').day == date(2026, 1, 1)


def test_a_result_may_hold_what_an_upstream_may_say() -> None:
    result = module().GetCustomerResult
    given = {"customer": "C-1842", "version": 2**53 + 1}
    assert result.model_validate_json(json.dumps(given)).to_json() == given
    assert result.model_validate(given).version == 2**53 + 1
    with pytest.raises(ValidationError, match="must be an integer"):
        result.model_validate({**given, "version": True})


def test_a_model_of_no_contract_is_plain() -> None:
    class Plain(ToolArguments):
        n: int

    assert Plain(n=1).to_json() == {"n": 1}
    assert Plain.from_json({"n": 2}).n == 2
    with pytest.raises(ValidationError):
        Plain.model_validate({"n": True})
