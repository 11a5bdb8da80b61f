"""`make charters`: a line a charter, and a last one that counts."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from .__main__ import main
from .sources import FOLDER, SOURCES


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The descriptions of this folder, laid out as a corpus is."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for source in SOURCES:
        plain = FOLDER / source.name / source.spec
        if source.file.endswith(".gz"):
            (folder / source.file).write_bytes(gzip.compress(plain.read_bytes()))
        else:
            shutil.copy(plain, folder / source.file)
    return folder


def test_every_charter_is_generated_and_imported(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(corpus) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "charters 8, generated 8, tools 41, writes 17"
    assert [line.partition(":")[0] for line in lines[:-1]] == [one.name for one in SOURCES]


def test_a_charter_that_no_longer_fits_is_named_with_its_findings(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpus / "discord.json").unlink()
    kinto = corpus / "kinto.swagger2.json"
    kinto.write_text(kinto.read_text("utf-8").replace("update_record", "replace_record"), "utf-8")
    assert main(corpus) == 1
    printed = capsys.readouterr().out
    assert "discord: discord.json is not in the corpus" in printed
    assert "replace_record" not in printed
    assert "update_record" in printed
    assert printed.splitlines()[-1] == "charters 8, generated 6, tools 35, writes 15"
