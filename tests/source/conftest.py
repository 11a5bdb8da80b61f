"""Small descriptions, written where a test can put a fault into them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from toolcharter.diagnostics import Diagnostic
from toolcharter.source import Description, load_description

Describe: TypeAlias = Callable[..., Description]


@pytest.fixture
def describe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Describe:
    """Write a description with some members of its root, and load it; the working folder is the file's."""
    monkeypatch.chdir(tmp_path)

    def write(version: str = "3.1.0", **members: Any) -> Description:
        key = "swagger" if version == "2.0" else "openapi"
        root = {key: version, "info": {"title": "T", "version": "1"}, "paths": {}, **members}
        (tmp_path / "api.json").write_text(json.dumps(root, indent=1), "utf-8")
        loaded = load_description(Path("api.json"))
        assert loaded.value is not None, loaded.diagnostics
        return loaded.value

    return write


@pytest.fixture
def normalized(describe: Describe) -> Callable[[str, Any], Any]:
    """Return the normalized form of a schema, as version `2.0`, `3.0.3` or `3.1.0` reads it."""

    def normalize(version: str, schema: Any) -> Any:
        response: dict[str, Any] = {"description": ""}
        if version == "2.0":
            response["schema"] = schema
        else:
            response["content"] = {"application/json": {"schema": schema}}
        home: dict[str, Any] = {"definitions": {"Other": {"type": "string"}}}
        if version != "2.0":
            home = {"components": {"schemas": home["definitions"]}}
        paths = {"/x": {"get": {"operationId": "x", "responses": {"200": response}}}}
        read = describe(version, paths=paths, **home).operation("x")
        assert read.value is not None, read.diagnostics
        return read.value.responses["200"].bodies["application/json"]

    return normalize


@pytest.fixture
def placed() -> Callable[[tuple[Diagnostic, ...]], list[tuple[str, str]]]:
    """Return code and `file:line:column` of findings."""
    return lambda diagnostics: [(d.code, str(d.origin)) for d in diagnostics]
