"""`make charters CORPUS=folder`: every charter here against the real description, through the whole pipeline."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from .building import build, import_catalog
from .sources import SOURCES, Source

__all__ = ["main"]


def main(corpus: Path) -> int:
    """Print one line a charter and a last one with the counts; return 1 where one fails."""
    if not corpus.is_dir():
        print(f"no such folder: {corpus}", file=sys.stderr)
        return 2
    good = tools = writes = 0
    for source in SOURCES:
        with tempfile.TemporaryDirectory() as folder:
            made = _one(source, corpus, Path(folder))
        if made is not None:
            good, tools, writes = good + 1, tools + made[0], writes + made[1]
    print(f"charters {len(SOURCES)}, generated {good}, tools {tools}, writes {writes}")
    return 0 if good == len(SOURCES) else 1


def _one(source: Source, corpus: Path, folder: Path) -> tuple[int, int] | None:
    began = time.monotonic()
    if not (corpus / source.file).exists():
        print(f"{source.name}: {source.file} is not in the corpus")
        return None
    report = build(source, folder, lambda one, where: one.unpack(corpus, where))
    errors = [found for found in report.diagnostics if found.severity == "error"]
    warnings = len(report.diagnostics) - len(errors)
    if report.exit_code:
        print(f"{source.name}: refused, {len(errors)} errors")
        for found in errors:
            print(f"  {found.origin.line}:{found.origin.column} {found.code} {found.message}")
        return None
    import_catalog(folder / "out")
    # A frozen contract a tool version, beside the catalog of them all.
    names = [path.stem for path in (folder / "out").glob("*/*/catalog/*.v*.json")]
    count, wrote = len(names), _writes(source)
    seconds = time.monotonic() - began
    print(
        f"{source.name}: {count} tools, {wrote} writes, {warnings} warnings, imported, {seconds:.1f} s"
    )
    return count, wrote


def _writes(source: Source) -> int:
    from toolcharter.charter import load_charter

    charter = load_charter(source.charter).value
    return sum(spec.effect == "write" for spec in charter.tools.values()) if charter else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1]:
        sys.exit("usage: make charters CORPUS=folder")
    sys.exit(main(Path(sys.argv[1])))
