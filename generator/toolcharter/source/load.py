"""Reads a file as JSON or YAML: what is refused here never reaches a later stage."""

from __future__ import annotations

import gc
import gzip
import hashlib
import stat
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from toolcharter.diagnostics import Origin, Staged, failed

from .document import Document, Locator, Step
from .json_text import JsonLocator, read_json, read_json_fast
from .limits import MAX_BYTES, MAX_DEPTH, find_too_deep
from .refusal import TextError
from .shapes import is_object
from .yaml_text import YamlLocator, read_yaml

__all__ = ["load_document", "shown_name"]


def load_document(
    path: Path, *, root: Path | None = None, max_bytes: int = MAX_BYTES
) -> Staged[Document]:
    """Read one file; findings name it relative to `root` (the working folder if none).

    JSON or YAML by the suffix, `.gz` before it allowed; by the first character where the suffix says neither.
    """
    name = shown_name(path, root or Path.cwd())
    try:
        raw = _read(path, max_bytes)
        content = _unpacked(raw, max_bytes) if path.suffix == ".gz" else raw
        with _collector_paused():
            parsed = _parse(content, path)
    except TextError as refused:
        return Staged(None, (refused.diagnostic(name),))
    value = parsed.value
    if not is_object(value):
        hint = "the file must hold one object, with keys such as `openapi` or `charter`"
        return failed("TC715", "The file does not hold an object", Origin(name, 1, 1), hint)
    document = Document(
        name=name,
        path=path.resolve(),
        value=value,
        sha256=hashlib.sha256(raw).hexdigest(),
        locator=parsed.locator,
        ambiguous=parsed.ambiguous,
    )
    deep = None if parsed.is_shallow else find_too_deep(value)
    if deep is not None:
        message = f"More than {MAX_DEPTH} levels of objects and arrays"
        return failed("TC716", message, document.origin(deep), "flatten it")
    return Staged(document)


def shown_name(path: Path, root: Path) -> str:
    """Return how findings name a file: relative to `root` if it lies below it, else as it was given."""
    try:
        absolute, base = path.resolve(), root.resolve()
    except (
        OSError,
        ValueError,
        RuntimeError,
    ):  # a name that no file can have, or links in a circle
        return path.as_posix()
    return (
        absolute.relative_to(base).as_posix() if absolute.is_relative_to(base) else path.as_posix()
    )


@contextmanager
def _collector_paused() -> Generator[None, None, None]:
    """Pause garbage collection: a large document is all live, so each pass would find nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise TextError("TC710", "Not a regular file", hint="name a JSON or YAML file")
        with path.open("rb") as stream:
            raw = stream.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = (
            error.strerror if isinstance(error, OSError) and error.strerror else "not a file name"
        )
        raise TextError("TC710", f"Cannot be read: {reason}", hint="check the path") from None
    return _bounded(raw, max_bytes)


def _unpacked(raw: bytes, max_bytes: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=BytesIO(raw)) as stream:
            return _bounded(stream.read(max_bytes + 1), max_bytes)
    except (OSError, EOFError, zlib.error):
        raise TextError("TC710", "Not a gzip file", hint="pack it again, or rename it") from None


def _bounded(raw: bytes, max_bytes: int) -> bytes:
    if len(raw) > max_bytes:
        message = f"Larger than {max_bytes:,} bytes"
        raise TextError(
            "TC711",
            message,
            hint="keep what is needed of it, and what that refers to, in a smaller file",
        )
    return raw


@dataclass(frozen=True, slots=True)
class _Parsed:
    value: Any
    locator: Locator
    ambiguous: frozenset[tuple[int, Step]] = frozenset()
    is_shallow: bool = False
    """Its depth is known to be within bounds."""


def _parse(content: bytes, path: Path) -> _Parsed:
    if _suffix(path) == ".json":
        value = read_json_fast(content)
        if value is not None:
            return _Parsed(value, JsonLocator(content), is_shallow=True)
    text = _decoded(content)
    if not text.strip():
        raise TextError(
            "TC712", "The file is empty", hint="write the description or charter into it"
        )
    if _is_json(path, text):
        return _Parsed(read_json(text), JsonLocator(content))
    parsed = read_yaml(text)
    locator = YamlLocator(parsed.value, parsed.places)
    return _Parsed(parsed.value, locator, parsed.ambiguous, is_shallow=parsed.is_shallow)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", "ignore")
        place = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise TextError("TC713", "Not UTF-8", place, "save the file as UTF-8") from None


def _suffix(path: Path) -> str:
    return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix


def _is_json(path: Path, text: str) -> bool:
    suffix = _suffix(path)
    if suffix in {".yaml", ".yml"}:
        return False
    return suffix == ".json" or text.lstrip()[:1] in {"{", "["}
