"""Models as a package holds them: written beside their frozen contract, and imported."""

from __future__ import annotations

import importlib
import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from toolcharter.emit.freezing import frozen_text
from toolcharter.emit.models import contract_texts
from toolcharter_runtime.frozen import Contract

__all__ = ["load", "text_of"]

_FOLDER = TemporaryDirectory(prefix="toolcharter-models-")
_NUMBERS = count()
sys.path.append(_FOLDER.name)


def text_of(contract: Contract) -> str:
    ((_, text),) = contract_texts([contract])
    return text


def load(contract: Contract, text: str) -> ModuleType:
    """Return the module of a contract's models, in a package of its own."""
    package = f"toolcharter_models_{next(_NUMBERS)}"
    folder = Path(_FOLDER.name) / package
    name = contract.id.replace(".", "_")
    for path, inside in {
        folder / "__init__.py": "",
        folder / "contracts" / "__init__.py": "",
        folder / "contracts" / f"{name}.py": text,
        folder / "catalog" / f"{contract.id}.json": frozen_text(contract),
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(inside, "utf-8")
    importlib.invalidate_caches()
    return importlib.import_module(f"{package}.contracts.{name}")
