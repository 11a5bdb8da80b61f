"""A small description of ours and a charter over it; tests change a line of one and look at what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from toolcharter.charter import load_charter
from toolcharter.diagnostics import Diagnostic, Staged
from toolcharter.resolve import ResolvedApi, resolve_api
from toolcharter.source import load_description
from toolcharter_runtime.frozen import Contract

HERE = Path(__file__).parent
Resolve: TypeAlias = Callable[..., Staged[ResolvedApi]]


@pytest.fixture
def resolve(tmp_path: Path) -> Resolve:
    """Resolve the shop with replaced pieces of text; each piece must be there exactly once."""

    def run(
        charter: Mapping[str, str] | None = None, spec: Mapping[str, str] | None = None
    ) -> Staged[ResolvedApi]:
        for name, changes in (("charter.yaml", charter or {}), ("openapi.yaml", spec or {})):
            text = (HERE / "shop" / name).read_text(encoding="utf-8")
            for old, new in changes.items():
                assert text.count(old) == 1, old
                text = text.replace(old, new)
            (tmp_path / name).write_text(text, encoding="utf-8")
        loaded = load_charter(tmp_path / "charter.yaml", root=tmp_path)
        assert loaded.diagnostics == ()
        described = load_description(tmp_path / "openapi.yaml")
        assert loaded.value is not None
        assert described.value is not None
        return resolve_api(described.value, loaded.value)

    return run


@pytest.fixture
def contract(resolve: Resolve) -> Callable[..., Contract]:
    """Resolve the shop and return one tool's contract; no error may be found."""

    def run(
        name: str, charter: Mapping[str, str] | None = None, spec: Mapping[str, str] | None = None
    ) -> Contract:
        staged = resolve(charter, spec)
        assert [finding for finding in staged.diagnostics if finding.severity == "error"] == []
        assert staged.value is not None
        tool = staged.value.tool(name)
        assert tool is not None
        return tool.contract

    return run


@pytest.fixture
def errors(resolve: Resolve) -> Callable[..., list[Diagnostic]]:
    """Resolve the shop and return the errors, in order."""

    def run(
        charter: Mapping[str, str] | None = None, spec: Mapping[str, str] | None = None
    ) -> list[Diagnostic]:
        return [
            finding for finding in resolve(charter, spec).diagnostics if finding.severity == "error"
        ]

    return run
