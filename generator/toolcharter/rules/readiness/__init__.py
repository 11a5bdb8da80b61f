"""How far each operation of a description is from being a tool, asked without any charter, by the rules' own codes."""

from .assess import OperationReadiness, Readiness, Status, assess
from .words import KINDS, Kind, Word, mend_of

__all__ = [
    "KINDS",
    "Kind",
    "OperationReadiness",
    "Readiness",
    "Status",
    "Word",
    "assess",
    "mend_of",
]
