"""The service, running: on a thread of this process, or in the foreground."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

from starlette.applications import Starlette

from upstreams.crm.app import Crm, application
from upstreams.crm.control import Control, control_routes
from upstreams.crm.database import Database
from upstreams.crm.seed import seed
from upstreams.serving import Listener

__all__ = ["TOKEN", "CrmServer", "build"]

TOKEN: Final = "crm-local-token"
"""The bearer token that the service takes, unless told another."""


def build(path: str, token: str) -> tuple[Crm, Starlette]:
    """Return the state over a database file, seeded if it is new, and its application."""
    crm = Crm(Database(path), token)
    if crm.database.one("SELECT id FROM customers") is None:
        seed(crm.database)
    return crm, application(crm, control_routes(crm))


class CrmServer:
    """The service on a free port of the loopback interface, while the block lasts."""

    def __init__(self, path: str = ":memory:", *, token: str = TOKEN, port: int = 0) -> None:
        self.token = token
        self._crm, app = build(path, token)
        self._listener = Listener(app, port=port)

    @property
    def url(self) -> str:
        """The base URL."""
        return self._listener.url

    @property
    def control(self) -> Control:
        """What asks the ledger and for faults."""
        return Control(self.url)

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
        self._crm.database.close()
