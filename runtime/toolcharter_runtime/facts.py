"""The frozen contract in the reviewer's words: one short line a fact, rendered and compared, never parsed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from . import frozen
from .values import as_list, as_map

__all__ = ["render_facts"]


def render_facts(contract: frozen.Contract) -> dict[str, Any]:
    """Return every fact of a contract by the name of its field in the declaration."""
    facts: dict[str, Any] = {
        "description": contract.description,
        "request": _request(contract.request),
        "sends": dict(_sends(contract.request)),
        "auth": _auth(contract.auth),
        "returns": dict(_returns(contract.view.fields, "")),
        "pages": _pages(contract.page),
        "resolvers": tuple(map(_resolver, contract.resolvers)),
        "answers": tuple(map(_answer, contract.answers)),
        "retry": contract.retry,
        "timeout": _timeout(contract.timeout),
        "limits": _limits(contract.limits),
        "hidden": contract.hidden,
        "purposes": contract.purposes or (),
    }
    if contract.write is not None:
        facts |= _terms(contract.write)
    return facts


def _terms(terms: frozen.WriteTerms) -> dict[str, Any]:
    return {
        "summary": terms.summary,
        "approval": tuple(map(_approval, terms.approval)),
        "consequences": terms.consequences,
        "irreversible": terms.irreversible,
        "affects": f"each of {terms.affects}" if terms.affects else "",
        "target": _target(terms),
        "checks": tuple(map(_check, terms.checks)),
        "changes": {change.label: _change(change) for change in terms.changes},
        "native_preview": _native(terms.preview),
        "idempotency": _idempotency(terms),
        "unknown": _unknown(terms.unknown),
        "follow": _follow(terms.follow),
        "evidence": _evidence(terms.evidence),
        "compensation": _compensation(terms.compensation),
    }


def _request(request: frozen.Request) -> str:
    words = [request.method, request.path]
    if request.body is not None:
        words.append(request.body.media)
        if request.body.partial:
            words.append("(partial)")
        if request.body.carried is not None:
            kept = ", ".join(request.body.carried.without)
            words.append(
                f"(carries {request.body.carried.at or 'all'}{' without ' + kept if kept else ''})"
            )
    return " ".join(words)


def _sends(request: frozen.Request) -> Iterator[tuple[str, Any]]:
    for parameter in request.parameters:
        yield f"{parameter.location}.{parameter.name}", parameter.value
    if request.body is not None:
        for binding in request.body.bindings:
            yield from _binds(binding, "")


def _binds(binding: frozen.Binding, above: str) -> Iterator[tuple[str, Any]]:
    place = above + binding.at
    if binding.each is None:
        yield place or "body", binding.value
        return
    for item in binding.item:
        yield from _binds(item, f"{place}/* of {binding.each} ")


def _auth(auth: frozen.Auth | None) -> str:
    if auth is None:
        return ""
    scopes = f" ({', '.join(auth.scopes)})" if auth.scopes else ""
    schemes = " and ".join([auth.scheme, *(key.scheme for key in auth.also)])
    return f"{schemes}{scopes} as {auth.acts_as}"


def _returns(view: tuple[frozen.ViewField, ...], above: str) -> Iterator[tuple[str, str]]:
    for field in view:
        place = f"count {field.count}" if field.count is not None else field.at
        marks = [
            *(["hidden"] if field.hidden else []),
            *(["secret"] if field.secret else []),
            *([field.redact] if field.redact else []),
            *([f"cut at {field.truncate}"] if field.truncate is not None else []),
            *([f"{field.money.unit} units of {field.money.currency}"] if field.money else []),
        ]
        yield (
            above + field.name,
            f"{place or 'body'}{' (' + ', '.join(marks) + ')' if marks else ''}",
        )
        many = "*." if field.each is not None else ""
        yield from _returns(field.inner, f"{above}{field.name}.{many}")


def _pages(page: frozen.Page | None) -> str:
    if page is None:
        return ""
    where = " ".join(part for part in (page.kind, page.next, page.take) if part)
    until = f" until {_condition(page.until)}" if page.until else ""
    return f"{page.items} by {where}, {page.size} a page{until}"


def _resolver(resolver: frozen.Resolver) -> str:
    return f"{resolver.input} is a {resolver.field} of {_read(resolver.read)}"


def _answer(rule: frozen.AnswerRule) -> str:
    marks = " ".join(
        part for part in (rule.code, f"at {rule.field}" if rule.field else None) if part
    )
    replayed = " (replayed)" if rule.replayed else ""
    return f"{_condition(rule.when)}: {rule.outcome}{' ' + marks if marks else ''}{replayed}"


def _approval(row: frozen.ApprovalRow) -> str:
    policy = row.policy
    if policy.none is not None:
        words = f"{policy.name}: nobody, {policy.none}"
    else:
        words = f"{policy.name}: {policy.quorum} of {policy.approvers} within {_span(policy.expires_in)}"
    if policy.self_approval:
        words += ", self approval allowed"
    if policy.after_transient == "keep":
        words += ", kept after a transient failure"
    return f"{words}, when {_condition(row.when)}" if row.when else words


def _target(terms: frozen.WriteTerms) -> str:
    target = terms.target
    words = f"{target.type} {_text(target.id)}"
    if target.via is not None:
        words += f" via {_read(target.via)}"
    if target.read is not None:
        words += f", read by {_read(target.read)}"
    if target.absent:
        words += ", must be absent"
    elif target.unversioned is not None:
        words += f", no version: {target.unversioned}"
    else:
        words += f", versioned by {', '.join(target.version)}"
    if terms.version_check != "none":
        words += f" ({terms.version_check})"
    return f"{words}, requires {_condition(target.require)}" if target.require else words


def _check(check: frozen.Check) -> str:
    because = f": {check.because}" if check.because else ""
    return f"{_read(check.read)} requires {_condition(check.require)}{because}"


def _change(change: frozen.Change) -> str:
    before = change.before or "-"
    for word, value in (("add", change.add), ("remove", change.remove)):
        if value is not None:
            return f"{before} {word} {_text(value)}"
    return f"{before} -> {_text(change.after)}"


def _native(preview: frozen.NativePreview | None) -> str:
    if preview is None:
        return ""
    words = _read(preview.read) if preview.read else f"dry run {_text(preview.dry_run)}"
    if preview.confirmed_by:
        words += f" confirmed by {_condition(preview.confirmed_by)}"
    if preview.show:
        words += f", shows {', '.join(preview.show)}"
    return (
        f"{words}, not guaranteed {', '.join(preview.not_guaranteed)}"
        if preview.not_guaranteed
        else words
    )


def _idempotency(terms: frozen.WriteTerms) -> str:
    rule = terms.idempotency
    words = f"by {rule.by}"
    if rule.by == "key":
        words += f", {_span(rule.window) if rule.window is not None else 'forever'}"
    if rule.because:
        words += f": {rule.because}"
    return f"{words}; may be sent again" if terms.resend else words


def _unknown(unknown: frozen.Unknown | None) -> str:
    if unknown is None:
        return "an operator decides"
    words = f"ask {_read(unknown.read)} where {_condition(unknown.where)}"
    if unknown.pages > 1:
        words += f", {unknown.pages} pages"
    words += _states(unknown.states)
    if unknown.not_done_after is not None:
        words += f"; not done after {_span(unknown.not_done_after)}"
    return words


def _follow(follow: frozen.Follow | None) -> str:
    if follow is None:
        return ""
    words = f"{_read(follow.read)} every {_span(follow.every)} for {_span(follow.deadline)}"
    if follow.cancel is not None:
        words += f", stopped by {_read(follow.cancel)}"
    return words + _states(follow.states)


def _states(rules: tuple[frozen.StateRule, ...]) -> str:
    return "".join(f"; {rule.state}: {_condition(rule.when)}" for rule in rules)


def _evidence(evidence: frozen.Evidence) -> dict[str, str]:
    named = {
        "operation_id": evidence.operation_id,
        "new_version": evidence.new_version,
        "state": evidence.state,
    }
    facts = {name: source for name, source in named.items() if source is not None}
    facts |= {f"no {name}": why for name, why in evidence.absent.items()}
    facts |= evidence.facts
    return facts | ({"proof": _condition(evidence.proof)} if evidence.proof else {})


def _compensation(compensation: frozen.Compensation) -> str:
    if compensation.tool is None:
        return f"none: {compensation.none}"
    return f"{compensation.tool}{_with(compensation.arguments)}"


def _read(read: frozen.Read) -> str:
    return f"{read.tool}{_with(read.arguments)}"


def _with(arguments: Mapping[str, Any]) -> str:
    if not arguments:
        return ""
    return "(" + ", ".join(f"{name}={_text(value)}" for name, value in arguments.items()) + ")"


def _condition(condition: Mapping[str, Any] | None) -> str:
    return " and ".join(f"{name} {_test(test)}" for name, test in (condition or {}).items())


def _test(test: Any) -> str:
    several = as_list(test)
    if several is not None:
        return f"in [{', '.join(map(_text, several))}]"
    named = as_map(test)
    if named is not None:
        ((word, value),) = named.items()
        return f"{word.replace('_', ' ')} {_text(value)}"
    return f"is {_text(test)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _timeout(timeout: frozen.Timeout) -> str:
    return f"connect {_span(timeout.connect)}, read {_span(timeout.read)}, total {_span(timeout.total)}"


def _limits(limits: frozen.Limits) -> str:
    words = [
        f"{value} {name.replace('_', ' ')}"
        for name, value in (
            ("per_run", limits.per_run),
            ("per_run_in_flight", limits.per_run_in_flight),
            ("per_tenant_in_flight", limits.per_tenant_in_flight),
        )
        if value is not None
    ]
    return ", ".join(
        [*words, *(f"{name} at most {most} in total" for name, most in limits.total.items())]
    )


def _span(seconds: float) -> str:
    whole = int(seconds)
    if whole != seconds or whole == 0:
        return f"{seconds:g}s"
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if whole % size == 0 and (unit != "d" or whole > size):
            return f"{whole // size}{unit}"
    return f"{whole}s"
