"""One description judged: each operation a contract or a refusal by rule, and three voices on the same values."""

from __future__ import annotations

import hashlib
import json
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

from pydantic import ValidationError

from toolcharter.charter.schema import Charter
from toolcharter.emit import frozen_text
from toolcharter.emit.models import contract_texts
from toolcharter.naming import class_name
from toolcharter.resolve import resolve_api
from toolcharter.source import Description as Loaded
from toolcharter.source import load_description
from toolcharter_runtime import contract as contract_module
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.language import LanguageError, Scope
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.request import build_request
from toolcharter_runtime.validation import validate_arguments

from .charters import CEILINGS, IGNORED, Plan, plan_operation, renamed
from .closing import Closing, has_null, left_out
from .decode import ABSENT, DecodeError, decode, describe, same
from .folder import Description, Documents, Raw
from .raw_request import Taken, taken
from .values import Values
from .voice import VoiceFault, original_validator

__all__ = ["Tally", "judge_description"]

_BATCH: Final = 24


@dataclass
class Tally:
    """What was counted, and the first examples of what went wrong."""

    counts: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    excuses: Counter[str] = field(default_factory=Counter[str])
    examples: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    needs: list[str] = field(default_factory=list[str])
    digest: str = ""

    def add(self, other: Tally) -> None:
        """Take in the counts of another description."""
        self.counts += other.counts
        self.refused += other.refused
        self.excuses += other.excuses
        self.needs += other.needs
        for kind, texts in other.examples.items():
            self.examples.setdefault(kind, []).extend(texts)
        self.digest = hashlib.sha256((self.digest + other.digest).encode()).hexdigest()

    def example(self, kind: str, text: str) -> None:
        """Keep an example."""
        kept = self.examples.setdefault(kind, [])
        if len(kept) < 40:
            kept.append(text)


@dataclass
class _Case:
    key: str
    plan: Plan
    contract: Contract
    item: Raw
    operation: Raw
    takes: list[Taken]
    path: str


def judge_description(
    described: Description,
    only: str | None = None,
    limit: int | None = None,
    part: tuple[int, int] = (0, 1),
    most: int = 60,
) -> Tally:
    """Return the tally of one description; `part` (index, number) takes a share of its operations.

    `most` is how many values an operation is tried with, shared by its inputs.
    """
    tally = Tally()
    tally.counts["descriptions"] = 1 if part[0] == 0 else 0
    try:
        documents = Documents(described.root)
        raw = {f"{m} {p}": (m, p, i, o) for m, p, i, o in documents.operations()}
    except Exception as error:  # our own reading fails: the harness says so
        tally.example("unread", f"{described.name}: {error!r}")
        raw, documents = {}, None
    staged = load_description(described.root, folder=described.folder)
    if staged.value is None or documents is None:
        codes = Counter(d.code for d in staged.diagnostics if d.severity == "error")
        tally.counts["operations"] += len(raw)
        for code in codes or ["unread"]:
            tally.refused[code] += len(raw)
        tally.example(
            "description", f"{described.name}: {[d.message for d in staged.diagnostics][:2]}"
        )
        return tally
    judge = _Judge(described.name, documents, staged.value, tally, most)
    keys = [
        key for key in raw if only is None or only in (key, raw[key][3].value.get("operationId"))
    ]
    digest = hashlib.sha256()
    cases: list[_Case] = []
    for key in keys[: limit or len(keys)][part[0] :: part[1]]:
        tally.counts["operations"] += 1
        case = judge.resolve(key, *raw[key])
        if case is not None:
            cases.append(case)
        if len(cases) == _BATCH:
            judge.batch(cases, digest)
            cases = []
    judge.batch(cases, digest)
    tally.digest = digest.hexdigest()
    return tally


@dataclass(frozen=True)
class _Given:
    """A value for one input: as the API has it, as the tool takes it, and what is known of it."""

    location: str
    name: str
    value: Any
    shown: Any
    is_valid: bool
    broken: str | None
    label: str = ""


