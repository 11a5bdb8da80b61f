"""Tools → files: contracts through datamodel-code-generator, everything else through templates; never touches the disk."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from toolcharter.artifact import Artifact
from toolcharter.naming import class_name, module_name
from toolcharter_runtime.frozen import Contract

from ._environment import Code, identifier, render
from ._format import format_python
from .catalog import snapshot
from .freezing import frozen_text, json_text, refreeze
from .handbook import handbook_text
from .lock import lock_text, sha256_text
from .models import contract_texts
from .package import Package, package_of
from .tools import declaration_text, errors_text
from .views import AttributeView, PackageView

__all__ = [
    "Artifact",
    "Package",
    "emit",
    "frozen_text",
    "package_of",
    "refreeze",
    "sha256_text",
]

LOCK = "toolcharter.lock"


def emit(package: Package, inputs: Mapping[str, str]) -> tuple[Artifact, ...]:
    """Return every file of a package in the order of paths, and the lock over them last.

    Contracts are taken as their JSON gives them back, so that a fresh one and a kept one are written alike.
    """
    package = replace(
        package,
        current=tuple(map(refreeze, package.current)),
        kept=tuple(map(refreeze, package.kept)),
    )
    files = dict(_files(package))
    python = {path: text for path, (text, _) in files.items() if path.suffix == ".py"}
    formatted = format_python(python)
    artifacts = tuple(
        Artifact(path, formatted.get(path, text), owner)
        for path, (text, owner) in sorted(files.items())
    )
    lock = PurePosixPath(package.name, "catalog", LOCK)
    return (*artifacts, Artifact(lock, lock_text(package, artifacts, inputs), "package"))


def _files(package: Package) -> Iterator[tuple[PurePosixPath, tuple[str, str]]]:
    home = PurePosixPath(package.name)
    for contract, text in contract_texts(package.contracts):
        module = f"{module_name(contract.tool, contract.version)}.py"
        yield home / "contracts" / module, (text, contract.id)
        yield home / "tools" / module, (declaration_text(contract), contract.id)
        yield home / "catalog" / f"{contract.id}.json", (frozen_text(contract), contract.id)
    view = _view(package)
    yield PurePosixPath("pyproject.toml"), (render("package/pyproject.toml.j2", view), "package")
    yield PurePosixPath("TOOLS.md"), (handbook_text(package), "package")
    yield home / "__init__.py", (render("package/init.py.j2", view), "package")
    yield home / "errors.py", (errors_text(package.contracts), "package")
    yield home / "py.typed", ("", "package")
    yield home / "catalog" / "catalog.json", (json_text(snapshot(package)), "package")
    for folder, text in (
        ("contracts", "The models of what each tool takes and returns."),
        ("tools", "One declaration a tool."),
    ):
        bare = render("package/bare.py.j2", replace(view, text=text))
        yield home / folder / "__init__.py", (bare, "package")


def _view(package: Package) -> PackageView:
    visible = [contract for contract in package.contracts if not contract.hidden]
    newest = {contract.tool: contract.version for contract in package.current}
    return PackageView(
        sources=(),
        text=f"The tool catalog `{package.name}`.",
        package=identifier(package.name),
        distribution=Code(identifier(package.name).replace("_", "-")),
        catalog=identifier(_catalog_name(package.name)),
        attributes=tuple(_attribute(contract, newest) for contract in visible),
        modules=tuple(identifier(module_name(c.tool, c.version)) for c in visible),
        roles=tuple(sorted(package.roles)),
        has_roles=bool(package.roles),
    )


def _catalog_name(package: str) -> str:
    name = class_name(package)
    return f"{name}Tools" if name in {"Catalog", "Role"} else name


def _attribute(contract: Contract, newest: Mapping[str, int]) -> AttributeView:
    """Return the newest version under the tool's own name, a kept one under its module's."""
    module = module_name(contract.tool, contract.version)
    is_newest = newest.get(contract.tool) == contract.version
    name = contract.tool if is_newest else module
    if keyword.iskeyword(name):
        name = f"{name}_"
    return AttributeView(identifier(name), identifier(module))
