"""Faults that a test or the demo asks for: what goes wrong, in which operation, how often."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

__all__ = ["FAULTS", "Fault", "Faults"]

FAULTS: Final = {
    "drop": "the connection is reset before anything is applied",
    "apply_then_drop": "applied, then the connection is reset without an answer",
    "apply_then_500": "applied, then answered with 500",
    "apply_then_delay": "applied, then answered after `seconds`",
    "delay": "nothing for `seconds`, then as usual",
    "rate_limited": "429 with Retry-After: `seconds`, or the date then if `as_date`",
    "malformed_success": "applied, then a success whose body breaks the description (or `body`)",
    "key_ignored": "the idempotency key is not honored: a repeat applies again",
    "unavailable": "503, nothing applied",
}
"""Every kind of fault and what it does."""


@dataclass(slots=True)
class Fault:
    """One fault: the next `times` requests of `operation` (`*` is any) on `path` (none is any) after `skip` others."""

    operation: str
    kind: str
    times: int | None = 1
    """None: until the faults are cleared."""
    skip: int = 0
    path: str | None = None
    seconds: float = 0.0
    as_date: bool = False
    body: str | None = None

    def retry_after(self) -> str:
        """Return the header's text, in the form that the fault asks for."""
        if self.as_date:
            return format_datetime(datetime.now(UTC) + timedelta(seconds=self.seconds), usegmt=True)
        return str(int(self.seconds))


class Faults:
    """The faults that are still to come, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, wanted: dict[str, Any]) -> Fault:
        """Take one more fault; an unknown kind or field is a `ValueError`."""
        if unknown := set(wanted) - {field.name for field in fields(Fault)}:
            raise ValueError(f"unknown field {min(unknown)}")
        fault = Fault(**wanted)
        if fault.kind not in FAULTS:
            raise ValueError(f"unknown kind {fault.kind}: one of {', '.join(FAULTS)}")
        self._waiting.append(fault)
        return fault

    def take(self, operation: str, path: str) -> Fault | None:
        """Return the fault that this request meets, and count it."""
        for fault in self._waiting:
            if fault.operation not in {"*", operation} or fault.path not in {None, path}:
                continue
            if fault.skip:
                fault.skip -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
                if not fault.times:
                    self._waiting.remove(fault)
            return fault
        return None

    def clear(self) -> None:
        """Forget every fault."""
        self._waiting.clear()

    def to_json(self) -> list[dict[str, Any]]:
        """Return what is still to come."""
        return [asdict(fault) for fault in self._waiting]
