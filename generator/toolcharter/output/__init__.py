"""Files against disk → a plan; the plan → the disk, whole or not at all."""

from .drift import Drift, find_drift
from .lockfile import Lock, read_lock
from .plan import Plan, Step, plan_output
from .write import BusyError, exclusive, write_plan, write_plans

__all__ = [
    "BusyError",
    "Drift",
    "Lock",
    "Plan",
    "Step",
    "exclusive",
    "find_drift",
    "plan_output",
    "read_lock",
    "write_plan",
    "write_plans",
]
