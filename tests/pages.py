"""What a page marks to be written and typed (see test_docs)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r"<!-- (?P<kind>file|run)(?:: (?P<argument>[^>]+?))? -->\n+```[a-z]*\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Step:
    kind: str
    argument: str
    body: str


def steps(page: Path) -> list[Step]:
    text = page.read_text("utf-8")
    found = [Step(m["kind"], m["argument"] or "", m["body"]) for m in FENCE.finditer(text)]
    assert len(found) == len(re.findall(r"<!-- (?:file:|run)", text)), (
        "a marked fence could not be read"
    )
    return found
