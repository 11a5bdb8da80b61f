"""Amounts as people read them: always with their currency, never through a float."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from toolcharter_runtime.frozen import Money
from toolcharter_runtime.language import ABSENT

__all__ = ["show_amount", "show_money"]

_WITHOUT_MINOR: Final = frozenset(
    [
        "BIF",
        "CLP",
        "DJF",
        "GNF",
        "ISK",
        "JPY",
        "KMF",
        "KRW",
        "PYG",
        "RWF",
        "UGX",
        "UYI",
        "VND",
        "VUV",
        "XAF",
        "XOF",
        "XPF",
    ]
)
_THOUSANDTHS: Final = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])


def show_money(value: Any, money: Money, look_up: Callable[[str], Any]) -> str:
    """Return an amount with its currency; `look_up` gives a name of the same scope, or `ABSENT`.

    An amount whose currency is not known says so: it is never shown as if it were in another unit.
    """
    name = money.currency
    currency = name.strip("'") if name.startswith("'") else look_up(name)
    if currency is ABSENT or not isinstance(currency, str):
        return f"{value} (currency not known, {money.unit} units)"
    return show_amount(value, money.unit, currency)


def show_amount(value: Any, unit: str, currency: str) -> str:
    """Return e.g. `12.50 EUR` for 1250 minor units, `1250 JPY` for the yen, which has none (ISO 4217)."""
    code = currency.upper()
    if unit == "decimal" or isinstance(value, bool) or not isinstance(value, int):
        return f"{value} {code}"
    places = 0 if code in _WITHOUT_MINOR else 3 if code in _THOUSANDTHS else 2
    return f"{Decimal(value).scaleb(-places):.{places}f} {code}"
