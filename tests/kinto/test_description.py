"""What is committed is the slice of what the server serves."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kinto.conftest import ROOT, Kinto

pytestmark = pytest.mark.xdist_group("kinto")


def test_committed_slice_is_what_the_server_serves(kinto: Kinto, tmp_path: Path) -> None:
    served, sliced = tmp_path / "served.json", tmp_path / "kinto.swagger2.json"
    with kinto.client() as client:
        # The description names the host that was asked for.
        served.write_bytes(client.get("/__api__", headers={"Host": "localhost:8888"}).content)
    command = [
        str(Path(sys.executable).with_name("toolcharter")), "vendor", str(served), "--out", str(sliced),
        "--charter", str(ROOT / "specs" / "kinto" / "charter.yaml"), "--name", "Kinto /v1/__api__",
        "--source-version", "26.5.0",
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    assert sliced.read_bytes() == (ROOT / "specs" / "kinto" / "kinto.swagger2.json").read_bytes()
