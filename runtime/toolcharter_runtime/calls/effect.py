"""What a person reads of a proposal: the effect in words, and the difference (P16, P20).

Both are rendered from stored canonical values and the before-state that the boundary read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.language import (
    ABSENT,
    UNSET,
    Reference,
    Scope,
    look_up_names,
    references,
    render,
)
from toolcharter_runtime.values import as_list, as_map

from .money import show_money

__all__ = ["difference", "effect_sentence", "free_texts", "records"]


def effect_sentence(
    contract: frozen.Contract, scope: Scope, before: tuple[frozen.ViewField, ...]
) -> str | None:
    """Return the summary with its values; amounts carry their currency. None if it names an unset input."""
    terms = _terms(contract)
    shown = Scope(
        _with_money_inputs(contract, scope),
        {**scope.roots, "before": _with_money_fields(before, scope)},
    )
    sentence = render(terms.summary, shown)
    return None if sentence is UNSET else str(sentence)


def difference(
    contract: frozen.Contract, scope: Scope, before: tuple[frozen.ViewField, ...]
) -> list[dict[str, Any]]:
    """Return rows `{label, before, after}` for the changes that the arguments set.

    A side that is not there is left out of its row; amounts are texts with their currency.
    """
    money = {field.name: field.money for field in before if field.money is not None}
    values = scope.roots.get("before", {})
    rows: list[dict[str, Any]] = []
    for change in _terms(contract).changes:
        after = _after(change, values, scope)
        if after is UNSET:
            continue
        held = values.get(change.before, ABSENT) if change.before else ABSENT
        amount = money.get(change.before or "") or _input_money(contract, change)
        row: dict[str, Any] = {"label": change.label}
        for side, value in (("before", held), ("after", after)):
            if value is not ABSENT:
                row[side] = _shown(value, amount, scope)
        rows.append(row)
    return rows


def free_texts(contract: frozen.Contract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that a model wrote freely: shown once, apart, labelled untrusted (P16)."""
    return {
        name: arguments[name]
        for name, use in contract.inputs.items()
        if use.free_text and name in arguments
    }


def records(terms: frozen.WriteTerms, arguments: Mapping[str, Any]) -> int:
    """Return how many records the call changes: the length of `affects`, else one."""
    listed = as_list(arguments.get(terms.affects)) if terms.affects else None
    return 1 if listed is None else len(listed)


def _after(change: frozen.Change, values: Mapping[str, Any], scope: Scope) -> Any:
    for template, joins in ((change.add, True), (change.remove, False)):
        if template is None:
            continue
        given = render(template, scope)
        if given is UNSET:
            return UNSET
        several = as_list(given)
        items = [given] if several is None else several
        held = as_list(values.get(change.before or "")) or []
        if joins:
            return [*held, *(item for item in items if item not in held)]
        return [item for item in held if item not in items]
    return render(change.after, scope)


def _with_money_inputs(contract: frozen.Contract, scope: Scope) -> dict[str, Any]:
    look_up = look_up_names(scope.arguments, scope)
    return {
        name: show_money(value, money, look_up)
        if (money := _money_of(contract, name)) is not None
        else value
        for name, value in scope.arguments.items()
    }


def _money_of(contract: frozen.Contract, name: str) -> frozen.Money | None:
    use = contract.inputs.get(name)
    return use.money if use is not None else None


def _with_money_fields(view: tuple[frozen.ViewField, ...], scope: Scope) -> dict[str, Any]:
    values = dict(scope.roots.get("before", {}))
    look_up = look_up_names(values, scope)
    shown = {
        field.name: show_money(values[field.name], field.money, look_up)
        for field in view
        if field.money is not None and field.name in values
    }
    return values | shown


def _input_money(contract: frozen.Contract, change: frozen.Change) -> frozen.Money | None:
    named: Iterator[Reference] = (item for item in references(change.after) if item.root is None)
    return next((money for item in named if (money := _money_of(contract, item.path[0]))), None)


def _shown(value: Any, money: frozen.Money | None, scope: Scope) -> Any:
    if money is None or as_list(value) is not None or as_map(value) is not None:
        return value
    before = scope.roots.get("before", {})
    return show_money(value, money, look_up_names({**before, **scope.arguments}, scope))


def _terms(contract: frozen.Contract) -> frozen.WriteTerms:
    if contract.write is None:
        raise ValueError(f"{contract.id} is a read")
    return contract.write
