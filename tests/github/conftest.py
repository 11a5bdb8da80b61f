"""A small GitHub on a free port, as it begins."""

from collections.abc import Iterator

import pytest

from upstreams.github import GitHubServer


@pytest.fixture(scope="session")
def running_github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


@pytest.fixture
def github(running_github: GitHubServer) -> GitHubServer:
    running_github.reset()
    return running_github
