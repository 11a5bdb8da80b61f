"""What a write changes: its target, its further checks, the difference, and the upstream's own preview."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.terms import PreviewSpec
from toolcharter_runtime.frozen import Change, Check, NativePreview, Target
from toolcharter_runtime.language import parse_place, references

from .case import Case
from .reads import Book, Fill

__all__ = ["check_shown", "resolve_changes", "resolve_checks", "resolve_preview", "resolve_target"]


def resolve_target(case: Case, book: Book) -> Target | None:
    """Return the target with its read and its version; None where a guard is missing."""
    spec = case.spec.target
    if spec is None or spec.version is None or spec.id is None:
        return None
    pointer = case.at("target")
    before = book.find(spec.read)
    via = None
    if spec.via is not None:
        via = book.read(case, spec.via.read, f"{pointer}/via", Fill(spec.via.arguments))
        _check_via(case, book, pointer)
    read = None
    if spec.read is not None:
        read = book.read(case, spec.read, pointer, Fill(spec.arguments))
    book.check_names(case, spec.id, f"{pointer}/id", before)
    names = before.view_names() if before is not None else ()
    is_known = before is not None or spec.read is None
    if is_known:
        book.condition(case, spec.require, names, f"{pointer}/require", before)
    for key, wanted in (("version", spec.version.fields), ("show", spec.show)):
        for name in wanted:
            if is_known and name not in names:
                message = f"the target's view has no `{name}`"
                case.findings.error("TC737", message, f"{pointer}/{key}", nearest(name, names))
    if before is None and spec.read is None and (spec.version.fields or spec.version.absent):
        message = "a version needs a target that is read"
        case.findings.error("TC516", message, pointer, "state `read`, or `version: {none: why}`")
    return Target(
        type=spec.type,
        id=spec.id,
        read=read,
        via=via,
        version=spec.version.fields,
        absent=spec.version.absent is True,
        unversioned=spec.version.none,
        require=spec.require,
        show=spec.show,
    )


def _check_via(case: Case, book: Book, pointer: str) -> None:
    spec = case.spec.target
    if spec is None or spec.via is None:
        return
    hop = book.find(spec.via.read)
    if hop is None:
        return
    for value in (spec.id, *spec.arguments.values()):
        for reference in references(value):
            if reference.root == "via" and reference.path[0] not in hop.view_names():
                message = f"{spec.via.read} has no `{reference.path[0]}` in its view"
                case.findings.error(
                    "TC737", message, pointer, nearest(reference.path[0], hop.view_names())
                )


def resolve_checks(case: Case, book: Book, before: Case | None) -> Iterator[Check]:
    """Yield the further preconditions; reports names that their reads do not have."""
    for index, spec in enumerate(case.spec.checks):
        pointer = case.at("checks", str(index))
        read = book.read(case, spec.read, pointer, Fill(spec.arguments, before))
        reader = book.find(spec.read)
        if read is None or reader is None:
            continue
        book.condition(case, spec.require, reader.view_names(), f"{pointer}/require", before)
        check_shown(case, reader, spec.show, pointer)
        yield Check(read=read, require=spec.require, show=spec.show, because=spec.because)


def check_shown(case: Case, reader: Case, names: tuple[str, ...], pointer: str) -> None:
    """Report names that are not in a read's view."""
    for name in names:
        if name not in reader.view_names():
            message = f"{reader.name} has no `{name}` in its view"
            case.findings.error(
                "TC737", message, f"{pointer}/show", nearest(name, reader.view_names())
            )


def resolve_changes(case: Case, book: Book, before: Case | None) -> Iterator[Change]:
    """Yield the rows of the difference: those of the charter, else those of the same name."""
    known = before.view_names() if before is not None else ()
    for label, spec in case.spec.changes.items():
        pointer = case.at("changes") + "/" + escape(label)
        after: Any = spec.after
        is_known = before is not None or case.lacks_target
        if spec.before is not None and is_known and spec.before not in known:
            message = f"the target's view has no `{spec.before}`"
            case.findings.error("TC737", message, pointer, nearest(spec.before, known))
        if not {"after", "add", "remove"} & spec.model_fields_set:
            if spec.before not in case.spec.input:
                message = f"the change `{label}` does not say what comes after"
                case.findings.error("TC732", message, pointer, "state `after`, `add` or `remove`")
                continue
            after = f"{{{spec.before}}}"
        for value in (after, spec.add, spec.remove):
            book.check_names(case, value, pointer, before)
        yield Change(label=label, before=spec.before, after=after, add=spec.add, remove=spec.remove)
    if "changes" not in case.spec.model_fields_set and before is not None:
        yield from _changes_by_name(case, before)


def _changes_by_name(case: Case, before: Case) -> Iterator[Change]:
    """Inputs of the same name in the target's view, where the write stands at the target's own path.

    An amount to refund is not the amount of the charge: a write elsewhere says its changes itself.
    """
    if before.operation.path != case.operation.path:
        return
    for name, one in case.inputs.items():
        if one.place is not None and one.place.location == "path":
            continue
        if before.view_field(name) is not None and one.is_leaf:
            yield Change(label=name, before=name, after=f"{{{name}}}")


def resolve_preview(case: Case, book: Book, before: Case | None) -> NativePreview | None:
    """Return the upstream's own preview; None where the charter names none."""
    spec = case.spec.preview
    if spec is None:
        return None
    pointer = case.at("preview")
    if (spec.read is None) == (spec.dry_run is None):
        message = "a preview is either a read or a dry run"
        case.findings.error("TC731", message, pointer)
        return None
    read = None
    if spec.read is not None:
        read = book.read(case, spec.read, pointer, Fill(spec.arguments, before))
        reader = book.find(spec.read)
        if reader is not None:
            check_shown(case, reader, spec.show, pointer)
    else:
        _check_dry_run(case, spec, pointer)
    return NativePreview(
        read=read,
        show=spec.show,
        not_guaranteed=spec.not_guaranteed,
        dry_run=spec.dry_run,
        confirmed_by=spec.confirmed_by,
    )


def _check_dry_run(case: Case, spec: PreviewSpec, pointer: str) -> None:
    for text in spec.dry_run or {}:
        place = parse_place(text)
        if (
            place.location in ("query", "header", "cookie")
            and case.parameter(place.location, place.name) is None
        ):
            case.ledger.need(
                text, f"place {text}", f"{case.operation.key} declares no `{text}`", pointer
            )
    if spec.confirmed_by is None:
        why = "no answer confirms that the dry run was one"
        case.ledger.need("dry_run", "a dry run changes nothing", why, pointer)
