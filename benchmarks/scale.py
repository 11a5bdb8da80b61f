"""What generating costs by the number of tools: 5, 20 and 100 of GitHub's description, and all of Stripe's.

`python -m benchmarks.scale FOLDER`, where the folder is laid out like a corpus. The charters are synthetic: each tool is an
operation with all that it takes, so the rules find much in them; they run, and stop nothing. Cold processes of the whole
pipeline, median seconds and largest peak.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.fidelity.charters import CEILINGS, plan_operation
from benchmarks.measure import cold
from benchmarks.report import Figure, show
from toolcharter import pipeline
from toolcharter.charter import load_charter
from toolcharter.diagnostics import Diagnostic
from toolcharter.resolve import resolve_api
from toolcharter.source import Description, load_description

__all__ = ["figures", "write_charter"]

_MIB: Final = 1024.0
_GITHUB: Final = "github-rest.json.gz"
_STRIPE: Final = "stripe.json.gz"
_COUNTS: Final = (5, 20, 100)
_BAR: Final = 5.0
"""100 tools take at most so many times the time of 5."""


def figures(corpus: Path, *, runs: int = 3) -> list[Figure]:
    """Measure each charter in processes of their own; ratios are to the first one's time."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        of_github, of_stripe = (_unpacked(corpus / name, work) for name in (_GITHUB, _STRIPE))
        github = _usable(of_github, _COUNTS[-1])
        charters = [
            (f"GitHub, {count} tools", _laid(work / f"g{count}", of_github, _spread(github, count)))
            for count in _COUNTS
        ]
        stripe = _usable(of_stripe, None)
        charters.append((f"Stripe, {len(stripe)} tools", _laid(work / "s", of_stripe, stripe)))
        return _measured(charters, runs)


def _unpacked(packed: Path, work: Path) -> Path:
    path = work / packed.name.removesuffix(".gz")
    with gzip.open(packed) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return path


def _measured(charters: Sequence[tuple[str, Path]], runs: int) -> list[Figure]:
    found: list[Figure] = []
    least = 0.0
    for name, charter in charters:
        out = charter.parent / "out"
        one = cold(
            [sys.executable, "-m", "benchmarks.scale", "--generate", str(charter), str(out)],
            runs=runs,
            before=partial(shutil.rmtree, out, ignore_errors=True),
        )
        least = least or one.seconds
        bar = _BAR if name == f"GitHub, {_COUNTS[-1]} tools" else None
        peak = f"peak {one.peak / _MIB:.0f} MiB"
        found.append(Figure(name, f"{one.seconds:.2f} s", peak, one.seconds / least, bar))
    return found


def _usable(root: Path, wanted: int | None) -> list[dict[str, Any]]:
    """Return the tools of the operations that become contracts, as many as are wanted, spread over the description."""
    description = load_description(root).value
    if description is None:
        sys.exit(f"{root.name} cannot be read")
    keys = [str(key) for key in description.operations()]
    if wanted is not None:
        keys = _spread(keys, min(len(keys), wanted + wanted // 2))
    tools: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        for key in keys:
            tool = _tool(description, key)
            if tool is not None and _resolves(description, Path(name), root, tool):
                tools.append(tool)
    return tools if wanted is None else tools[:wanted]


def _tool(description: Description, key: str) -> dict[str, Any] | None:
    operation = description.operation(key).value
    return None if operation is None else plan_operation(description, key, operation).tool


def _resolves(description: Description, folder: Path, root: Path, tool: dict[str, Any]) -> bool:
    charter = load_charter(write_charter(folder, root.name, [tool])).value
    return charter is not None and resolve_api(description, charter).value is not None


def write_charter(folder: Path, spec: str, tools: Sequence[dict[str, Any]]) -> Path:
    """Write a charter of some tools, named by their numbers; JSON is YAML."""
    charter = {
        "charter": 1,
        "package": "measured_tools",
        "spec": spec,
        "ceilings": CEILINGS,
        "tools": {f"tool_{number:04}": tool for number, tool in enumerate(tools, 1)},
    }
    path = folder / "charter.yaml"
    path.write_text(json.dumps(charter), "utf-8")
    return path


def _laid(folder: Path, root: Path, tools: Sequence[dict[str, Any]]) -> Path:
    folder.mkdir()
    shutil.copy(root, folder / root.name)
    return write_charter(folder, root.name, tools)


def _spread(every: Sequence[Any], count: int) -> list[Any]:
    return [every[index * len(every) // count] for index in range(count)]


def _generate(charter: Path, out: Path) -> int:
    """Carry out `toolcharter generate`, in this process, whatever the rules find."""

    def heard(check: Callable[[Any], Iterable[Diagnostic]]) -> Callable[[Any], list[Diagnostic]]:
        return lambda whole: [found for found in check(whole) if found.severity != "error"]

    for name in ("check_api", "check_charter_rules"):
        setattr(pipeline, name, heard(getattr(pipeline, name)))
    report = pipeline.generate_charter(charter, pipeline.Options(out=out))
    for found in report.diagnostics:
        if found.severity == "error":
            print(found.code, found.message, file=sys.stderr)
    return report.exit_code


if __name__ == "__main__":
    if sys.argv[1:2] == ["--generate"]:
        sys.exit(_generate(Path(sys.argv[2]), Path(sys.argv[3])))
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.scale FOLDER")
    sys.exit(1 if show(figures(Path(sys.argv[1]))) else 0)
