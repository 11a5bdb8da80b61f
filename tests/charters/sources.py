"""The charters of this folder: which file of a corpus each describes, and where a slice of it came from."""

from __future__ import annotations

import gzip
import tarfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLDER", "SOURCES", "Source"]

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Source:
    """One charter; `file` is in the corpus, plain, gzipped, or a folder or a tar archive with its `root`."""

    name: str
    spec: str
    """The charter's own name for the description: beside it lies a slice, or a small one of ours of the same shape."""
    file: str
    root: str = ""

    @property
    def charter(self) -> Path:
        return FOLDER / self.name / "charter.yaml"

    def unpack(self, corpus: Path, folder: Path) -> None:
        """Lay out the description below `folder` under the name that the charter gives it."""
        packed = corpus / self.file
        if tarfile.is_tarfile(packed):
            with tarfile.open(packed) as archive:
                archive.extractall(folder, filter="data")
            (folder / self.root).rename(folder / self.spec)
            return
        raw = packed.read_bytes()
        content = gzip.decompress(raw) if packed.suffix == ".gz" else raw
        (folder / self.spec).write_bytes(content)


SOURCES = (
    Source("stripe", "stripe.json", "stripe.json.gz"),
    Source("github", "api.github.com.json", "github-rest.json.gz"),
    Source("kinto", "kinto.swagger2.json", "kinto.swagger2.json"),
    Source("prefect", "prefect.json", "prefect.json"),
    Source("paypal", "paypal-orders-v2.json", "paypal-orders-v2.json"),
    Source("lxd", "lxd.swagger2.yaml", "lxd.swagger2.yaml"),
    Source("slack", "slack-web.swagger2.json", "slack-web.swagger2.json"),
    Source("discord", "discord.json", "discord.json"),
)
