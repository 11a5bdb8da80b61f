"""`contracts/<tool>_v<N>.py`: the models of all tools in as few calls of the generator as their names allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolcharter_runtime.frozen import Contract

from ._environment import Code, identifier, render
from .contracts import write_models
from .modules import ModelSource, read_models
from .shapes import Shape, Shapes, shape_contract
from .sources import sources_of
from .views import ContractView, FieldView, ModelView

__all__ = ["contract_texts"]

_IMPORTS = (
    ("datetime", ("date",)),
    ("typing", ("Annotated", "Literal", "Union")),
    ("uuid", ("UUID",)),
    ("", ()),
    ("pydantic", ("MISSING", "AwareDatetime", "ConfigDict", "Field", "JsonValue")),
    ("toolcharter_runtime.contract", ("ToolArguments", "ToolResult")),
)
"""In the order of isort: the standard library, an empty line, the rest."""


def contract_texts(contracts: Iterable[Contract]) -> Iterator[tuple[Contract, str]]:
    """Yield each contract with the Python of its models."""
    for batch in _batches(contracts):
        models: dict[str, Shape] = {}
        for _, shapes in batch:
            models |= shapes.models
        expected = {
            name: "ToolResult" if shape.is_result else "ToolArguments"
            for name, shape in models.items()
            if shape.is_model
        }
        read = read_models(write_models(models), expected)
        for contract, shapes in batch:
            own = [model for model in read if model.name in shapes.models]
            yield contract, render("contracts/module.py.j2", _view(contract, own, shapes))


def _batches(contracts: Iterable[Contract]) -> list[list[tuple[Contract, Shapes]]]:
    """Share the contracts out so that no two in a batch have a model of one name."""
    batches: list[list[tuple[Contract, Shapes]]] = []
    taken: list[set[str]] = []
    for contract in contracts:
        shapes = shape_contract(contract)
        for batch, names in zip(batches, taken, strict=True):
            if names.isdisjoint(shapes.models):
                batch.append((contract, shapes))
                names.update(shapes.models)
                break
        else:
            batches.append([(contract, shapes)])
            taken.append(set(shapes.models))
    return batches


def _view(contract: Contract, models: list[ModelSource], shapes: Shapes) -> ContractView:
    roots = (shapes.arguments, shapes.result)
    views = tuple(
        _model(model, shapes.models[model.name], contract.id if model.name in roots else "")
        for model in models
    )
    uses = {name for model in models for name in (*model.uses, model.base)}
    if any(view.is_open for view in views):
        uses.add("ConfigDict")
    return ContractView(
        sources=sources_of(contract),
        text=f"What `{contract.tool}`, version {contract.version}, takes and returns.",
        imports=tuple(_imports(uses)),
        names=tuple(sorted(view.name for view in views)),
        models=views,
    )


def _imports(uses: set[str]) -> Iterator[Code]:
    is_first = True
    for module, names in _IMPORTS:
        if not module and not is_first:
            yield Code("")
        used = [name for name in names if name in uses]
        if used:
            is_first = False
            yield Code(f"from {module} import {', '.join(used)}")


def _model(model: ModelSource, shape: Shape, contract: str) -> ModelView:
    return ModelView(
        name=identifier(model.name),
        ancestor=identifier(model.base),
        text=_clean(model.text),
        has_text=bool(model.text.strip()),
        contract=Code(contract),
        has_contract=bool(contract),
        is_open=shape.is_open,
        fields=tuple(
            FieldView(
                name=identifier(field.name),
                annotation=Code(field.annotation),
                default=Code(field.default),
                has_default=bool(field.default),
                text=_clean(field.text),
                has_text=bool(field.text.strip()),
            )
            for field in model.fields
        ),
        is_empty=not model.fields and not model.text.strip(),
    )


def _clean(text: str) -> str:
    return " ".join(text.split())
