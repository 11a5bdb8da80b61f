"""The upstream's own preview of a write: a read, or a dry run of the write itself (P1, V7)."""

from __future__ import annotations

from typing import Any

from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.language import Scope, holds
from toolcharter_runtime.upstream.answer import judge
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent, Violation
from toolcharter_runtime.upstream.request import build_request
from toolcharter_runtime.upstream.view import project

from .call import Call, CallError, refuse
from .reading import look

__all__ = ["native_preview"]


async def native_preview(call: Call, scope: Scope) -> dict[str, Any]:
    """Return what the upstream says that the write would do; empty if the charter declares no preview.

    Anything but a clear answer is `PREVIEW_UNAVAILABLE`, and never the real call.
    """
    preview = call.write.preview
    if preview is None:
        return {}
    if preview.read is not None:
        try:
            seen = await look(call, preview.read, scope)
        except CallError:
            raise refuse("PREVIEW_UNAVAILABLE") from None
        values = {} if seen.absent else dict(seen.values)
    else:
        values = await _dry_run(call, scope)
    if preview.read is not None and not values:
        raise refuse("PREVIEW_UNAVAILABLE")
    return {name: values[name] for name in preview.show if name in values}


async def _dry_run(call: Call, scope: Scope) -> dict[str, Any]:
    """Send the write with its flag; an answer that does not confirm the flag is no preview."""
    preview = call.write.preview
    contract = call.contract
    if preview is None or not preview.dry_run:
        raise refuse("PREVIEW_UNAVAILABLE")
    try:
        built = build_request(contract.request, scope, overlay=preview.dry_run)
        answer = await call.send(built, contract)
        judgement = judge(contract, answer, precondition_sent=built.precondition, scope=scope)
        if judgement.outcome not in ("completed", "accepted"):
            raise refuse("PREVIEW_UNAVAILABLE")
        if preview.confirmed_by is not None and not holds(
            preview.confirmed_by, answer.look_up, scope
        ):
            raise refuse("PREVIEW_UNAVAILABLE", note="the answer does not confirm the dry run")
        return dict(project(contract.view.fields, answer, strict=False).values)
    except (Rejected, NotSent, NoAnswer, Violation):
        raise refuse("PREVIEW_UNAVAILABLE") from None
