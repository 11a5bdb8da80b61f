"""GitHub on a free port: routes from the description, paging by `Link`, and faults."""

from __future__ import annotations

import asyncio
import json
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from upstreams.faults import Fault, Faults
from upstreams.github.reads import READS, RefusedError, Sent
from upstreams.github.shapes import load_description
from upstreams.github.world import World
from upstreams.github.writes import WRITES, Answer
from upstreams.serving import CutResponse, Listener

__all__ = ["TOKEN", "GitHubServer"]

TOKEN: Final = "github-local-token"
"""The token that it takes."""
_SPANNING: Final = {"ref", "branch"}


class GitHubServer:
    """The server, while the block lasts; `world` is what it holds, `faults` what will go wrong."""

    def __init__(self) -> None:
        self.world = World()
        self.faults = Faults()
        self.token = TOKEN
        self.requests: list[tuple[str, str]] = []
        """Operation and path of each request, oldest first."""
        self._listener = Listener(Starlette(routes=[*self._routes()]))

    @property
    def url(self) -> str:
        """The base URL."""
        return self._listener.url

    def __enter__(self) -> Self:
        self._listener.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.__exit__(kind, error, trace)

    def reset(self) -> None:
        """Go back to the beginning."""
        self.world = World()
        self.faults.clear()
        self.requests.clear()

    def _routes(self) -> list[Route]:
        return [
            self._route(node["operationId"], method, path)
            for path, item in load_description()["paths"].items()
            for method, node in item.items()
            if method != "parameters"
        ]

    def _route(self, operation: str, method: str, path: str) -> Route:
        async def endpoint(request: Request) -> Response:
            raw = await request.body()
            self.requests.append((operation, request.url.path))
            try:
                return await self._answer(operation, request, raw)
            except RefusedError as refused:
                body = {
                    "message": refused.message,
                    "documentation_url": "https://docs.github.example/rest",
                    "status": str(refused.status),
                }
                return JSONResponse(body, refused.status)

        for name in _SPANNING:
            path = path.replace(f"{{{name}}}", f"{{{name}:path}}")
        return Route(path, endpoint, methods=[method.upper()])

    async def _answer(self, operation: str, request: Request, raw: bytes) -> Response:
        fault = self.faults.take(operation, request.url.path)
        if fault and fault.kind == "drop":
            return CutResponse()
        if fault and fault.kind == "unavailable":
            raise RefusedError(503, "Service unavailable")
        if fault and fault.kind == "rate_limited":
            return _limited(fault)
        if fault and fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
        sent = self._sent(request, raw)
        if operation in READS:
            return _paged(request, READS[operation](self.world, sent))
        return _after(fault, WRITES[operation](self.world, sent))

    def _sent(self, request: Request, raw: bytes) -> Sent:
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            raise RefusedError(401, "Bad credentials")
        if request.headers.get("X-GitHub-Api-Version", "2022-11-28") != "2022-11-28":
            raise RefusedError(400, "Not a supported version")
        if (request.path_params["owner"], request.path_params["repo"]) != (
            self.world.owner,
            self.world.repo,
        ):
            raise RefusedError(404, "Not Found")
        return {
            **request.path_params,
            **request.query_params,
            "body": json.loads(raw) if raw else {},
        }


def _limited(fault: Fault) -> Response:
    headers = {"Retry-After": fault.retry_after(), "X-RateLimit-Remaining": "0"}
    return JSONResponse(
        {"message": "You have exceeded a secondary rate limit"}, 403, headers=headers
    )


def _after(fault: Fault | None, answer: Answer) -> Response:
    status, body = answer
    if fault and fault.kind == "apply_then_drop":
        return CutResponse()
    if fault and fault.kind == "apply_then_500":
        raise RefusedError(500, "Server Error")
    return Response(status_code=status) if body is None else JSONResponse(body, status)


def _paged(request: Request, answer: dict[str, Any] | list[Any]) -> Response:
    """Cut the answer's list to one page and say in `Link` where the next one is, as GitHub does."""
    if isinstance(answer, list):
        rows, headers = _page(request, answer)
        return JSONResponse(rows, headers=headers)
    for name in ("check_runs", "workflow_runs"):
        if name in answer:
            rows, headers = _page(request, answer[name])
            return JSONResponse({"total_count": len(answer[name]), name: rows}, headers=headers)
    return JSONResponse(answer)


def _page(request: Request, rows: list[Any]) -> tuple[list[Any], dict[str, str]]:
    size = min(int(request.query_params.get("per_page", "30")), 100)
    page = int(request.query_params.get("page", "1"))
    if page * size >= len(rows):
        return rows[(page - 1) * size :], {}
    query = dict(request.query_params)
    following = request.url.replace(query=urlencode({**query, "page": page + 1}))
    last = request.url.replace(query=urlencode({**query, "page": -(-len(rows) // size)}))
    link = f'<{following}>; rel="next", <{last}>; rel="last"'
    return rows[(page - 1) * size : page * size], {"Link": link}
