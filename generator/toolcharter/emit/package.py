"""What a package is made of: frozen contracts, current and kept, and what the charter says of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcharter.resolve import ResolvedApi
from toolcharter_runtime.frozen import Contract

__all__ = ["Package", "package_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package to emit. All that it says of a tool is in the contracts."""

    name: str
    """Import name, e.g. `crm_tools`."""
    current: tuple[Contract, ...]
    """The newest version of each tool, in the order of names."""
    kept: tuple[Contract, ...] = ()
    """Older versions that stay callable, from their frozen JSON."""
    sunsets: Mapping[str, str] = field(default_factory=dict[str, str])
    """Registry id of a kept version → ISO date."""
    roles: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[str, Mapping[str, tuple[str, ...]]]
    )
    """Role → `reads` and `writes` by tool name, `purposes`."""
    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Schema of what an application states when it opens a run; empty if nothing."""
    notes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Tool name → what else lands in the snapshot: rules that are silenced, changes that are acknowledged."""

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """All versions, by name and number."""
        return tuple(sorted((*self.current, *self.kept), key=lambda c: (c.tool, c.version)))


def package_of(api: ResolvedApi, kept: tuple[Contract, ...]) -> Package:
    """Return the package of a resolved charter; what is left of the charter here is what concerns all tools."""
    charter = api.charter
    current = tuple(tool.contract for tool in api.tools)
    readable = tuple(c.tool for c in current if c.effect == "read" and not c.hidden)
    return Package(
        name=api.package,
        current=tuple(sorted(current, key=lambda c: c.tool)),
        kept=kept,
        sunsets={
            f"{name}.v{number}": day.isoformat()
            for name, spec in charter.tools.items()
            for number, day in spec.still_callable.items()
        },
        roles={
            name: {
                "reads": readable if role.reads == ("all",) else role.reads,
                "writes": role.writes,
                "purposes": role.purposes,
            }
            for name, role in charter.roles.items()
        },
        context=_context({k: spec.schema_keywords() for k, spec in charter.context.items()}),
        notes={name: _notes(spec.model_dump(mode="json")) for name, spec in charter.tools.items()},
    )


def _context(keywords: Mapping[str, Any]) -> dict[str, Any]:
    if not keywords:
        return {}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": dict(keywords),
        "required": sorted(keywords),
    }


def _notes(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {name: spec[name] for name in ("silence", "acknowledge") if spec.get(name)}
