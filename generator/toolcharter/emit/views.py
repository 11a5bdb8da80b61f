"""What each template is given: frozen, made of code, text, booleans and tuples, so that a template decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from ._environment import Code

__all__ = [
    "AttributeView",
    "ContractView",
    "ErrorView",
    "ErrorsView",
    "FactView",
    "FieldView",
    "HandbookView",
    "ModelView",
    "PackageView",
    "RoleView",
    "RowView",
    "ToolView",
    "WriteView",
]


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of a model."""

    name: Code
    annotation: Code
    default: Code
    has_default: bool
    text: str
    has_text: bool


@dataclass(frozen=True, slots=True)
class ModelView:
    """One class of a contract."""

    name: Code
    ancestor: Code
    text: str
    has_text: bool
    contract: Code
    """Whose frozen schema judges its values, e.g. `get_customer.v1`; empty for a part of another model."""
    has_contract: bool
    is_open: bool
    """It takes fields that it does not list."""
    fields: tuple[FieldView, ...]
    is_empty: bool


@dataclass(frozen=True, slots=True)
class ContractView:
    """`contracts/<tool>_v<N>.py`."""

    sources: tuple[Code, ...]
    text: str
    imports: tuple[Code, ...]
    names: tuple[Code, ...]
    models: tuple[ModelView, ...]


@dataclass(frozen=True, slots=True)
class FactView:
    """One keyword of a declaration."""

    name: Code
    value: object


@dataclass(frozen=True, slots=True)
class ToolView:
    """`tools/<tool>_v<N>.py`."""

    sources: tuple[Code, ...]
    text: str
    kind: Code
    module: Code
    tool: str
    version: int
    arguments: Code
    result: Code
    error: Code
    facts: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class ErrorView:
    """The codes that one tool may return: those of every read or write, and further ones of its own."""

    name: Code
    codes: Code


@dataclass(frozen=True, slots=True)
class ErrorsView:
    """`errors.py`."""

    sources: tuple[Code, ...]
    imports: tuple[Code, ...]
    errors: tuple[ErrorView, ...]
    names: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class AttributeView:
    """One tool as an attribute of the catalog."""

    name: Code
    module: Code


@dataclass(frozen=True, slots=True)
class PackageView:
    """`__init__.py`, the bare modules, and `pyproject.toml`."""

    sources: tuple[Code, ...]
    text: str
    package: Code
    distribution: Code
    catalog: Code
    attributes: tuple[AttributeView, ...]
    modules: tuple[Code, ...]
    roles: tuple[str, ...]
    has_roles: bool


@dataclass(frozen=True, slots=True)
class RowView:
    """One tool in a table: its name in the charter, its heading further down, its text, and who approves it."""

    name: Code
    anchor: Code
    text: str
    approval: Code


@dataclass(frozen=True, slots=True)
class RoleView:
    """What one role may do."""

    name: Code
    purposes: str
    reads: tuple[RowView, ...]
    writes: tuple[RowView, ...]
    has_reads: bool
    has_writes: bool


@dataclass(frozen=True, slots=True)
class WriteView:
    """One write, for the people who answer for it: labels and what stands beside them."""

    name: Code
    text: str
    facts: tuple[tuple[str, Code], ...]


@dataclass(frozen=True, slots=True)
class HandbookView:
    """`TOOLS.md`."""

    package: Code
    roles: tuple[RoleView, ...]
    writes: tuple[WriteView, ...]
    hidden: tuple[RowView, ...]
    has_writes: bool
    has_hidden: bool
