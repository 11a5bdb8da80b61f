"""The codes of what goes wrong while a file or a description is read (family TC7xx, and TC707's kin)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

__all__ = ["SOURCE_CODES", "SourceCode"]


@dataclass(frozen=True, slots=True)
class SourceCode:
    """One code, with the reason that `explain` prints."""

    code: str
    name: str
    severity: Literal["error", "warning"]
    why: str


_TABLE: Final = """
TC701 error   unresolved-ref           A reference to nothing leaves a part of the contract undefined.
TC702 error   remote-ref               What the network answers today is not what was reviewed.
TC703 warning ref-siblings-ignored     OpenAPI 2.0 and 3.0 ignore what stands beside `$ref`.
TC704 error   duplicate-key            Readers keep the first or the last of two equal keys, and differ.
TC705 error   unsupported-keyword      What cannot be represented exactly must not be dropped.
TC706 warning yaml-ambiguous-scalar    YAML 1.1 and 1.2 read this unquoted scalar differently.
TC707 error   operation-ambiguous      A name that two operations share names neither.
TC710 error   file-unreadable          The file is missing, is not a regular file, or may not be read.
TC711 error   file-too-large           A bound keeps a mistaken or hostile file from exhausting memory.
TC712 error   file-empty               An empty file is a mistake, not a description of nothing.
TC713 error   not-utf-8                JSON and OpenAPI are UTF-8; guessing would change text.
TC714 error   syntax-error             The file is not JSON or YAML.
TC715 error   not-an-object            The file must hold one object.
TC716 error   too-deep                 A bound on nesting keeps every reader from exhausting its stack.
TC717 error   yaml-merge-key           Merge keys are not YAML 1.2, and readers disagree on them.
TC718 error   yaml-tag                 Tags make values that JSON does not have.
TC719 error   yaml-many-documents      One file holds one document.
TC720 error   yaml-alias               An alias must name a finished, earlier, reasonably small part.
TC721 error   not-a-json-value         NaN, infinities, half characters and composed keys are not JSON.
TC722 error   ref-leaves-folder        A description may read only files of its own folder.
TC723 error   ref-cycle                References that lead only to each other define nothing.
TC724 error   version-unsupported      Only Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are read.
TC725 error   description-malformed    A part has a shape that its version of OpenAPI does not know.
TC726 error   operation-unknown        A tool needs an operation that the description has.
TC727 error   description-invalid      The part that is used breaks the rules of its OpenAPI version.
TC728 error   output-exists            A file that a person may have edited is never overwritten.
TC729 error   output-unwritable        The result could not be written; nothing was changed.
TC740 error   overlay-invalid          An overlay that is not applied as it is meant leaves the description as it was.
TC741 warning overlay-target-missing   An action that matches nothing mends nothing, perhaps since the description changed.
"""


def _read(line: str) -> SourceCode:
    code, severity, name, why = line.split(maxsplit=3)
    return SourceCode(code, name, cast("Literal['error', 'warning']", severity), why)


SOURCE_CODES: Final = tuple(_read(line) for line in _TABLE.strip().splitlines())
"""Every code of this stage, in order."""
