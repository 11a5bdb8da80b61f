"""Names every stage once, in order: load, resolve, validate, check, compare, emit, plan, write; nothing else knows the order.

A stage hands on a value or none; the first that has an error ends the run, and a run that ends early has written nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toolcharter.artifact import Artifact
from toolcharter.charter import Charter, load_charter
from toolcharter.compare import compare_contracts, load_frozen
from toolcharter.diagnostics import Diagnostic, Origin, Staged
from toolcharter.output import (
    BusyError,
    Drift,
    Lock,
    Plan,
    exclusive,
    find_drift,
    plan_output,
    read_lock,
    write_plans,
)
from toolcharter.output.plan import place
from toolcharter.resolve import ResolvedApi
from toolcharter.rules import (
    Silenced,
    check_api,
    settle_silences,
    silenced_findings,
    without_echoes,
)
from toolcharter.rules import check_charter as check_charter_rules
from toolcharter.source import Description, load_description

if TYPE_CHECKING:
    from toolcharter.emit import Package
    from toolcharter.rules.readiness import Readiness

__all__ = [
    "Options",
    "Report",
    "check_charter",
    "generate_charter",
    "generate_charters",
    "lint_charter",
    "lint_description",
]

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
    """Told which stage begins."""


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
    silenced: tuple[Silenced, ...] = ()
    """What the charter put aside, with its reasons."""

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """Return 0 clean, 1 findings or drift, 2 unreadable input."""
        if self.is_unreadable:
            return 2
        return 1 if _has_error(self.diagnostics) or self.drifts else 0


@dataclass(frozen=True, slots=True)
class _Checked:
    """What is there when the charter and its tools are in order."""

    api: ResolvedApi
    diagnostics: tuple[Diagnostic, ...]
    silenced: tuple[Silenced, ...]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What would be written, before the disk is looked at."""

    charter: Path
    origin: Origin
    """Of `package` in the charter."""
    folder: Path
    package: Package
    lock: Lock
    inputs: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]
    artifacts: tuple[Artifact, ...] = ()

    @property
    def report(self) -> Report:
        return Report(self.charter, self.diagnostics)


def lint_charter(path: Path, options: Options) -> Report:
    """Return every finding of a charter and its tools; no file of the package is looked at."""
    checked = _check(path, options)
    if isinstance(checked, Report):
        return checked
    return Report(path, checked.diagnostics, silenced=checked.silenced)


def lint_description(path: Path, options: Options) -> Staged[Readiness]:
    """Return how far each operation of a description is from being a tool; there is no charter yet.

    Without a charter's folder, references may reach what lies below the working folder.
    """
    from toolcharter.rules.readiness import assess

    options.progress(f"{path.as_posix()}: read")
    here = Path.cwd()
    is_below = path.resolve().is_relative_to(here)
    described = load_description(path, folder=here if is_below else None)
    if described.value is None:
        return Staged(None, _sorted(described.diagnostics))
    options.progress(f"{path.as_posix()}: look at each operation")
    return Staged(assess(described.value), _sorted(described.diagnostics))


def generate_charters(paths: Iterable[Path], options: Options) -> tuple[Report, ...]:
    """Write the packages of charters, if nothing was found against any of them."""
    prepared = _distinct([_prepare(path, options) for path in paths])
    reports = tuple(one if isinstance(one, Report) else one.report for one in prepared)
    ready = [one for one in prepared if isinstance(one, _Prepared)]
    if len(ready) < len(prepared) or any(report.exit_code for report in reports):
        return reports
    with exclusive(options.out):
        plans = [_plan(one, options) for one in ready]
        reports = tuple(
            replace(one.report, diagnostics=(*one.diagnostics, *plan.diagnostics), plan=plan)
            for one, plan in zip(ready, plans, strict=True)
        )
        if not any(report.exit_code for report in reports):
            options.progress("write")
            write_plans(plans)
    return reports


def generate_charter(path: Path, options: Options) -> Report:
    """Write the package of one charter, if nothing was found against it."""
    (report,) = generate_charters((path,), options)
    return report


def check_charter(path: Path, options: Options, mend: str) -> Report:
    """Say how the package on disk differs from what would be written; writes nothing and takes no lock.

    `mend` is the command that would bring it up to date.
    """
    one = _prepare(path, options)
    if isinstance(one, Report):
        return one
    drifts = find_drift(one.artifacts, one.folder, one.lock, one.inputs, mend)
    return replace(one.report, drifts=drifts)


