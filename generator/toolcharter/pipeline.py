"""Names every stage once, in order: load, resolve, validate, check, compare, emit, plan, write; nothing else knows the order.

A stage hands on a value or none; the first that has an error ends the run, and a run that ends early has written nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toolcharter.artifact import Artifact
from toolcharter.charter import Charter, load_charter
from toolcharter.compare import compare_contracts, load_frozen
from toolcharter.diagnostics import Diagnostic
from toolcharter.output import (
    Drift,
    Lock,
    Plan,
    exclusive,
    find_drift,
    plan_output,
    read_lock,
    write_plan,
)
from toolcharter.output.plan import place
from toolcharter.resolve import ResolvedApi
from toolcharter.rules import check_api, settle_silences, without_echoes
from toolcharter.rules import check_charter as check_charter_rules
from toolcharter.source import Description, load_description

__all__ = ["Options", "Report", "check_charter", "generate_charter", "lint_charter"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a command may say beside the charter's path."""

    out: Path
    """The folder of all packages."""
    force: bool = False
    """Write over files that were edited by hand."""
    upgrade: bool = False
    """Write with a generator of another version than the lock's."""
    unreleased: frozenset[str] = frozenset()
    """Registry ids that nobody has yet."""
    validate: Literal["slice", "full"] = "slice"
    progress: Progress = lambda _: None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run has to say of one charter."""

    charter: Path
    diagnostics: tuple[Diagnostic, ...] = ()
    is_unreadable: bool = False
    """It ended where inputs are read."""
    plan: Plan | None = None
    """What was written; of a check, none."""
    drifts: tuple[Drift, ...] = ()

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """Return 0 clean, 1 findings or drift, 2 unreadable input."""
        if self.is_unreadable:
            return 2
        has_error = any(finding.severity == "error" for finding in self.diagnostics)
        return 1 if has_error or self.drifts else 0


@dataclass(frozen=True, slots=True)
class _Checked:
    """What is there when the charter and its tools are in order."""

    api: ResolvedApi
    diagnostics: tuple[Diagnostic, ...]


def lint_charter(path: Path, options: Options) -> Report:
    """Return every finding of a charter and its tools; no file of the package is looked at."""
    checked = _check(path, options)
    return checked if isinstance(checked, Report) else Report(path, checked.diagnostics)


def generate_charter(path: Path, options: Options) -> Report:
    """Write the package of a charter, if nothing was found against it."""
    checked = _check(path, options)
    if isinstance(checked, Report):
        return checked
    folder = options.out / checked.api.package
    with exclusive(folder):
        emitted = _emit(path, checked, folder, options)
        if isinstance(emitted, Report):
            return emitted
        artifacts, lock, _, found = emitted
        plan = plan_output(artifacts, folder, lock, force=options.force)
        report = Report(path, (*found, *plan.diagnostics), plan=plan)
        if report.exit_code == 0:
            options.progress("write")
            write_plan(plan)
        return report


def check_charter(path: Path, options: Options, mend: str) -> Report:
    """Say how the package on disk differs from what would be written; writes nothing and takes no lock.

    `mend` is the command that would bring it up to date.
    """
    checked = _check(path, options)
    if isinstance(checked, Report):
        return checked
    folder = options.out / checked.api.package
    emitted = _emit(path, checked, folder, options)
    if isinstance(emitted, Report):
        return emitted
    artifacts, lock, inputs, found = emitted
    return Report(path, found, drifts=find_drift(artifacts, folder, lock, inputs, mend))


def _check(path: Path, options: Options) -> Report | _Checked:
    """Carry out the stages that read: load, resolve, validate, check."""
    options.progress("read")
    loaded = load_charter(path)
    charter = loaded.value
    if charter is None:
        return Report(
            path, _sorted(loaded.diagnostics), is_unreadable=_has_error(loaded.diagnostics)
        )
    found = (*loaded.diagnostics, *check_charter_rules(charter))
    described = load_description(path.parent / charter.spec, folder=path.parent)
    found = (*found, *described.diagnostics)
    if described.value is None:
        return Report(path, _settled(charter, found, is_complete=False), is_unreadable=True)
    options.progress("resolve")
    return _resolved(path, charter, described.value, found, options)


def _resolved(
    path: Path,
    charter: Charter,
    description: Description,
    found: tuple[Diagnostic, ...],
    options: Options,
) -> Report | _Checked:
    from toolcharter.resolve import resolve_api
    from toolcharter.source.validate import validate_all, validate_slice

    resolved = resolve_api(description, charter)
    found = (*found, *without_echoes(found, resolved.diagnostics))
    api = resolved.value
    if api is None:
        return Report(path, _settled(charter, found, is_complete=False))
    options.progress("validate")
    if options.validate == "full":
        found = (*found, *validate_all(description))
    else:
        names = sorted({spec.operation for spec in charter.tools.values()})
        found = (*found, *validate_slice(description, names))
    options.progress("check")
    found = _settled(charter, (*found, *check_api(api)), is_complete=True)
    return Report(path, found) if _has_error(found) else _Checked(api, found)


_Emitted = tuple[tuple[Artifact, ...], Lock, dict[str, str], tuple[Diagnostic, ...]]


def _emit(path: Path, checked: _Checked, folder: Path, options: Options) -> Report | _Emitted:
    """Carry out the stages between: compare with what is frozen, emit."""
    from toolcharter.emit import emit_package

    lock = read_lock(folder)
    other = _other_generator(folder, lock, options)
    compared = compare_contracts(checked.api, load_frozen(folder), options.unreleased)
    found = _sorted((*checked.diagnostics, *other, *compared.diagnostics))
    if compared.value is None or _has_error(found):
        return Report(path, found)
    options.progress("emit")
    inputs = _inputs(path, checked.api)
    return emit_package(checked.api, compared.value, inputs), lock, inputs, found


def _other_generator(folder: Path, lock: Lock, options: Options) -> Iterable[Diagnostic]:
    from importlib.metadata import version

    own, locked = version("toolcharter"), lock.version
    if locked is None or options.upgrade or own.split(".")[:2] == locked.split(".")[:2]:
        return
    yield Diagnostic(
        code="TC908",
        severity="error",
        message=f"The package was generated by toolcharter {locked}, and this is {own}",
        origin=place(folder, lock.path.relative_to(folder).as_posix()),
        hint=f"Run: uvx toolcharter=={locked} generate; or take the new text with: toolcharter generate --upgrade",
    )


def _inputs(path: Path, api: ResolvedApi) -> dict[str, str]:
    """Return the digests of all that the package is made from, by path below the charter's folder.

    They are relative to the charter and not to where the command runs, so that the lock is the same everywhere.
    """
    inputs = {file.path: f"sha256:{file.sha256}" for file in api.description.files}
    inputs[path.name] = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    return inputs


def _has_error(found: Iterable[Diagnostic]) -> bool:
    return any(finding.severity == "error" for finding in found)


def _sorted(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.sort_key))


def _settled(
    charter: Charter, found: Iterable[Diagnostic], *, is_complete: bool
) -> tuple[Diagnostic, ...]:
    return _sorted(settle_silences(charter, found, is_complete=is_complete))
