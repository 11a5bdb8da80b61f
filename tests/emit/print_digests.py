"""Prints the digest of every artifact: run by test_determinism under other machines' habits."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import get_customer, package

from toolcharter.emit import emit

for artifact in emit(
    package(kept=(get_customer(0, description="İstanbul, é"),)), {"b": "sha256:1", "a": "sha256:2"}
):
    print(artifact.path, hashlib.sha256(artifact.text.encode()).hexdigest())
