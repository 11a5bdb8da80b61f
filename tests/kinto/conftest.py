"""A real Kinto server, started from its own environment; where it cannot be, the tests fail and are not skipped."""

import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / ".venv-servers" / "bin" / "kinto"
STARTING_SECONDS = 60


@dataclass(frozen=True)
class Kinto:
    """A running server and who speaks to it."""

    url: str
    user: str = "desk"
    password: str = "local-test-only"

    def client(self) -> httpx2.Client:
        """Return a bare client, to look behind the package's back."""
        return httpx2.Client(base_url=self.url, auth=(self.user, self.password), timeout=10)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def await_answer(process: subprocess.Popen[str], url: str) -> None:
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"Kinto ended: {process.communicate()[1]}")
        try:
            if httpx2.get(f"{url}/__heartbeat__", timeout=2).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise TimeoutError("Kinto does not answer")


@pytest.fixture(scope="session")
def kinto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kinto]:
    """Start the server in memory on a free port."""
    assert COMMAND.is_file(), "no Kinto: run `make test`, which builds .venv-servers"
    port = free_port()
    settings = (ROOT / "tests" / "servers" / "kinto.ini").read_text("utf-8")
    ini = tmp_path_factory.mktemp("kinto") / "kinto.ini"
    ini.write_text(settings.replace("%(http_port)s", str(port)).replace("%%", "%"), "utf-8")
    process = subprocess.Popen(
        [str(COMMAND), "start", "--ini", str(ini)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    url = f"http://127.0.0.1:{port}/v1"
    try:
        await_answer(process, url)
        yield Kinto(url)
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.fixture
def tenant(kinto: Kinto) -> str:
    """Make a bucket of its own for the test, with an empty collection of contacts; its name is the tenant's."""
    name = f"t{uuid.uuid4().hex[:12]}"
    with kinto.client() as client:
        client.put(f"/buckets/{name}").raise_for_status()
        client.put(f"/buckets/{name}/collections/contacts").raise_for_status()
    return name
