"""Loading with places beside the barest reading of the same bytes: libyaml's events, and `json` of the standard library.

`python -m benchmarks.loading [FILE …]` measures JSON and YAML files; without any it makes one of each (13 MB of JSON, 10 MB
of YAML) from GitHub's whole description where `make bench` has installed it, or else from the committed slice, repeated.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from benchmarks.generation import DESCRIPTION
from benchmarks.measure import ROOT
from benchmarks.report import Figure, show
from toolcharter.source import load_document

__all__ = ["figures", "figures_of"]

SLICE = ROOT / "specs" / "github" / "api.github.com.json"
JSON_BYTES = 13_000_000
YAML_BAR = 2.0
JSON_BAR = 8.0
TURNS = 5


class _Dumper(yaml.CSafeDumper):
    """Writes equal parts out, as people do."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _grown(size: int) -> Any:
    """Return GitHub's description, or a description of that many bytes whose paths are those of the slice, renamed."""
    if DESCRIPTION.exists():
        return json.loads(DESCRIPTION.read_bytes())
    value = json.loads(SLICE.read_bytes())
    paths, schemas = dict(value["paths"]), dict(value["components"]["schemas"])
    copies = max(1, size // len(json.dumps([paths, schemas], indent=2)))
    for number in range(copies):
        value["paths"] |= {f"/v{number}{path}": item for path, item in paths.items()}
        value["components"]["schemas"] |= {f"{key}-{number}": one for key, one in schemas.items()}
    return value


def _make(folder: Path) -> tuple[Path, Path]:
    value = _grown(JSON_BYTES)
    as_json, as_yaml = folder / "description.json", folder / "description.yaml"
    as_json.write_text(json.dumps(value, indent=2, ensure_ascii=False), "utf-8")
    with as_yaml.open("w", encoding="utf-8") as stream:
        yaml.dump(value, stream, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return as_json, as_yaml


def _events(path: Path) -> None:
    parser = yaml.CSafeLoader(path.read_text("utf-8"))
    while parser.get_event() is not None:
        pass


def _stdlib(path: Path) -> None:
    json.loads(path.read_bytes())


def _load(path: Path) -> None:
    if load_document(path).value is None:
        sys.exit(f"{path} cannot be loaded")


def _load_and_place(path: Path) -> None:
    document = load_document(path).value
    if document is None:
        sys.exit(f"{path} cannot be loaded")
    document.origin([list(document.value)[-1]])


def _in_turns(*calls: Callable[[], None]) -> list[float]:
    """Return the best seconds of each; the collector is paused for those that do not pause it themselves, too."""
    best = [float("inf")] * len(calls)
    for _ in range(TURNS):
        for index, call in enumerate(calls):
            gc.collect()
            gc.disable()
            began = time.perf_counter()
            call()
            best[index] = min(best[index], time.perf_counter() - began)
            gc.enable()
    return best


def figures_of(path: Path) -> list[Figure]:
    """Measure one file: loaded, and loaded with one place looked up."""
    is_yaml = path.suffix in {".yaml", ".yml"}
    bare = _events if is_yaml else _stdlib
    what, bar = ("libyaml's events", YAML_BAR) if is_yaml else ("json.loads", JSON_BAR)
    theirs, ours, placed = _in_turns(
        lambda: bare(path), lambda: _load(path), lambda: _load_and_place(path)
    )
    size = f"{path.stat().st_size / 1e6:.1f} MB of {'YAML' if is_yaml else 'JSON'}"
    beside = f"{what} {theirs:.2f} s"
    return [
        Figure(f"load {size}", f"{ours:.2f} s", beside, ours / theirs, bar),
        Figure(f"load {size}, one place", f"{placed:.2f} s", beside, placed / theirs, bar),
    ]


def figures() -> list[Figure]:
    """Measure the two files that are made."""
    with tempfile.TemporaryDirectory() as name:
        return [figure for path in _make(Path(name)) for figure in figures_of(path)]


if __name__ == "__main__":
    named = [Path(name) for name in sys.argv[1:]]
    measured = [figure for path in named for figure in figures_of(path)] if named else figures()
    sys.exit(1 if show(measured) else 0)
