"""What the desk says when it does nothing: a code, the words, and the exit code (0 done, 1 refused, 2 usage, 3 bug)."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

import click

from toolcharter_runtime.approvers import ApproversError
from toolcharter_runtime.desk.escape import plain
from toolcharter_runtime.records import Refused
from toolcharter_runtime.signing import KeyFileError
from toolcharter_runtime.store import StoreError

__all__ = ["DeskError", "guarded", "refusal", "usage"]

P = ParamSpec("P")
R = TypeVar("R")

_REFUSALS: Final[dict[str, tuple[str, str]]] = {
    "not_found": ("PROPOSAL_NOT_FOUND", "There is no such proposal for this tenant."),
    "changed": ("PROPOSAL_CHANGED", "The digest is not that of the proposal: show it again."),
    "pending": (
        "DESK_NOT_APPROVED",
        "Nothing was approved that could be withdrawn: deny it instead.",
    ),
    "decided": ("DESK_ALREADY_DECIDED", "It has been decided already."),
    "denied": ("DESK_ALREADY_DECIDED", "It has been denied already."),
    "withdrawn": ("DESK_ALREADY_DECIDED", "It has been withdrawn already."),
    "expired": ("APPROVAL_EXPIRED", "It has expired: a new proposal is needed."),
    "consumed": ("DESK_CONSUMED", "It has been committed already."),
    "repeated": (
        "DESK_ALREADY_DECIDED",
        "You have approved it already; somebody else must as well.",
    ),
}


class DeskError(click.ClickException):
    """A refusal with its code; exit code 1."""

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def show(self, file: Any = None) -> None:
        """Print `error: CODE: message` on standard error."""
        click.echo(f"error: {self.code}: {plain(self.message)}", file=file or sys.stderr)


class _Usage(DeskError):
    exit_code = 2


class _Bug(DeskError):
    exit_code = 3


def refusal(refused: Refused) -> DeskError:
    """Return what the store's refusal means at the desk."""
    code, message = _REFUSALS.get(refused.reason, ("DESK_REFUSED", "The store refused it."))
    return DeskError(code, message)


def usage(code: str, message: str) -> DeskError:
    """Return an error of usage or unreadable input; exit code 2."""
    return _Usage(code, message)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what a command may meet into coded errors; an unexpected exception shows no text of its own."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (StoreError, KeyFileError, ApproversError) as error:
            raise usage(error.code, str(error)) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
                raise usage("DESK_NOT_TEXT", "What was given is not Unicode text.") from None
            if os.environ.get("TOOLCHARTER_DEBUG"):
                raise
            where = f"{type(error).__name__}; set TOOLCHARTER_DEBUG=1 to see where"
            raise _Bug("INTERNAL", f"This should not happen: {where}") from None

    return run
