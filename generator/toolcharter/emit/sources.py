"""The lines of a header that a reviewer looks up: the operation and the charter's entry."""

from __future__ import annotations

from toolcharter_runtime.frozen import Contract

from ._environment import Code, remark

__all__ = ["sources_of"]


def sources_of(contract: Contract) -> tuple[Code, ...]:
    """Return the two lines below the marker; from the frozen contract, so that a kept version has them too."""
    return (
        remark(f"description: {contract.operation}"),
        remark(f"charter: tools.{contract.tool}, version {contract.version}"),
    )
