"""openapi-core as a second reader of requests, in a process and an environment of its own.

It reads OpenAPI 3.x and what it has a form for; `decode` reads all, and is held to what this one says. What is known of
it and not corrected: numbers in the parts of multipart/form-data stay texts, as do those of a map's values in a form; a
list of types is not cast; and `/x/{a}` is taken for `/x/{a}.{b}`.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Self

from .decode import Wire

__all__ = ["PYTHON", "IndependentReader"]

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-reader" / "bin" / "python"
"""Built by `make test` from `requirements.txt` beside this file."""
_SCRIPT = ROOT / "benchmarks" / "peers" / "openapi_core_reader.py"


class IndependentReader:
    """Asks openapi-core what a request holds; use it as a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [str(PYTHON), str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=30)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def read(
        self, document: Any, method: str, request: Wire, *, corrected: bool = True
    ) -> dict[str, Any]:
        """Return `{"parameters": {place: {name: value}}, "body": …}`, or `{"error": …}`.

        `document` is a whole OpenAPI document with the one operation that is asked about.
        """
        body = request.body
        line = {
            "document": document,
            "method": method,
            "path": request.path,
            "query": request.query,
            "headers": [list(header) for header in request.headers],
            "body": None if body is None else body.decode("latin-1"),
            "corrected": corrected,
        }
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the reader is closed")
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the reader has ended")
        return dict(json.loads(answer))
