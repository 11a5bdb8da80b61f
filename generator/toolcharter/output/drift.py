"""What differs between the disk and what would be written, told apart by cause; nothing is written here."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from toolcharter.artifact import Artifact
from toolcharter.diagnostics import Diagnostic

from .disk import digest_of, marked_files, read_text
from .lockfile import LOCK_NAME, Lock
from .plan import place, unsafe_paths

__all__ = ["DIFF_LINES", "Drift", "find_drift"]

DIFF_LINES = 40


@dataclass(frozen=True, slots=True)
class Drift:
    """One file that is not what it should be, and the first lines of the difference."""

    diagnostic: Diagnostic
    diff: tuple[str, ...] = ()


def find_drift(
    artifacts: Sequence[Artifact], folder: Path, lock: Lock, inputs: Mapping[str, str], mend: str
) -> tuple[Drift, ...]:
    """Return every difference; `mend` is the command that removes those which a generation can remove."""
    unsafe = tuple(Drift(one) for one in unsafe_paths(artifacts, folder, lock))
    if unsafe:
        return unsafe
    files = [artifact for artifact in artifacts if artifact.path.name != LOCK_NAME]
    found = [*_files(files, folder, lock, mend), *_orphans(files, folder, lock, mend)]
    return (*found, *_lock(artifacts, folder, lock, inputs, mend, is_alone=not found))


def _files(artifacts: Sequence[Artifact], folder: Path, lock: Lock, mend: str) -> Iterator[Drift]:
    for artifact in artifacts:
        name, on_disk = str(artifact.path), read_text(folder / artifact.path)
        if on_disk == artifact.text:
            continue
        if on_disk is None:
            yield _drift("TC903", f"{name} is missing", folder, name, f"Run: {mend}")
            continue
        diff = _diff(on_disk, artifact.text, name)
        if digest_of(on_disk) == lock.files.get(name):
            yield _drift("TC901", f"{name} is out of date", folder, name, f"Run: {mend}", diff)
        else:
            hint = f"Take the edit back, or run: {mend} --force"
            yield _drift("TC902", f"{name} was edited by hand", folder, name, hint, diff)


def _orphans(artifacts: Sequence[Artifact], folder: Path, lock: Lock, mend: str) -> Iterator[Drift]:
    generated = {str(artifact.path) for artifact in artifacts}
    for name in sorted(set(lock.files) - generated):
        if read_text(folder / name) is not None:
            message = f"{name} is generated no longer"
            yield _drift("TC904", message, folder, name, f"Run: {mend}")
    for path in marked_files(folder):
        if str(path) not in generated and str(path) not in lock.files:
            message = f"{path} carries the marker of a generated file, and no lock knows it"
            yield _drift("TC904", message, folder, path, "Delete it.")


def _lock(
    artifacts: Sequence[Artifact],
    folder: Path,
    lock: Lock,
    inputs: Mapping[str, str],
    mend: str,
    *,
    is_alone: bool,
) -> Iterator[Drift]:
    new = next((one for one in artifacts if one.path.name == LOCK_NAME), None)
    if new is None:
        return
    name = str(new.path)
    if lock.is_broken:
        message = f"{name} has merge markers, or is no lock"
        yield _drift("TC905", message, folder, name, f"Run: {mend} --force")
    elif not lock.exists:
        yield _drift("TC903", f"{name} is missing", folder, name, f"Run: {mend}")
    elif dict(lock.inputs) != dict(inputs):
        changed = sorted(
            one for one in {*lock.inputs, *inputs} if lock.inputs.get(one) != inputs.get(one)
        )
        message = f"{', '.join(changed)} changed after the last generation"
        yield _drift("TC907", message, folder, name, f"Run: {mend}")
    elif is_alone and (on_disk := read_text(folder / new.path)) != new.text:
        diff = _diff(on_disk or "", new.text, name)
        yield _drift(
            "TC907", f"{name} is not the lock of these files", folder, name, f"Run: {mend}", diff
        )


def _drift(
    code: str,
    message: str,
    folder: Path,
    name: str | PurePosixPath,
    hint: str,
    diff: tuple[str, ...] = (),
) -> Drift:
    finding = Diagnostic(
        code=code, severity="error", message=message, origin=place(folder, name), hint=hint
    )
    return Drift(finding, diff)


def _diff(on_disk: str, new: str, name: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(
        on_disk.splitlines(),
        new.splitlines(),
        f"{name} (on disk)",
        f"{name} (generated)",
        lineterm="",
    )
    return tuple(islice(lines, DIFF_LINES))
