"""`tools/<tool>_v<N>.py` and `errors.py`: one declaration a tool, and the codes that each may return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from toolcharter.naming import class_name, module_name
from toolcharter_runtime.codes import ErrorCode, ReadCode, WriteCode
from toolcharter_runtime.declare import facts_of
from toolcharter_runtime.frozen import Contract

from ._environment import Code, identifier, render
from .sources import sources_of
from .spelling import literal
from .views import ErrorsView, ErrorView, FactView, ToolView

__all__ = ["declaration_text", "errors_text"]


def declaration_text(contract: Contract) -> str:
    """Return the module that declares a tool's version; its facts are those of the frozen contract."""
    module = module_name(contract.tool, contract.version)
    tool = class_name(contract.tool)
    view = ToolView(
        sources=sources_of(contract),
        text=contract.description,
        kind=Code("ReadTool" if contract.effect == "read" else "WriteTool"),
        module=identifier(module),
        tool=contract.tool,
        version=contract.version,
        arguments=identifier(f"{tool}Arguments"),
        result=identifier(f"{tool}Result"),
        error=identifier(f"{tool}Error"),
        facts=tuple(FactView(identifier(k), v) for k, v in facts_of(contract).items()),
    )
    return render("tools/declaration.py.j2", view)


def errors_text(contracts: Iterable[Contract]) -> str:
    """Return `errors.py`: for each tool the codes that any of its versions may return."""
    versions: dict[str, list[Contract]] = {}
    for contract in contracts:
        versions.setdefault(f"{class_name(contract.tool)}Error", []).append(contract)
    codes = {name: _codes(versions[name]) for name in sorted(versions)}
    typing = [*(["Literal"] if any(more for _, more in codes.values()) else []), "TypeAlias"]
    groups = sorted({group for group, _ in codes.values()})
    view = ErrorsView(
        sources=(),
        imports=(
            Code(f"from typing import {', '.join(typing)}"),
            Code(""),
            Code(f"from toolcharter_runtime.codes import {', '.join(groups)}"),
        ),
        errors=tuple(ErrorView(identifier(name), _spelled(*codes[name])) for name in codes),
        names=tuple(map(identifier, codes)),
    )
    return render("package/errors.py.j2", view)


def _codes(versions: Iterable[Contract]) -> tuple[str, tuple[str, ...]]:
    """Return the group of codes that a tool's calls have, and those that it has beside them, in the table's order."""
    found: set[str] = set()
    is_write = False
    for contract in versions:
        found.update(rule.code for rule in contract.answers if rule.code is not None)
        if contract.write is not None:
            is_write = True
            found |= {"PREVIEW_UNAVAILABLE"} if contract.write.preview is not None else set()
    group, known = ("WriteCode", WriteCode) if is_write else ("ReadCode", ReadCode)
    further = found.difference(get_args(known))
    return group, tuple(code for code in get_args(ErrorCode) if code in further)


def _spelled(group: str, further: tuple[str, ...]) -> Code:
    return Code(f"Literal[{', '.join([group, *map(literal, further)])}]" if further else group)