class _Judge:
    def __init__(
        self, name: str, documents: Documents, loaded: Loaded, tally: Tally, most: int
    ) -> None:
        self._name = name
        self._most = most
        self._documents = documents
        self._loaded = loaded
        self._tally = tally
        self._validators: dict[tuple[int, str], Any] = {}
        self._alive: list[Any] = []
        self._values = Values(documents, self.is_valid)
        self._closing = Closing(documents, self.is_valid, CEILINGS)

    def is_valid(self, schema: Raw, value: Any) -> bool:
        """Say what the independent voice says of a value."""
        key = (id(schema.value), schema.base)
        if key not in self._validators:
            self._alive.append(schema.value)
            self._validators[key] = original_validator(
                self._documents.version, schema.value, self._documents.document, schema.base
            )
        return bool(self._validators[key](value))

    def resolve(self, key: str, method: str, path: str, item: Raw, operation: Raw) -> _Case | None:
        """Return the contract of an operation, or count why there is none."""
        try:
            return self._resolve(key, method, path, item, operation)
        except Exception as error:
            self._crash(key, error)
            return None

    def _crash(self, key: str, error: BaseException) -> None:
        self._tally.counts["crashes"] += 1
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
        self._tally.example(
            "crash", f"{self._name} {key}: {type(error).__name__} {str(error)[:160]} at {where}"
        )

    def _resolve(self, key: str, method: str, path: str, item: Raw, operation: Raw) -> _Case | None:
        read = self._loaded.operation(key)
        if read.value is None:
            self._refuse(key, [d for d in read.diagnostics if d.severity == "error"], needs=False)
            return None
        plan = plan_operation(self._loaded, key, read.value)
        if plan.needs:
            self._tally.counts["needs charter"] += 1
            self._tally.needs.append(
                f"{self._name} {key}: " + "; ".join(f"{a} ({w})" for a, w in plan.needs[:4])
            )
        charter = Charter.model_validate(
            {"charter": 1, "package": "fidelity", "spec": "x.json", "ceilings": {**CEILINGS, "result": "1MiB"},
             "tools": {"tool": plan.tool}}
        )  # fmt: skip
        resolved = resolve_api(self._loaded, charter)
        if resolved.value is None:
            found = [d for d in resolved.diagnostics if d.severity == "error"]
            self._refuse(key, found, needs=bool(plan.needs))
            return None
        (tool,) = resolved.value.tools
        self._tally.counts["contracts"] += 1
        if plan.needs:
            self._tally.counts["contracts beside needs"] += 1
        takes = taken(self._documents, item, operation)
        return _Case(key, plan, tool.contract, item, operation, takes, path)

    def _refuse(self, key: str, found: list[Any], *, needs: bool) -> None:
        kind = "refused beside needs" if needs else "refused"
        self._tally.counts[kind] += 1
        if not found:
            self._tally.counts["refused without a rule"] += 1
            self._tally.example("refused without a rule", f"{self._name} {key}")
        for code in sorted({d.code for d in found}):
            if not needs:
                self._tally.refused[code] += 1
        for one in found[:2]:
            self._tally.example(
                f"{kind} {one.code}", f"{self._name} {key}: {one.message[:240]} @ {one.origin}"
            )

    def batch(self, cases: list[_Case], digest: Any) -> None:
        """Emit the models of several contracts at once, and judge each."""
        named = []
        for number, case in enumerate(cases):
            named.append((case, case.contract.model_copy(update={"tool": f"tool{number}"})))
        try:
            texts = dict(enumerate(text for _, text in _ordered(contract for _, contract in named)))
        except Exception as error:
            if len(cases) == 1:
                self._crash(cases[0].key, error)
                return
            for case in cases:
                self.batch([case], digest)
            return
        for number, (case, contract) in enumerate(named):
            digest.update(texts[number].encode() + frozen_text(contract).encode())
            if not self._most:
                continue
            try:
                with _imported(texts[number], contract) as model:
                    self._compare(case, contract, model)
            except Exception as error:
                self._crash(case.key, error)

    def _compare(self, case: _Case, contract: Contract, model: Any) -> None:
        listed = list(self._listed(case))
        most = max(self._most // max(len(listed), 1), 12)
        made = [
            (one, name, names, self._judged(one, names, most, case.plan))
            for one, name, names in listed
        ]
        base: dict[str, _Given] = {}
        for one, name, _, values in made:
            best = next((v for v in values if v.is_valid and v.broken is None), None)
            if best is not None or one.required:
                base[name] = best or values[0]
        for name, spec in case.plan.tool["input"].items():
            if name.startswith("u"):
                base[name] = _Given("path", spec["to"], "abc", "abc", True, None)
        for one, name, _, values in made:
            for value in values:
                self._voices(case, contract, model, {**base, name: value}, f"{name} {value.label}")
            if one.required:
                rest = {k: v for k, v in base.items() if k != name}
                self._voices(case, contract, model, rest, f"{name} missing", lacks=True)
        self._decode(case, contract, base)

    def _listed(self, case: _Case) -> Iterator[tuple[Taken, str, Any]]:
        for one in case.takes:
            if one.location == "body" and case.plan.media not in one.medias:
                continue
            found = case.plan.inputs.get((one.location, one.name))
            if found is not None:
                yield (one, *found)
            elif one.location == "header" and one.name.lower() in IGNORED:
                continue
            elif one.required and not any(one.name in at for at, _ in case.plan.needs):
                self._tally.counts["unlisted"] += 1
                self._tally.example(
                    "unlisted", f"{self._name} {case.key}: {one.location} {one.name}"
                )

    def _judged(self, one: Taken, names: Any, most: int, plan: Plan) -> list[_Given]:
        """Return the values of one input, each with what the independent voice and the closing say of it."""
        made: list[_Given] = []
        for label, value in self._values.of(one.schema, most):
            try:
                is_valid = self.is_valid(one.schema, value)
            except VoiceFault:
                self._tally.counts["voice faults"] += 1
                continue
            broken = self._closing.broken(one.schema, value) if is_valid else None
            if is_valid and broken is None:
                place = "body" if one.location == "body" else f"{one.location}.{one.name}"
                broken = left_out(plan.left, (place,), value)
                broken = broken or ("null" if place in plan.nulls and has_null(value) else None)
            shown = renamed(value, names)
            made.append(_Given(one.location, one.name, value, shown, is_valid, broken, label))
        return made

    def _voices(
        self,
        case: _Case,
        contract: Contract,
        model: Any,
        given: dict[str, _Given],
        label: str,
        *,
        lacks: bool = False,
    ) -> None:
        original = not lacks and all(one.is_valid for one in given.values())
        arguments = {name: one.shown for name, one in given.items()}
        ours = True
        try:
            validate_arguments(contract, arguments)
        except Rejected:
            ours = False
        try:
            model.model_validate_json(json.dumps(arguments))
            pydantic = True
        except ValidationError:
            pydantic = False
        self._tally.counts["values"] += 1
        self._tally.counts["accepted"] += original
        where = f"{self._name} {case.key}: {label}: {json.dumps(arguments)[:300]}"
        if pydantic != ours:
            self._tally.counts["model differs"] += 1
            self._tally.example("model differs", f"model {pydantic} boundary {ours} {where}")
        if (ours or pydantic) and not original:
            self._tally.counts["false accepts"] += 1
            self._tally.example("false accept", where)
        elif original and not (ours and pydantic):
            broken = sorted({one.broken for one in given.values() if one.broken is not None})
            if broken:
                self._tally.excuses[broken[0]] += 1
            else:
                self._tally.counts["false refusals"] += 1
                self._tally.example("false refusal", where + _why(contract, arguments))

    def _decode(self, case: _Case, contract: Contract, base: dict[str, _Given]) -> None:
        arguments = {name: one.shown for name, one in base.items()}
        try:
            validate_arguments(contract, arguments)
            built = build_request(contract.request, Scope(arguments, {}))
        except (Rejected, LanguageError) as refused:
            self._tally.counts["not sent"] += 1
            where = getattr(refused, "pointer", "")
            self._tally.example("not sent", f"{self._name} {case.key}: {where} {refused}")
            return

        def follow(value: Any) -> Any:
            return self._documents.follow(Raw(self._documents.root, value)).value

        root = self._documents.document(self._documents.root)
        consumes = case.operation.value.get("consumes") or root.get("consumes") or ()
        described = describe(case.path, case.item.value, case.operation.value, follow, consumes)
        try:
            read = decode(described, built)
        except DecodeError as error:
            self._tally.counts["decode differs"] += 1
            self._tally.example(
                "decode",
                f"{self._name} {case.key}: {error} {built.path}?{built.query} {built.body!r:.200}",
            )
            return
        self._tally.counts["decoded"] += 1
        for one in base.values():
            value = one.value
            if one.location == "body":
                got = read.body
            else:
                got = read.parameters.get((one.location, one.name.removeprefix("path.")), ABSENT)
            if got is ABSENT and value in (None, [], {}):
                continue
            if got is ABSENT or not same(value, got):
                self._tally.counts["decode differs"] += 1
                self._tally.example(
                    "decode",
                    f"{self._name} {case.key}: {one.location} {one.name} sent {value!r:.200} read {got!r:.200}",
                )


def _why(contract: Contract, arguments: Any) -> str:
    try:
        validate_arguments(contract, arguments)
    except Rejected as refused:
        return f" <- {refused.pointer}: {refused.reason}"
    return ""


def _ordered(contracts: Iterator[Contract] | Any) -> Iterator[tuple[Contract, str]]:
    listed = list(contracts)
    made = {contract.tool: (contract, text) for contract, text in contract_texts(listed)}
    for contract in listed:
        yield made[contract.tool]


@contextmanager
def _imported(text: str, contract: Contract) -> Iterator[Any]:
    """Yield the model of the arguments, from a module that stands in no file and no package."""
    name = "fidelity.contracts.one"
    law = (compile_schema(contract.arguments), contract.arguments)
    module = sys.modules[name] = ModuleType(name)
    theirs = vars(contract_module)["_law"]
    vars(contract_module)["_law"] = lambda _: law
    try:
        exec(compile(text, "one.py", "exec"), module.__dict__)  # noqa: S102
        yield getattr(module, f"{class_name(contract.tool)}Arguments")
    finally:
        vars(contract_module)["_law"] = theirs
        del sys.modules[name]
