"""A plan → the disk: staged beside its place, synced, moved file by file, the lock last."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from .disk import read_text
from .paths import link_on_the_way
from .plan import Plan, Step

__all__ = ["BusyError", "exclusive", "write_plan", "write_plans"]

_STAGE = ".toolcharter-"
_WAIT = 10.0
_STEP = 0.05
_REPLACE_TRIES = 5


class BusyError(RuntimeError):
    """Another generation holds the folder, or changed it while this one was under way."""


@contextmanager
def exclusive(folder: Path, wait: float = _WAIT) -> Generator[None]:
    """Hold the folder of all packages for one generation; `BusyError` after `wait` seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + wait
    while (release := _held(folder)) is None:
        if time.monotonic() >= until:
            raise BusyError(f"another generation is writing to {folder}")
        time.sleep(_STEP)
    try:
        yield
    finally:
        release()


if sys.platform == "win32":  # pragma: no cover - a folder can be neither locked nor synced there

    def _held(folder: Path) -> Callable[[], None] | None:
        mark = folder / ".toolcharter-busy"
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return None
        return mark.unlink

    def _sync(folders: set[Path]) -> None:
        """Leave it to the system."""

else:
    import fcntl

    def _held(folder: Path) -> Callable[[], None] | None:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return lambda: os.close(descriptor)

    def _sync(folders: set[Path]) -> None:
        for folder in filter(Path.is_dir, folders):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def write_plans(plans: Iterable[Plan]) -> None:
    """Carry out plans that nothing was found against; where one fails, what was written of all is taken back."""
    waiting = tuple(plans)
    if any(finding.severity == "error" for plan in waiting for finding in plan.diagnostics):
        raise ValueError("a plan with errors is not written")
    with ExitStack() as written:
        for plan in waiting:
            if not plan.is_empty:
                written.enter_context(_carried_out(plan))


def write_plan(plan: Plan) -> None:
    """Carry out one plan."""
    write_plans((plan,))


@contextmanager
def _carried_out(plan: Plan) -> Generator[None]:
    """Carry out a plan; an error before the end of the block leaves the disk as it was."""
    changed = [step for step in plan.steps if step.action != "unchanged"]
    _expect_unmoved(plan.folder, changed)
    is_new = not plan.folder.exists()
    plan.folder.mkdir(parents=True, exist_ok=True)
    for left_behind in plan.folder.glob(f"{_STAGE}*"):
        shutil.rmtree(left_behind, ignore_errors=True)
    stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=plan.folder))
    done: list[tuple[Step, Path | None]] = []
    try:
        ready = [
            (step, _staged(stage, number, step), _kept(plan.folder, stage, number, step))
            for number, step in enumerate(changed)
        ]
        for number, (step, staged, kept) in enumerate(ready, 1):
            if number == len(ready):
                _sync({(plan.folder / moved.path).parent for moved, _ in done})
            done.append((step, kept))
            _carry_out(plan.folder, step, staged)
        _sync({(plan.folder / changed[-1].path).parent})
        yield
    except BaseException:
        for step, kept in reversed(done):
            _take_back(plan.folder, step, kept)
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if is_new:
            with suppress(OSError):
                plan.folder.rmdir()  # only an empty one goes


def _expect_unmoved(folder: Path, steps: list[Step]) -> None:
    for step in steps:
        is_linked = link_on_the_way(folder, step.path) is not None
        if is_linked or read_text(folder / step.path) != step.before:
            raise BusyError(f"{step.path} changed while this generation was under way")


def _staged(stage: Path, number: int, step: Step) -> Path | None:
    if step.text is None:
        return None
    path = stage / str(number)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(step.text)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o666 & ~_umask())
    return path


def _kept(folder: Path, stage: Path, number: int, step: Step) -> Path | None:
    """Keep a copy of what a step replaces, its bytes and its time."""
    if step.before is None:
        return None
    return Path(shutil.copy2(folder / step.path, stage / f"{number}.before"))


def _take_back(folder: Path, step: Step, kept: Path | None) -> None:
    """Undo a step as far as the system lets us; what is left is mended by the next generation."""
    target = folder / step.path
    with suppress(OSError):
        if kept is None:
            target.unlink(missing_ok=True)
            _prune(folder, step.path)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            kept.replace(target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _carry_out(folder: Path, step: Step, staged: Path | None) -> None:
    target = folder / step.path
    if staged is None:
        target.unlink(missing_ok=True)
        _prune(folder, step.path)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(_REPLACE_TRIES):
        try:
            staged.replace(target)
        except PermissionError:  # Windows: the file is open somewhere
            if attempt == _REPLACE_TRIES - 1:
                raise
            time.sleep(_STEP * 2**attempt)
        else:
            return


def _prune(folder: Path, path: PurePosixPath) -> None:
    """Remove the folders above a deleted file that hold nothing now."""
    for above in path.parents:
        if not above.parts:
            return
        try:
            (folder / above).rmdir()
        except OSError:
            return
