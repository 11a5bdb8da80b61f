"""The customer service on a free port, as it is seeded, and a bare client of it."""

from collections.abc import Iterator

import httpx2
import pytest

from upstreams.crm import CrmServer


@pytest.fixture(scope="session")
def running_crm() -> Iterator[CrmServer]:
    with CrmServer() as crm:
        yield crm


@pytest.fixture
def crm(running_crm: CrmServer) -> CrmServer:
    running_crm.control.reset()
    running_crm.control.move_exports(seconds=None)
    return running_crm


@pytest.fixture
def client(crm: CrmServer) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {crm.token}"}
    with httpx2.Client(base_url=crm.url, headers=headers, timeout=5) as opened:
        yield opened
