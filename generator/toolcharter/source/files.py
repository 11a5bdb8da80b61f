"""The files of one description: each inside its folder, read when it is first reached; no network, no way out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from .document import Anchor, Document
from .limits import shown
from .load import load_document
from .reading import nearest
from .refusal import SourceError, refused

__all__ = ["Files"]

_USER: Final = re.compile(r"//[^/?#]*@")
_INSIDE: Final = "refer to a file inside the description's folder, relative to the referring file"


class Files:
    """The files below one folder; `root` is the one that everything starts from."""

    def __init__(self, root: Document, folder: Path) -> None:
        self.root = root
        self.folder = folder.resolve()
        self._documents: dict[Path, Document] = {root.path: root}

    @property
    def documents(self) -> tuple[Document, ...]:
        """Return the files read so far, in the order of their paths."""
        return tuple(self._documents[path] for path in sorted(self._documents))

    def path_of(self, document: Document) -> str:
        """Return a file's path relative to the folder, POSIX."""
        return document.path.relative_to(self.folder).as_posix()

    def document(self, address: str, anchor: Anchor, parent: Path | None = None) -> Document:
        """Return the file of an address that is written at `anchor`, relative to `parent` or else to the file there."""
        path = self._path(address, anchor, parent)
        known = self._documents.get(path)
        if known is not None:
            return known
        if not path.is_file():
            folder = path.parent
            names = sorted(p.name for p in folder.glob("*") if p.is_file())
            close = nearest(path.name, names)
            hint = f"did you mean {shown(close)}?" if close else "add the file, or mend the name"
            raise refused("TC701", f"There is no file {shown(address)}", anchor.origin, hint)
        staged = load_document(path)
        if staged.value is None:
            raise SourceError(staged.diagnostics[0])
        self._documents[path] = staged.value
        return staged.value

    def has(self, address: str, anchor: Anchor) -> bool:
        """Say whether an address names a file of the folder."""
        try:
            path = self._path(address, anchor)
        except SourceError:
            return False
        return path in self._documents or path.is_file()

    def _path(self, address: str, anchor: Anchor, parent: Path | None = None) -> Path:
        try:
            parts = urlsplit(address)
        except ValueError:
            raise refused("TC701", f"{shown(address)} is no reference", anchor.origin) from None
        if parts.scheme not in {"", "file"} or parts.netloc:
            hint = "keep a copy of the file in the folder and refer to that"
            bare = _USER.sub("//", address)  # a password may stand there
            raise refused("TC702", f"{shown(bare)} is on the network", anchor.origin, hint)
        name = unquote(parts.path)
        path = Path(name)
        if parts.scheme or path.is_absolute() or "\\" in name or "\0" in name or parts.query:
            message = f"{shown(address)} is not a relative path"
            raise refused("TC722", message, anchor.origin, _INSIDE)
        try:
            # Following links as the system does shows where the file really lies.
            found = ((parent or anchor.document.path.parent) / path).resolve()
            found.is_file()  # raises for a name that is too long
        except (OSError, RuntimeError):  # or links that lead in a circle
            message = f"{shown(address)} names no file"
            raise refused("TC701", message, anchor.origin, _INSIDE) from None
        if not found.is_relative_to(self.folder):
            message = f"{shown(address)} leaves the description's folder"
            raise refused("TC722", message, anchor.origin, _INSIDE)
        return found
