"""The descriptions of a folder: single files, packed ones, and trees of files with a root, read without our own loader."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin

import yaml

__all__ = ["Description", "Documents", "Raw", "find_descriptions"]

_METHODS: Final = (
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
)  # fmt: skip


@dataclass(frozen=True)
class Description:
    """One description: its name in the folder, and its root file on the disk."""

    name: str
    root: Path
    folder: Path
    """What its references may reach."""


def find_descriptions(folder: Path, work: Path) -> Iterator[Description]:
    """Yield the descriptions of a folder in the order of their names; what is packed is unpacked below `work`."""
    roots = _roots(folder / "INDEX.tsv")
    for path in sorted(folder.iterdir()):
        name = path.name
        if path.is_dir() or name.endswith(".tar.gz"):
            tree = path if path.is_dir() else _untarred(path, work)
            root = tree / roots[name] if roots.get(name) else _guessed(tree)
            if root is not None and root.is_file():
                yield Description(name, root, tree)
        elif name.endswith((".json", ".yaml", ".yml")):
            yield Description(name, path, folder)
        elif name.endswith((".json.gz", ".yaml.gz")):
            target = work / name.removesuffix(".gz")
            with gzip.open(path) as packed, target.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
            yield Description(name, target, work)


def _roots(index: Path) -> dict[str, str]:
    if not index.is_file():
        return {}
    with index.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["file"]: row["root"] for row in rows if row.get("root")}


def _untarred(path: Path, work: Path) -> Path:
    target = work / path.name.removesuffix(".tar.gz")
    with tarfile.open(path) as packed:
        packed.extractall(target, filter="data")
    return target


def _guessed(tree: Path) -> Path | None:
    found = [p for p in sorted(tree.rglob("*")) if p.stem in ("openapi", "swagger", "root")]
    return found[0] if found else None


class _Loader(yaml.CSafeLoader):
    """YAML 1.2's JSON schema: nothing but null, booleans and JSON's numbers is more than a text."""


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag.rpartition(":")[2] in ("null", "bool", "int", "float")
    ]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _plain(loader: Any, node: Any) -> Any:
    text = loader.construct_scalar(node)
    if text in ("null", "~", ""):
        return None
    if text in ("true", "false"):
        return text == "true"
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) else text


def _mapping(loader: Any, node: Any) -> Any:
    pairs = {}
    for key, value in node.value:
        pairs[str(key.value)] = loader.construct_object(value, deep=True)
    return pairs


for _tag in ("null", "bool", "int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _plain)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def _make_absolute(value: Any, uri: str) -> None:
    """Write every reference with the URI of its file, so that schemas of several files can stand beside each other."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("$ref"), str):
                one["$ref"] = urljoin(uri, one["$ref"])
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


@dataclass(frozen=True)
class Raw:
    """A value of a description as it is written, and the URI of the file that holds it."""

    base: str
    value: Any

    def get(self, key: str) -> Raw:
        """Return what stands under a key; nothing is an empty object."""
        return Raw(self.base, self.value.get(key, {}) if isinstance(self.value, dict) else {})

    def elements(self, key: str) -> list[Raw]:
        """Return the elements of a list under a key; none where no list stands there."""
        found = self.get(key).value
        return [Raw(self.base, one) for one in found] if isinstance(found, list) else []


class Documents:
    """The files of one description by URI; references are followed through them."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve().as_uri()
        self._known: dict[str, Any] = {}
        self._followed: dict[tuple[str, str], Raw] = {}

    def document(self, uri: str) -> Any:
        """Return a file's value."""
        if uri not in self._known:
            path = Path(unquote(uri.removeprefix("file://")))
            text = path.read_text("utf-8")
            is_json = path.suffix == ".json"
            value = json.loads(text) if is_json else yaml.load(text, _Loader)  # noqa: S506
            _make_absolute(value, uri)
            self._known[uri] = value
        return self._known[uri]

    @property
    def version(self) -> str:
        """The description's own version."""
        root = self.document(self.root)
        return str(root.get("openapi") or root.get("swagger"))

    def follow(self, raw: Raw) -> Raw:
        """Return what a reference leads to, or the value itself."""
        for _ in range(64):
            if not isinstance(raw.value, dict) or not isinstance(raw.value.get("$ref"), str):
                return raw
            raw = self.target(raw)
        raise ValueError("a reference leads to itself")

    def target(self, raw: Raw) -> Raw:
        """Return what one reference names."""
        key = (raw.base, raw.value["$ref"])
        if key not in self._followed:
            uri, fragment = urldefrag(urljoin(raw.base, raw.value["$ref"]))
            value = self.document(uri)
            for token in fragment.split("/")[1:]:
                step = unquote(token).replace("~1", "/").replace("~0", "~")
                value = value[int(step)] if isinstance(value, list) else value[step]
            self._followed[key] = Raw(uri, value)
        return self._followed[key]

    def operations(self) -> Iterator[tuple[str, str, Raw, Raw]]:
        """Yield method in capitals, path, path item and operation."""
        paths = Raw(self.root, self.document(self.root)).get("paths")
        for path in paths.value:
            if path.startswith("x-"):
                continue
            item = self.follow(paths.get(path))
            if not isinstance(item.value, dict):
                continue
            for method in _METHODS:
                if method in item.value:
                    yield method.upper(), path, item, self.follow(item.get(method))
            for method in item.get("additionalOperations").value:
                yield method, path, item, self.follow(item.get("additionalOperations").get(method))
