"""A run: the tools of one role for one caller, called by name as a model does or by type as a programmer does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast, overload

from pydantic import BaseModel, ValidationError

from .calls.answering import Reply
from .calls.dispatch import OpenRun, dispatch
from .calls.proposed import Proposal
from .capability import BoundaryError
from .codes import ErrorCode
from .declare import Commit, Preview, ReadTool
from .envelope import Failure, Success
from .listing import ListedTool

__all__ = ["Run"]

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)
E = TypeVar("E", bound=str)


class Run:
    """An open run (D2); leaving its block does not end it: any process may resume it by its id."""

    def __init__(self, opened: OpenRun) -> None:
        self._opened = opened

    @property
    def id(self) -> str:
        """Return the id that `Boundary.resume` takes."""
        return self._opened.row.run_id

    def tools(self) -> tuple[ListedTool, ...]:
        """Return the tools that this run may call, in name order; no other name exists for it."""
        return self._opened.capability.tools

    @overload
    async def call(
        self, tool: str, arguments: Mapping[str, Any] | str | bytes, /
    ) -> Success[Any] | Failure[ErrorCode]: ...
    @overload
    async def call(self, tool: ReadTool[A, R, E], arguments: A, /) -> Success[R] | Failure[E]: ...
    @overload
    async def call(
        self, tool: Preview[A, E], arguments: A, /
    ) -> Success[Proposal] | Failure[E]: ...
    @overload
    async def call(
        self, tool: Commit[R, E], proposal: str | Proposal | Success[Proposal], /
    ) -> Success[R] | Failure[E]: ...
    async def call(self, tool: Any, arguments: Any, /) -> Any:
        """Call a tool and return its reply; no problem of a call is ever raised, only `BoundaryError` after closing.

        By name the arguments are a mapping or JSON text, and a result is plain JSON. By type they are the tool's own
        model, or for a commit the proposal or its id, and a result is the tool's own model.
        """
        calls = self._opened.parts.calls
        if calls.closed:
            raise BoundaryError("the boundary of this run is closed")
        with calls:
            return await self._call(tool, arguments)

    async def _call(self, tool: Any, arguments: Any) -> Any:
        if isinstance(tool, str):
            return await dispatch(self._opened, tool, arguments)
        if isinstance(tool, Commit):
            tool = cast("Commit[BaseModel, str]", tool)
            given = {"proposal_id": _proposal_id(arguments)}
            return _typed(await dispatch(self._opened, tool.id, given), tool.result)
        reply = await dispatch(self._opened, tool.id, _json_of(arguments))
        if isinstance(tool, Preview):
            if isinstance(reply, Failure):
                return reply
            return _with_result(reply, Proposal.from_json(reply.result))
        return _typed(reply, tool.result)


def _json_of(arguments: Any) -> Mapping[str, Any] | str:
    """Return a model's JSON; what is unset is absent (C3)."""
    if isinstance(arguments, BaseModel):
        value: dict[str, Any] = arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return value
    raise TypeError("a typed call takes the tool's own arguments; call by name with a mapping")


def _proposal_id(proposal: str | Proposal | Success[Proposal]) -> str:
    if isinstance(proposal, Success):
        proposal = proposal.result
    return proposal.proposal_id if isinstance(proposal, Proposal) else proposal


def _typed(reply: Reply, model: type[BaseModel]) -> Reply:
    if isinstance(reply, Failure):
        return reply
    return _with_result(reply, _model_of(model, reply.result))


def _model_of(model: type[BaseModel], value: Mapping[str, Any]) -> BaseModel:
    """Return the result's model; of a match that stands for a lost answer it may lack names."""
    from .canonical import canonical_bytes

    try:
        return model.model_validate_json(canonical_bytes(value))
    except ValidationError:
        return model.model_construct(**value)


def _with_result(reply: Success[Any], result: Any) -> Success[Any]:
    return Success(
        reply.status,
        reply.request_id,
        reply.run_id,
        reply.operation_id,
        result,
        reply.evidence,
    )
