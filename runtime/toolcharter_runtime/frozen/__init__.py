"""The frozen contract of one tool version: all that the boundary needs to carry a call.

The generator writes one of these as JSON under a package's `catalog/`; the boundary runs from it and from nothing else.
It is closed: schemas lie inside, and there is no way back to the description or the charter. Strings called
*template*, *place* and *condition* are in the charter's little language (`toolcharter_runtime.language`).
"""

from __future__ import annotations

from .answer import AnswerRule, Money, Page, Success, View, ViewField
from .contract import Claim, Contract, InputUse, Limits, Timeout
from .part import Condition, Names, Schema, Template
from .policy import ApprovalRow, Policy
from .reads import Check, NativePreview, Read, Resolver, Target
from .request import (
    Auth,
    Binding,
    Body,
    Carried,
    Encoding,
    Key,
    KindShape,
    Parameter,
    Request,
    Shape,
)
from .terms import (
    Change,
    Compensation,
    Evidence,
    Follow,
    Idempotency,
    StateRule,
    Unknown,
    WriteTerms,
)

__all__ = [
    "AnswerRule",
    "ApprovalRow",
    "Auth",
    "Binding",
    "Body",
    "Carried",
    "Change",
    "Check",
    "Claim",
    "Compensation",
    "Condition",
    "Contract",
    "Encoding",
    "Evidence",
    "Follow",
    "Idempotency",
    "InputUse",
    "Key",
    "KindShape",
    "Limits",
    "Money",
    "Names",
    "NativePreview",
    "Page",
    "Parameter",
    "Policy",
    "Read",
    "Request",
    "Resolver",
    "Schema",
    "Shape",
    "StateRule",
    "Success",
    "Target",
    "Template",
    "Timeout",
    "Unknown",
    "View",
    "ViewField",
    "WriteTerms",
]