def _prepare(path: Path, options: Options) -> Report | _Prepared:
    """Carry out every stage but plan and write."""
    from toolcharter.emit import emit

    one = _compare(path, options)
    if isinstance(one, Report):
        return one
    options.progress(f"{path.as_posix()}: emit")
    return replace(one, artifacts=emit(one.package, one.inputs))


def _distinct(prepared: list[Report | _Prepared]) -> list[Report | _Prepared]:
    """Return what was prepared; a package that is made for the second time becomes an error."""
    first: dict[Path, str] = {}
    for number, one in enumerate(prepared):
        if (
            isinstance(one, _Prepared)
            and first.setdefault(one.folder, one.origin.file) != one.origin.file
        ):
            twice = Diagnostic(
                code="TC914",
                severity="error",
                message=f"The package {one.folder.name} is made from {first[one.folder]}, too",
                origin=one.origin,
                hint="Give each charter a `package` of its own.",
            )
            prepared[number] = Report(one.charter, (*one.diagnostics, twice))
    return prepared


def _plan(one: _Prepared, options: Options) -> Plan:
    if read_lock(one.folder) != one.lock:
        raise BusyError(f"{one.folder} changed while this generation was under way")
    return plan_output(one.artifacts, one.folder, one.lock, force=options.force)


def _check(path: Path, options: Options) -> Report | _Checked:
    """Carry out the stages that read: load, resolve, validate, check."""
    options.progress(f"{path.as_posix()}: read")
    loaded = load_charter(path)
    charter = loaded.value
    if charter is None:
        return Report(
            path, _sorted(loaded.diagnostics), is_unreadable=_is_unreadable(loaded.diagnostics)
        )
    found = (*loaded.diagnostics, *check_charter_rules(charter))
    described = load_description(
        path.parent / charter.spec,
        folder=path.parent,
        overlays=[path.parent / name for name in charter.overlays],
    )
    found = (*found, *described.diagnostics)
    if described.value is None:
        kept, silenced = _settled(charter, found, is_complete=False)
        return Report(path, kept, is_unreadable=True, silenced=silenced)
    options.progress(f"{path.as_posix()}: resolve")
    return _resolved(path, charter, described.value, found, options)


def _is_unreadable(found: Iterable[Diagnostic]) -> bool:
    """Say whether the file could not be read at all; a charter that reads and says too little is a finding."""
    return any(finding.severity == "error" and finding.code.startswith("TC7") for finding in found)


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
        kept, silenced = _settled(charter, found, is_complete=False)
        return Report(path, kept, silenced=silenced)
    options.progress(f"{path.as_posix()}: validate")
    if options.validate == "full":
        found = (*found, *validate_all(description))
    else:
        names = sorted({spec.operation for spec in charter.tools.values()})
        found = (*found, *validate_slice(description, names))
    options.progress(f"{path.as_posix()}: check")
    found = (*found, *without_echoes(found, check_api(api)))
    kept, silenced = _settled(charter, found, is_complete=True)
    if _has_error(kept):
        return Report(path, kept, silenced=silenced)
    return _Checked(api, kept, silenced)


def _compare(path: Path, options: Options) -> Report | _Prepared:
    """Check, and compare with what is frozen; the description is let go here, so that emitting has its memory."""
    from toolcharter.emit import package_of

    checked = _check(path, options)
    if isinstance(checked, Report):
        return checked
    folder = options.out / checked.api.package
    lock = read_lock(folder)
    others = tuple(_other_generator(folder, lock, options))
    if others:
        return Report(path, _sorted((*checked.diagnostics, *others)), is_unreadable=True)
    pinned = {key: str(entry.get("digest")) for key, entry in lock.contracts.items()}
    compared = compare_contracts(checked.api, load_frozen(folder, pinned), options.unreleased)
    found = _sorted((*checked.diagnostics, *compared.diagnostics))
    if compared.value is None or _has_error(found):
        return Report(path, found)
    origin, inputs = checked.api.charter.origin("/package"), _inputs(path, checked.api)
    package = package_of(checked.api, compared.value)
    return _Prepared(path, origin, folder, package, lock, inputs, found)


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
) -> tuple[tuple[Diagnostic, ...], tuple[Silenced, ...]]:
    """Return what stands, and what the charter silences of it."""
    every = tuple(found)
    kept = settle_silences(charter, every, is_complete=is_complete)
    return _sorted(kept), silenced_findings(charter, every)
