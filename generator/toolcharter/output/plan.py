"""Artifacts against disk against the last lock → what to create, update, delete and leave, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from toolcharter.artifact import Artifact
from toolcharter.diagnostics import Diagnostic, Origin

from .disk import digest_of, read_text
from .lockfile import LOCK_NAME, Lock
from .paths import collisions, is_inside, link_on_the_way, other_spelling

__all__ = ["Action", "Plan", "Step", "place", "plan_output", "unsafe_paths"]

Action = Literal["create", "update", "delete", "unchanged"]


@dataclass(frozen=True, slots=True)
class Step:
    """One file: what to do, the text to write, and the text that it replaces."""

    path: PurePosixPath
    action: Action
    text: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Every file of a package; it may be written if nothing was found against it."""

    folder: Path
    steps: tuple[Step, ...]
    """The lock is the last."""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Say whether the disk already is what it should be."""
        return all(step.action == "unchanged" for step in self.steps)


def place(folder: Path, path: PurePosixPath | str = "") -> Origin:
    """Return a file of a package as a place, relative to where the command runs if it is below."""
    whole = folder / path
    try:
        return Origin(whole.absolute().relative_to(Path.cwd()).as_posix(), 1, 1)
    except ValueError:
        return Origin(whole.as_posix(), 1, 1)


def plan_output(
    artifacts: Sequence[Artifact], folder: Path, lock: Lock, *, force: bool = False
) -> Plan:
    """Return what writing the artifacts to the folder takes; `force` takes files over that were edited or are not ours."""
    unsafe = tuple(unsafe_paths(artifacts, folder, lock))
    if unsafe:
        return Plan(folder, (), unsafe)
    steps: list[Step] = []
    found: list[Diagnostic] = []
    for artifact in artifacts:
        before = read_text(folder / artifact.path)
        steps.append(_step(artifact, before))
        if not force:
            found.extend(_refusal(artifact, before, folder, lock))
    kept = {str(artifact.path) for artifact in artifacts}
    for name in sorted(set(lock.files) - kept):
        before = read_text(folder / name)
        if before is None:
            continue
        if digest_of(before) != lock.files[name] and not force:
            found.append(_edited(folder, name, "it is generated no longer, and was edited by hand"))
        steps.insert(0, Step(PurePosixPath(name), "delete", before=before))
    return Plan(folder, tuple(steps), tuple(found))


def _step(artifact: Artifact, before: str | None) -> Step:
    action: Action = "update"
    if before is None:
        action = "create"
    elif before == artifact.text:
        action = "unchanged"
    return Step(artifact.path, action, artifact.text, before)


def _refusal(
    artifact: Artifact, before: str | None, folder: Path, lock: Lock
) -> Iterator[Diagnostic]:
    if before is None or before == artifact.text or artifact.path.name == LOCK_NAME:
        return
    locked = lock.files.get(str(artifact.path))
    if locked is None:
        yield Diagnostic(
            code="TC906",
            severity="error",
            message=f"{artifact.path} is there, and no generation has made it",
            origin=place(folder, artifact.path),
            hint="Move the file away, or pass --force to write over it.",
        )
    elif digest_of(before) != locked:
        yield _edited(folder, str(artifact.path), "it was edited by hand")


def _edited(folder: Path, name: str, why: str) -> Diagnostic:
    return Diagnostic(
        code="TC902",
        severity="error",
        message=f"{name} would be lost: {why}",
        origin=place(folder, name),
        hint="Move what you need into the charter, then pass --force to write over it.",
    )


def unsafe_paths(artifacts: Sequence[Artifact], folder: Path, lock: Lock) -> Iterator[Diagnostic]:
    """Yield each path that leaves the folder, goes over a link, or clashes with another where case is ignored."""
    names = {artifact.path for artifact in artifacts}
    for path in sorted(names | {PurePosixPath(name) for name in lock.files}):
        link = link_on_the_way(folder, path) if is_inside(path) else None
        other = other_spelling(folder, path) if is_inside(path) and path in names else None
        if not is_inside(path):
            yield _unsafe(folder, path, "leaves the package's folder")
        elif link is not None:
            yield _unsafe(folder, path, f"goes over {link.name}, which is no plain file or folder")
        elif other is not None:
            yield _unsafe(folder, path, f"is on disk as {other}, in another case")
    for first, second in collisions(names):
        yield _unsafe(folder, second, f"differs from {first} in case only")


def _unsafe(folder: Path, path: PurePosixPath, why: str) -> Diagnostic:
    return Diagnostic(
        code="TC906",
        severity="error",
        message=f"{path} {why}",
        origin=place(folder),
        hint="Nothing is written. Remove what is in the way, or rename the tool.",
    )
