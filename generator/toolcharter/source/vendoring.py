"""The text of a vendored description: the slice that a charter reaches, and where it came from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolcharter.diagnostics import Staged, failed

from .description import Description
from .json_text import read_json
from .slice import build_slice
from .writing import write_json, write_yaml
from .yaml_text import read_yaml

__all__ = ["PROVENANCE", "vendored_text"]

PROVENANCE: Final = "x-toolcharter-vendored"
"""Member of a vendored description's root: source, sha256 of the source's bytes, and its version if one is known."""


def vendored_text(
    description: Description,
    operations: Iterable[str],
    *,
    source: str,
    version: str | None = None,
    as_yaml: bool = False,
) -> Staged[str]:
    """Return the slice as JSON or YAML text; no value where an operation or reference is missing."""
    built = build_slice(description, operations)
    if built.findings:
        return Staged(None, tuple(dict.fromkeys(built.findings)))
    provenance: dict[str, str] = {"source": source, "sha256": description.root.sha256}
    if version is not None:
        provenance["version"] = version
    value: dict[str, Any] = {}
    for key, part in built.value.items():
        value[key] = part
        if key == "info":
            value[PROVENANCE] = provenance
    text = write_yaml(value) if as_yaml else write_json(value)
    read: Any = read_yaml(text).value if as_yaml else read_json(text)
    if read != value:
        origin = description.root.origin()
        return failed("TC729", "The slice cannot be written as YAML", origin, "write a .json file")
    return Staged(text)
