"""What the boundary looks at before a write, at preview and again at commit: the target, its checks, its resolvers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolcharter_runtime import frozen
from toolcharter_runtime.language import (
    ABSENT,
    UNSET,
    Reference,
    Scope,
    equal,
    holds,
    look_up_names,
    pointer_of,
    references,
    render,
)
from toolcharter_runtime.values import as_list

from .call import Call, CallError, refuse
from .reading import Seen, look, look_through

__all__ = ["Observed", "check_preconditions", "observe", "target_names"]

_RESOLVER_PAGES: Final = 3


@dataclass(frozen=True, slots=True)
class Observed:
    """The target as the boundary read it: raw values, before any view."""

    before: Mapping[str, Any] = field(default_factory=dict[str, Any])
    version: Any = None
    """JSON, compared by equality and never by order (V1); None where there is none."""
    absent: bool = False
    via: Mapping[str, Any] | None = None
    seen: Seen | None = None

    def roots(self) -> dict[str, Any]:
        """Return what templates may name of it; a version of several fields is never sent."""
        roots: dict[str, Any] = {"before": dict(self.before)}
        if self.via is not None:
            roots["via"] = dict(self.via)
        if self.version is not None and not isinstance(self.version, list):
            roots["version"] = self.version
        return roots


async def observe(call: Call, scope: Scope) -> Observed:
    """Read the target, over its one hop if it has one; nothing is judged but that the hop is there."""
    target = call.write.target
    via: Mapping[str, Any] | None = None
    if target.via is not None:
        hop = await look(call, target.via, scope)
        if hop.absent:
            raise refuse("TARGET_NOT_FOUND")
        via = hop.values
        scope = scope.with_roots(via=dict(via))
    if target.read is None:
        return Observed(via=via)
    seen = await look(call, target.read, scope)
    if seen.absent:
        return Observed(absent=True, via=via, seen=seen)
    return Observed(seen.values, version_of(target, seen.values), via=via, seen=seen)


def version_of(target: frozen.Target, values: Mapping[str, Any]) -> Any:
    """Return the version: one field's raw value, or a list of several; None for an unversioned target."""
    if not target.version:
        return None
    missing = [name for name in target.version if values.get(name) is None]
    if missing and len(target.version) == 1:
        raise refuse("UPSTREAM_CONTRACT_VIOLATION", note="the target's version is missing")
    fields = [values.get(name) for name in target.version]
    return fields[0] if len(fields) == 1 else fields


async def check_preconditions(call: Call, scope: Scope, seen: Seen | None) -> dict[str, Any]:
    """Check `require`, `checks` and `resolved_by`; return what the checks show beside the change.

    Raises `PRECONDITION_FAILED`, with the input that the failing entry names as its field.
    """
    terms = call.write
    if terms.target.require and seen is not None:
        _require(terms.target.require, seen, scope)
    shown: dict[str, Any] = {}
    for check in terms.checks:
        if any(scope.find(item) is ABSENT for item in _inputs_of(check.read)):
            continue
        found = await look(call, check.read, scope)
        _require(check.require, found, scope, because=check.because)
        shown |= {name: found.values[name] for name in check.show if name in found.values}
    for resolver in call.contract.resolvers:
        await _resolve(call, resolver, scope)
    return shown


def target_names(call: Call, scope: Scope) -> tuple[Any, tuple[str, ...]]:
    """Return the target's id as the call names it, and the resources that a commit locks."""
    target = call.write.target
    rendered = render(target.id, scope)
    if rendered is UNSET or rendered is None:
        raise refuse("INVALID_ARGUMENT", note="the target's id names an unset input")
    ids = as_list(rendered) or [rendered]
    return rendered, tuple(sorted({f"{target.type}/{one}" for one in ids}))


def _require(
    condition: Mapping[str, Any], seen: Seen, scope: Scope, *, because: str | None = None
) -> None:
    look_up = look_up_names(seen.names(), scope)
    for name, wanted in condition.items():
        if not holds({name: wanted}, look_up, scope):
            raise _failed(wanted, because)


def _failed(wanted: Any, because: str | None) -> CallError:
    named = next((item for item in references(wanted) if item.root is None), None)
    message = None if because is None else f"A precondition does not hold: {because}"
    if named is None:
        return refuse("PRECONDITION_FAILED", message=message)
    return refuse(
        "PRECONDITION_FAILED",
        message=message,
        field=pointer_of(*named.path),
        next_action="fix_arguments",
    )


def _inputs_of(read: frozen.Read) -> Iterator[Reference]:
    return (item for item in references(dict(read.arguments)) if item.root is None)


async def _resolve(call: Call, resolver: frozen.Resolver, scope: Scope) -> None:
    """Look for the identifier, or for each of a list, among the answers of the resolver's read."""
    path = tuple(resolver.input.split("."))
    given = scope.find(Reference(None, path))
    if given is ABSENT:
        return
    several = as_list(given)
    wanted = [given] if several is None else list(several)
    async for seen in look_through(call, resolver.read, scope, _RESOLVER_PAGES):
        found = seen.values.get(resolver.field, ABSENT)
        wanted = [one for one in wanted if not equal(one, found)]
        if not wanted:
            return
    raise refuse("PRECONDITION_FAILED", field=pointer_of(*path), next_action="fix_arguments")
