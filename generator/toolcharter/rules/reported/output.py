"""Codes of comparing what would be written with what is on disk."""

from __future__ import annotations

from ._entry import Entry

__all__ = ["OUTPUT_CODES"]


def _entry(code: str, name: str, what: str, why: str) -> Entry:
    return Entry(
        code,
        name,
        (
            what,
            why,
            "git commit generated/        # and not the whole of it",
            "toolcharter generate",
        ),
    )


OUTPUT_CODES = (
    _entry("TC901", "file-stale", "Finds generated files that `generate` would write otherwise.",
           "The committed package no longer says what its charter says."),
    _entry("TC902", "file-edited", "Finds generated files that were edited by hand.",
           "The next run would lose the edit, and no reviewer saw it in the charter."),
    _entry("TC903", "file-missing", "Finds generated files that are not there.",
           "The package would fail where it is imported."),
    _entry("TC904", "file-orphaned", "Finds files that an earlier run made and this one would not.",
           "A tool that left the charter would stay importable."),
    _entry("TC905", "lock-unreadable", "Finds a lock that cannot be read, or that holds a merge conflict.",
           "Without the lock nobody can tell an edited file from a stale one."),
    _entry("TC906", "path-not-ours", "Finds paths that are links, leave the output folder or belong to somebody else.",
           "A generator writes only what it made."),
    _entry("TC907", "lock-stale", "Finds inputs that changed after the last generation.",
           "The lock is the record of what the package was generated from."),
    _entry("TC908", "other-generator", "Finds packages that another version of the generator wrote.",
           "Two versions may spell one contract differently, so each would undo the other's files."),
    _entry("TC910", "frozen-contract-changed", "Finds changes of a contract that keep its version.",
           "A run that began with this version holds its digest; another contract is another version."),
    _entry("TC911", "kept-version-missing", "Finds versions in `still_callable` whose frozen contract is gone.",
           "An old version is rendered from its frozen contract, never from today's description."),
    _entry("TC912", "version-vanished", "Finds versions that left the charter while runs may still call them.",
           "A run keeps the tool versions it began with; without them its next call fails."),
    _entry("TC913", "unreleased-unused", "Finds `--unreleased` for a version whose contract did not change.",
           "A flag that stays in a script would wave the next change through."),
)  # fmt: skip
