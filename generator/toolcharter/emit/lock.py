"""`catalog/toolcharter.lock`: inputs, file digests and generator versions; the commit record of a generation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, cast

from toolcharter.artifact import Artifact
from toolcharter_runtime.catalog import contract_digest

from .contracts import GENERATOR
from .json_values import object_of
from .package import Package

__all__ = ["IR_VERSION", "TEMPLATE_VERSION", "lock_text", "sha256_text"]

IR_VERSION = 1
"""Raised when a frozen contract can come out otherwise for the same inputs."""
TEMPLATE_VERSION = 1
"""Raised when the text of a package can come out otherwise for the same contracts."""


def sha256_text(text: str) -> str:
    """Return `sha256:<hex>` of a text as it is written."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def lock_text(package: Package, artifacts: Iterable[Artifact], inputs: Mapping[str, str]) -> str:
    """Return the lock of a package; `inputs` are digests by path below the charter's folder.

    One entry a line, so that two people who regenerate meet in the lines of the tools that both changed.
    """
    contracts = {
        contract.id: {
            "digest": contract_digest(contract),
            "status": "kept" if contract in package.kept else "current",
            "frozen": f"{package.name}/catalog/{contract.id}.json",
        }
        for contract in package.contracts
    }
    files = {
        str(artifact.path): {"sha256": sha256_text(artifact.text), "owner": artifact.owner}
        for artifact in artifacts
    }
    sections: dict[str, Any] = {
        "contracts": contracts,
        "files": files,
        "generator": {
            "name": "toolcharter",
            "version": version("toolcharter"),
            "ir_version": IR_VERSION,
            "template_version": TEMPLATE_VERSION,
            GENERATOR: version(GENERATOR),
            "ruff": version("ruff"),
        },
        "inputs": dict(inputs),
        "lock_version": 1,
    }
    body = ",\n".join(f'  "{name}": {_section(value)}' for name, value in sections.items())
    return f"{{\n{body}\n}}\n"


def _section(value: object) -> str:
    if not isinstance(value, Mapping):
        return json.dumps(value)
    entries = object_of(cast("object", value))
    lines = (
        f"    {json.dumps(name)}: {json.dumps(entries[name], sort_keys=True)}"
        for name in sorted(entries)
    )
    inside = ",\n".join(lines)
    return f"{{\n{inside}\n  }}" if inside else "{}"
