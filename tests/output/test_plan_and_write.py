"""Files, disk and lock: what is planned, what is refused, and that the disk changes whole or not at all."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest

from toolcharter.artifact import Artifact
from toolcharter.emit import sha256_text
from toolcharter.output import BusyError, Plan, exclusive, plan_output, read_lock, write_plan
from toolcharter.output import write as write_module

LOCK = "pkg/catalog/toolcharter.lock"
PARTS = {"files": {}, "contracts": {}, "inputs": {}, "generator": {"version": "0.1.0"}}
ENTRY = {"sha256": "sha256:0", "owner": "package"}
MADE_UP = [json.dumps({**PARTS, "files": {name: ENTRY}}) for name in ("a\0b", "\ud800", "a" * 256)]
MADE_UP += [json.dumps({**PARTS, "contracts": {"a.v1": entry}}) for entry in (5, None, [])]


def artifacts(**texts: str) -> tuple[Artifact, ...]:
    """Files below `pkg/` by stem, and the lock over them."""
    files = tuple(
        Artifact(PurePosixPath("pkg", f"{name}.py"), text, "package")
        for name, text in sorted(texts.items())
    )
    lock = {
        "lock_version": 1,
        "generator": {"version": "0.1.0"},
        "inputs": {"charter.yaml": "sha256:1"},
        "contracts": {},
        "files": {str(f.path): {"sha256": sha256_text(f.text), "owner": f.owner} for f in files},
    }
    return (*files, Artifact(PurePosixPath(LOCK), json.dumps(lock) + "\n", "package"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pkg"


def plan(folder: Path, files: Sequence[Artifact], *, force: bool = False) -> Plan:
    return plan_output(files, folder, read_lock(folder), force=force)


def generate(folder: Path, *, force: bool = False, **texts: str) -> Plan:
    made = plan(folder, artifacts(**texts), force=force)
    write_plan(made)
    return made


def actions(made: Plan) -> dict[str, str]:
    return {str(step.path): step.action for step in made.steps}


def on_disk(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refused(made: Plan) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in made.diagnostics]


def test_create_then_unchanged(folder: Path) -> None:
    made = generate(folder, a="1\n", b="2\n")
    assert actions(made) == {"pkg/a.py": "create", "pkg/b.py": "create", LOCK: "create"}
    assert on_disk(folder)["pkg/a.py"] == "1\n"
    assert plan(folder, artifacts(a="1\n", b="2\n")).is_empty


def test_same_file_keeps_its_time(folder: Path) -> None:
    generate(folder, a="1\n", b="2\n")
    os.utime(folder / "pkg/a.py", ns=(1, 1))
    os.utime(folder / "pkg/b.py", ns=(1, 1))
    generate(folder, a="1\n", b="3\n")
    assert (folder / "pkg/a.py").stat().st_mtime_ns == 1
    assert (folder / "pkg/b.py").stat().st_mtime_ns != 1


def test_update_and_delete(folder: Path) -> None:
    generate(folder, a="1\n", b="2\n")
    made = generate(folder, a="9\n")
    assert actions(made) == {"pkg/b.py": "delete", "pkg/a.py": "update", LOCK: "update"}
    assert sorted(on_disk(folder)) == ["pkg/a.py", LOCK]


def test_an_emptied_folder_goes_and_one_with_foreign_content_stays(folder: Path) -> None:
    lock = artifacts(a="1\n")[-1]
    sub = Artifact(PurePosixPath("pkg/tools/x.py"), "x\n", "x.v1")
    entry = json.loads(lock.text)
    entry["files"]["pkg/tools/x.py"] = {"sha256": sha256_text("x\n"), "owner": "x.v1"}
    write_plan(
        plan(
            folder,
            (*artifacts(a="1\n")[:-1], sub, Artifact(lock.path, json.dumps(entry), "package")),
        )
    )
    (folder / "pkg/tools/notes.txt").write_text("mine")
    generate(folder, a="1\n")
    assert sorted(on_disk(folder)) == ["pkg/a.py", LOCK, "pkg/tools/notes.txt"]


def test_edited_file_is_refused_then_forced(folder: Path) -> None:
    generate(folder, a="1\n", b="2\n")
    (folder / "pkg/a.py").write_text("mine\n")
    made = plan(folder, artifacts(a="9\n", b="2\n"))
    assert refused(made) == [("TC902", "pkg/a.py would be lost: it was edited by hand")]
    with pytest.raises(ValueError, match="a plan with errors is not written"):
        write_plan(made)
    assert on_disk(folder)["pkg/a.py"] == "mine\n"
    generate(folder, a="9\n", b="2\n", force=True)
    assert on_disk(folder)["pkg/a.py"] == "9\n"


def test_edited_file_that_is_generated_no_longer_is_not_deleted(folder: Path) -> None:
    generate(folder, a="1\n", b="2\n")
    (folder / "pkg/b.py").write_text("mine\n")
    made = plan(folder, artifacts(a="1\n"))
    assert refused(made) == [
        ("TC902", "pkg/b.py would be lost: it is generated no longer, and was edited by hand")
    ]


def test_an_edit_that_is_what_would_be_written_is_no_edit(folder: Path) -> None:
    """A run that was killed between the files and the lock is finished by the next one."""
    generate(folder, a="1\n")
    (folder / "pkg/a.py").write_text("2\n")
    made = plan(folder, artifacts(a="2\n"))
    assert refused(made) == []
    assert actions(made)["pkg/a.py"] == "unchanged"


def test_foreign_file_is_not_written_over(folder: Path) -> None:
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/a.py").write_text("mine\n")
    assert refused(plan(folder, artifacts(a="1\n"))) == [
        ("TC906", "pkg/a.py is there, and no generation has made it")
    ]


def test_windows_line_ends_are_no_difference(folder: Path) -> None:
    generate(folder, a="1\n2\n")
    (folder / "pkg/a.py").write_bytes(b"1\r\n2\r\n")
    assert plan(folder, artifacts(a="1\n2\n")).is_empty


def test_bytes_that_are_no_text_are_an_edit(folder: Path) -> None:
    generate(folder, a="1\n")
    (folder / "pkg/a.py").write_bytes(b"\xff\xfe")
    assert [code for code, _ in refused(plan(folder, artifacts(a="2\n")))] == ["TC902"]


@pytest.mark.parametrize(
    "path", ["../evil.py", "/etc/evil.py", "pkg/../../evil.py", "C:evil.py", "pkg\\..\\evil.py"]
)
def test_path_that_leaves_the_folder_is_refused(folder: Path, path: str) -> None:
    made = plan(folder, (Artifact(PurePosixPath(path), "x", "package"),))
    assert [code for code, _ in refused(made)] == ["TC906"]
    assert made.steps == ()


def test_lock_cannot_have_a_file_elsewhere_deleted(folder: Path, tmp_path: Path) -> None:
    generate(folder, a="1\n")
    victim = tmp_path / "victim.txt"
    victim.write_text("x")
    lock = json.loads((folder / LOCK).read_text())
    lock["files"]["../victim.txt"] = {"sha256": sha256_text("x"), "owner": "package"}
    (folder / LOCK).write_text(json.dumps(lock))
    assert refused(plan(folder, artifacts(a="1\n"))) == [
        ("TC906", "../victim.txt leaves the package's folder")
    ]
    assert victim.exists()


@pytest.mark.parametrize("linked", ["", "pkg", "pkg/a.py"])
def test_links_are_refused(folder: Path, tmp_path: Path, linked: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    target = folder / linked
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(elsewhere)
    made = plan(folder, artifacts(a="1\n"))
    assert {code for code, _ in refused(made)} == {"TC906"}
    assert list(elsewhere.iterdir()) == []


def test_paths_that_differ_in_case_only_are_refused(folder: Path) -> None:
    files = tuple(
        Artifact(PurePosixPath(name), "x", "package") for name in ("pkg/A.py", "pkg/a.py")
    )
    assert refused(plan(folder, files)) == [
        ("TC906", "pkg/a.py differs from pkg/A.py in case only")
    ]


def test_a_file_on_disk_in_another_case_is_refused(folder: Path) -> None:
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/A.py").write_text("x")
    assert refused(plan(folder, artifacts(a="1\n"))) == [
        ("TC906", "pkg/a.py is on disk as A.py, in another case")
    ]


def test_lock_is_moved_last(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[str] = []
    carry_out = write_module._carry_out
    monkeypatch.setattr(
        write_module,
        "_carry_out",
        lambda f, step, s: (moved.append(str(step.path)), carry_out(f, step, s))[-1],
    )
    generate(folder, a="1\n", b="2\n")
    generate(folder, b="3\n")
    assert [moved[2], moved[-1]] == [LOCK, LOCK]


def test_failure_while_staging_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(folder, a="1\n", b="2\n")
    before = on_disk(folder)
    staged = write_module._staged

    def fail(stage: Path, number: int, step: write_module.Step) -> Path | None:
        if number == 1:
            raise OSError(28, "No space left on device")
        return staged(stage, number, step)

    monkeypatch.setattr(write_module, "_staged", fail)
    with pytest.raises(OSError, match="No space left"):
        generate(folder, a="8\n", b="9\n")
    assert on_disk(folder) == before


@pytest.mark.parametrize("at", ["pkg/b.py", "pkg/deep/c.py", LOCK])
def test_failure_while_moving_takes_back_what_was_moved(
    folder: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    generate(folder, a="1\n", b="2\n", gone="3\n")
    (folder / "pkg/a.py").write_bytes(b"1\r\n")
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()}
    carry_out = write_module._carry_out

    def refuse(where: Path, step: write_module.Step, staged: Path | None) -> None:
        if str(step.path) == at:
            raise PermissionError(13, "Permission denied", str(where / step.path))
        carry_out(where, step, staged)

    monkeypatch.setattr(write_module, "_carry_out", refuse)
    with pytest.raises(PermissionError):
        generate(folder, a="8\n", b="9\n", **{"deep/c": "10\n"})
    after = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()}
    assert after == before
    assert not (folder / "pkg/deep").exists()


def test_failure_of_one_package_takes_back_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "one" / "pkg", tmp_path / "two" / "pkg"
    plans = [plan(folder, artifacts(a="1\n")) for folder in (first, second)]
    carry_out = write_module._carry_out

    def refuse(where: Path, step: write_module.Step, staged: Path | None) -> None:
        if where == second and str(step.path) == LOCK:
            raise OSError(28, "No space left on device")
        carry_out(where, step, staged)

    monkeypatch.setattr(write_module, "_carry_out", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_module.write_plans(plans)
    assert not first.exists()
    assert not second.exists()


def test_crash_between_files_and_lock_is_mended_by_the_next_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(folder, a="1\n", b="2\n")
    with monkeypatch.context() as patch:
        carry_out = write_module._carry_out

        def crash(where: Path, step: write_module.Step, staged: Path | None) -> None:
            if str(step.path) == LOCK:
                raise KeyboardInterrupt
            carry_out(where, step, staged)

        patch.setattr(write_module, "_carry_out", crash)
        patch.setattr(
            write_module, "_take_back", lambda *_: None
        )  # a process that is killed cannot
        with pytest.raises(KeyboardInterrupt):
            generate(folder, a="8\n", b="9\n")
    assert not list(folder.glob(".toolcharter-*"))
    generate(folder, a="8\n", b="9\n")
    assert plan(folder, artifacts(a="8\n", b="9\n")).is_empty


def test_file_that_changes_after_the_plan_is_not_lost(folder: Path) -> None:
    generate(folder, a="1\n")
    made = plan(folder, artifacts(a="2\n"))
    (folder / "pkg/a.py").write_text("mine\n")
    with pytest.raises(BusyError, match="changed while this generation was under way"):
        write_plan(made)
    assert on_disk(folder)["pkg/a.py"] == "mine\n"


def test_one_generation_at_a_time(folder: Path) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with exclusive(folder):
            entered.set()
            leave.wait(5)

    other = threading.Thread(target=hold)
    other.start()
    entered.wait(5)
    with (
        pytest.raises(BusyError, match="another generation is writing"),
        exclusive(folder, wait=0.1),
    ):
        pytest.fail("two at once")
    leave.set()
    other.join()
    started = time.monotonic()
    with exclusive(folder):
        assert time.monotonic() - started < 1


def test_a_lock_with_merge_markers_counts_as_none(folder: Path) -> None:
    generate(folder, a="1\n")
    text = (folder / LOCK).read_text()
    (folder / LOCK).write_text(f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")
    assert read_lock(folder).is_broken
    assert refused(plan(folder, artifacts(a="1\n"))) == []
    assert refused(plan(folder, artifacts(a="2\n"))) == [
        ("TC906", "pkg/a.py is there, and no generation has made it")
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", '{"files": 3}', "{" * 5000, "\x00", *MADE_UP]
)
def test_a_lock_that_is_none_is_broken_and_nothing_worse(folder: Path, text: str) -> None:
    path = folder / LOCK
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert read_lock(folder).is_broken
