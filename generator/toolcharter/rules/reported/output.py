"""Codes of comparing what would be written with what is on disk."""

from __future__ import annotations

from ._entry import Entry

__all__ = ["OUTPUT_CODES"]


def _entry(code: str, name: str, what: str, why: str) -> Entry:
    bad, good = (
        "edit generated/crm_tools/…, or commit half of it",
        "toolcharter generate, and commit generated/",
    )
    return Entry(code, name, (what, why, bad, good))


OUTPUT_CODES = (
    _entry(
        "TC901",
        "file-stale",
        "Finds generated files that `generate` would write otherwise.",
        "The committed package no longer says what its charter says.",
    ),
    _entry(
        "TC902",
        "file-edited",
        "Finds generated files that were edited by hand.",
        "The next run would lose the edit, and no reviewer saw it in the charter.",
    ),
    _entry(
        "TC903",
        "file-missing",
        "Finds generated files that are not there.",
        "The package would fail where it is imported.",
    ),
    _entry(
        "TC904",
        "file-orphaned",
        "Finds files that an earlier run made and this one would not.",
        "A tool that left the charter would stay importable.",
    ),
    _entry(
        "TC905",
        "lock-unreadable",
        "Finds a lock that cannot be read, or that holds a merge conflict.",
        "Without the lock nobody can tell an edited file from a stale one.",
    ),
    _entry(
        "TC906",
        "path-not-ours",
        "Finds paths that are links, leave the output folder or belong to somebody else.",
        "A generator writes only over what it made.",
    ),
    _entry(
        "TC907",
        "lock-stale",
        "Finds inputs that changed after the last generation.",
        "The package was made from another charter or description than the one beside it.",
    ),
    _entry(
        "TC908",
        "generator-differs",
        "Finds packages that another version of the generator made.",
        "Bytes depend on the generator: half of a team would undo the other half's text.",
    ),
    Entry(
        "TC910",
        "frozen-contract-changed",
        (
            "Finds changes of a contract that keep its version.",
            "A run that began with this version holds its digest; another contract is another version.",
            "refund: {version: 1, input: {amount: {maximum: 90000}}}      # frozen with 50000",
            "refund: {version: 2, still_callable: {1: 2027-03-01}, input: {amount: {maximum: 90000}}}",
        ),
    ),
    Entry(
        "TC911",
        "kept-version-missing",
        (
            "Finds versions in `still_callable` whose frozen contract is not there or cannot be read.",
            "An old version is rendered from its frozen contract, never from today's description.",
            "still_callable: {1: 2027-03-01}         # catalog/refund.v1.json was deleted",
            "git checkout HEAD -- generated/…/catalog/refund.v1.json",
        ),
    ),
    Entry(
        "TC912",
        "frozen-version-dropped",
        (
            "Finds frozen versions that left the charter without a last day.",
            "Runs that began with the version would find it gone; a sunset says until when it serves.",
            "refund: {version: 2}                    # v1 is frozen",
            "refund: {version: 2, still_callable: {1: 2027-03-01}}",
        ),
    ),
    Entry(
        "TC913",
        "unreleased-idle",
        (
            "Finds `--unreleased` on a version that is not frozen or did not change.",
            "The option throws away a promise; where it does nothing, something else was meant.",
            "toolcharter generate --unreleased refund.v9",
            "toolcharter generate --unreleased refund.v2",
        ),
        "warning",
    ),
    Entry(
        "TC914",
        "package-made-twice",
        (
            "Finds charters that make a package of one name in one run.",
            "Each would delete what the other wrote.",
            "package: crm_tools                      # in two charters",
            "package: crm_exports",
        ),
    ),
)
