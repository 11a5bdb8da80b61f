"""Both checkers infer the concrete types of section 5 of the design, and find each mistake."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


FILES = ("design.py", "mistakes.py")
Found: TypeAlias = frozenset[tuple[str, int]]


def marked(name: str) -> Found:
    texts = (HERE / name).read_text("utf-8").splitlines()
    return frozenset((name, number) for number, text in enumerate(texts, 1) if "  # " in text)


def of(found: Found, name: str) -> Found:
    return frozenset(one for one in found if one[0] == name)


@cache
def mypy() -> Found:
    command = [sys.executable, "-m", "mypy", "--strict", *(str(HERE / name) for name in FILES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.findall(r"(\w+\.py):(\d+): error", done.stdout)
    return frozenset((name, int(line)) for name, line in found)


@cache
def pyright() -> Found:
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--outputjson",
        *(str(HERE / name) for name in FILES),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return frozenset(
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in json.loads(done.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    )


CHECKERS = pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])


@CHECKERS
def test_application_infers_concrete_types(checker: Callable[[], Found]) -> None:
    """Section 5 of the design, under mypy strict and pyright: the concrete types are inferred."""
    assert of(checker(), "design.py") == frozenset()


@CHECKERS
def test_mistakes_are_found(checker: Callable[[], Found]) -> None:
    """Wrong arguments, a mapping for a typed tool, a code that the tool never returns."""
    assert of(checker(), "mistakes.py") == marked("mistakes.py")
