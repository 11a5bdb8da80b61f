"""The first stage: a description's text, its places, and one shape for every version of OpenAPI."""

from .description import Description, load_description
from .document import Anchor, Document
from .load import load_document
from .operation import (
    LOOSE_NULL,
    BodySpec,
    EncodingSpec,
    Operation,
    OperationKey,
    ParameterSpec,
    ResponseSpec,
    Schema,
    SecurityScheme,
    SourceFile,
)

__all__ = [
    "LOOSE_NULL",
    "Anchor",
    "BodySpec",
    "Description",
    "Document",
    "EncodingSpec",
    "Operation",
    "OperationKey",
    "ParameterSpec",
    "ResponseSpec",
    "Schema",
    "SecurityScheme",
    "SourceFile",
    "load_description",
    "load_document",
]
