"""OpenAPI Overlays (1.0): the changes that a charter makes to a description before anything reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from toolcharter.diagnostics import Diagnostic, Origin, Staged

from .document import Anchor, Document, Step
from .jsonpaths import PathError, matches
from .limits import MAX_ALIASED_NODES, MAX_DEPTH, find_too_deep, shown
from .load import load_document, shown_name
from .patching import MisfitError, Patch, TooMuchError
from .shapes import is_array, is_object, value_at

__all__ = ["Overlaid", "apply_overlays"]

_VERSION: Final = re.compile(r"1\.0\.\d+")
_KNOWN: Final = frozenset({"overlay", "info", "extends", "actions"})
_KNOWN_OF_ACTION: Final = frozenset({"target", "description", "update", "remove"})
_HINT: Final = "see the Overlay Specification 1.0"


@dataclass(frozen=True, slots=True)
class Overlaid:
    """A document as overlays leave it, and the overlays."""

    document: Document
    overlays: tuple[Document, ...]


@dataclass(slots=True)
class _Run:
    """One overlay that is being applied."""

    overlay: Document
    patch: Patch
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def report(
        self,
        code: str,
        message: str,
        steps: tuple[Step, ...] = (),
        hint: str = _HINT,
        severity: Literal["error", "warning"] = "error",
    ) -> None:
        origin = self.overlay.origin(steps)
        self.found.append(
            Diagnostic(code=code, severity=severity, message=message, origin=origin, hint=hint)
        )

    @property
    def has_failed(self) -> bool:
        return any(finding.severity == "error" for finding in self.found)


def apply_overlays(document: Document, paths: Sequence[Path], folder: Path) -> Staged[Overlaid]:
    """Apply overlays in order to the root file of a description; the first that has an error ends it."""
    if not paths:
        return Staged(Overlaid(document, ()))
    patch = Patch(document)
    overlays: list[Document] = []
    found: list[Diagnostic] = []
    for path in paths:
        staged = _load(path, folder)
        overlay = staged.value
        if overlay is None:
            return Staged(None, (*found, *staged.diagnostics))
        run = _Run(overlay, patch)
        _apply(run, document)
        found.extend(run.found)
        if run.has_failed:
            return Staged(None, tuple(found))
        overlays.append(overlay)
    return Staged(Overlaid(patch.document, tuple(overlays)), tuple(found))


def _load(path: Path, folder: Path) -> Staged[Document]:
    try:
        is_inside = path.resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):  # a name that no file can have: reading says so
        is_inside = True
    if not is_inside:
        finding = Diagnostic(
            code="TC722",
            severity="error",
            message="The overlay leaves the description's folder",
            origin=Origin(shown_name(path, Path.cwd()), 1, 1),
            hint="keep the overlay in the folder of its charter",
        )
        return Staged(None, (finding,))
    return load_document(path)


def _apply(run: _Run, root: Document) -> None:
    value = run.overlay.value
    _check_head(run, root)
    if run.has_failed:
        return
    for index in range(len(value["actions"])):
        _act(run, ("actions", index), value["actions"][index])
        if run.has_failed:
            return


def _check_head(run: _Run, root: Document) -> None:
    value = run.overlay.value
    version = value.get("overlay")
    if not isinstance(version, str):
        run.report("TC740", "Not an overlay: there is no `overlay` with its version", ("overlay",))
    elif not _VERSION.fullmatch(version):
        message = f"The version {shown(version)} of overlays is not read"
        run.report("TC740", message, ("overlay",), "write the overlay in version 1.0.0")
    if not is_object(value.get("info")):
        run.report("TC740", "`info` is not an object", ("info",))
    actions = value.get("actions")
    if not is_array(actions) or not actions:
        run.report("TC740", "`actions` is not an array of one action or more", ("actions",))
    _check_known(run, value, (), _KNOWN)
    extends = value.get("extends")
    if extends is not None:
        _check_extends(run, extends, root)


def _check_extends(run: _Run, extends: Any, root: Document) -> None:
    if not isinstance(extends, str):
        run.report("TC740", "`extends` is not a string", ("extends",))
    elif not re.match(
        r"[A-Za-z][A-Za-z0-9+.-]*:|//", extends
    ):  # an address names where it came from
        name = extends.partition("#")[0]
        if (run.overlay.path.parent / name).resolve() != root.path:
            message = (
                f"The overlay extends {shown(extends)}, which is not the charter's description"
            )
            hint = f"write {shown(root.path.name)}, or leave `extends` out"
            run.report("TC740", message, ("extends",), hint)


def _check_known(run: _Run, value: Any, steps: tuple[Step, ...], known: Iterable[str]) -> None:
    for key in value:
        if key not in known and not key.startswith("x-"):
            run.report("TC740", f"{shown(key)} is not known here", (*steps, key))


def _act(run: _Run, steps: tuple[Step, ...], action: Any) -> None:
    if not is_object(action):
        run.report("TC740", "An action is not an object", steps)
        return
    _check_known(run, action, steps, _KNOWN_OF_ACTION)
    target, removes = action.get("target"), action.get("remove", False)
    if not isinstance(target, str):
        run.report("TC740", "An action has no `target`, or it is not a string", (*steps, "target"))
    if not isinstance(removes, bool):
        run.report("TC740", "`remove` is not true or false", (*steps, "remove"))
    if "update" not in action and removes is False:
        run.report("TC740", "An action neither updates nor removes anything", steps)
    if run.has_failed or not isinstance(target, str):
        return
    selected = _select(run, (*steps, "target"), target)
    if not selected:
        return
    try:
        if removes:
            _remove(run, (*steps, "target"), selected)
        else:
            _update(run, (*steps, "update"), action["update"], selected)
    except TooMuchError:
        message = f"Overlays add more than {MAX_ALIASED_NODES:,} values"
        run.report("TC740", message, (*steps, "update"), "write a narrower target")


def _select(run: _Run, steps: tuple[Step, ...], target: str) -> list[tuple[Step, ...]]:
    try:
        selected = matches(target, run.patch.value)
    except PathError as error:
        run.report("TC740", f"Not a JSONPath: {error}", steps, "see RFC 9535")
        return []
    if not selected:
        hint = "mend the path, or remove the action"
        message = f"The target {shown(target)} matches nothing"
        run.report("TC741", message, steps, hint, "warning")
    return selected


def _remove(run: _Run, at: tuple[Step, ...], selected: list[tuple[Step, ...]]) -> None:
    by_parent: dict[int, tuple[Any, list[Step]]] = {}
    for steps in selected:
        if not steps:
            hint = "name a part of the description"
            run.report("TC740", "The description itself cannot be removed", at, hint)
            return
        parent = value_at(run.patch.value, steps[:-1])
        by_parent.setdefault(id(parent), (parent, []))[1].append(steps[-1])
    for parent, members in by_parent.values():
        run.patch.remove(parent, members)


def _update(run: _Run, at: tuple[Step, ...], update: Any, selected: list[tuple[Step, ...]]) -> None:
    targets = [value_at(run.patch.value, steps) for steps in selected]
    for target in targets:
        try:
            run.patch.update(target, update, Anchor(run.overlay, at))
        except MisfitError as error:
            hint = "an object fits an object, an array an array, and any value the end of an array that is the target"
            message = "The update does not fit what stands there"
            run.report("TC740", message, error.anchor.steps, hint)
            return
    if any(
        find_too_deep(target, MAX_DEPTH - len(steps)) is not None
        for steps, target in zip(selected, targets, strict=True)
    ):
        run.report("TC716", f"More than {MAX_DEPTH} levels of objects and arrays", at, "flatten it")
