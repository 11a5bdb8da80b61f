"""What a contract rests on: proved from the description, declared by it, or attested in writing (docs/charter.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from toolcharter.charter.places import escape
from toolcharter.charter.schema import Attestation, Charter, ToolSpec
from toolcharter_runtime.frozen import Claim

from .findings import Findings, tool_pointer

__all__ = ["Ledger"]

Grade = Literal["proved", "declared", "attested"]


@dataclass(slots=True)
class Ledger:
    """The claims of one tool, and which attestations of the charter it used."""

    charter: Charter
    tool: str
    spec: ToolSpec
    findings: Findings
    used_defaults: set[str]
    """Keys of `defaults.attest` that some tool used; shared by all tools."""
    claims: dict[str, Claim] = field(default_factory=dict[str, Claim])
    _used: set[str] = field(default_factory=set[str])
    _missing: set[str] = field(default_factory=set[str])

    def state(self, claim: str, grade: Grade, because: str | None = None) -> None:
        """Record a claim that needs no attestation."""
        self.claims[claim] = Claim(claim=claim, grade=grade, because=because)

    def has(self, key: str) -> bool:
        """Say whether the charter attests the key, for this tool or for all, without using it."""
        return self._attestation(key) is not None

    def attested(self, key: str, claim: str) -> bool:
        """Use the attestation of a key, if there is one."""
        found = self._attestation(key)
        if found is None:
            return False
        name, attestation = found
        if name in self.spec.attest:
            self._used.add(name)
        else:
            self.used_defaults.add(name)
        parts = [attestation.because, attestation.source, str(attestation.on or "") or None]
        self.state(claim, "attested", "; ".join(part for part in parts if part))
        return True

    def need(self, key: str, claim: str, why: str, pointer: str | None = None) -> None:
        """Use the attestation of a key, or report the line that is missing."""
        if self.attested(key, claim) or key in self._missing:
            return
        self._missing.add(key)
        self.findings.error(
            "TC540",
            f"{why}: attest it, or let the description say it",
            pointer or tool_pointer(self.tool),
            f"add under tools.{self.tool}:  attest: {{{_quoted(key)}: DECIDE}}",
        )

    def report_unused(self) -> None:
        """Report the tool's own attestations that no claim needed."""
        for name in self.spec.attest:
            if name not in self._used:
                message = f"nothing of {self.tool} needs the attestation `{name}`"
                pointer = tool_pointer(self.tool, "attest") + "/" + escape(name)
                self.findings.error("TC541", message, pointer, "remove it")

    def _attestation(self, key: str) -> tuple[str, Attestation] | None:
        for source in (self.spec.attest, self.charter.defaults.attest):
            for name, attestation in source.items():
                if _same(name, key):
                    return name, attestation
        return None


def _same(name: str, key: str) -> bool:
    if name.startswith("header.") and key.startswith("header."):
        return name.lower() == key.lower()
    return name == key


def _quoted(key: str) -> str:
    return f'"{key}"' if any(character in key for character in " :{}[],#*") else key
