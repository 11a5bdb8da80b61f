"""Codes of reading a charter: its shape and its little language."""

from __future__ import annotations

from ._entry import Entry

__all__ = ["CHARTER_CODES"]

CHARTER_CODES = (
    Entry(
        "TC730",
        "unknown-key",
        (
            "Finds keys that the charter format does not have.",
            "A misspelled guard is no guard. In a flow map, prose with a comma makes the rest a key: quote it.",
            "refund: {aproval: support_lead}",
            "refund: {approval: support_lead}",
        ),
    ),
    Entry(
        "TC731",
        "wrong-value",
        (
            "Finds values of another type or form than the key has.",
            "A value that is bent to fit means something that nobody wrote.",
            "timeout: {total: 60}",
            "timeout: {total: 60s}",
        ),
    ),
    Entry(
        "TC732",
        "missing-key",
        (
            "Finds maps that lack a key which the format asks for.",
            "What is not said has no default that would be right for everybody.",
            "tools: {get_customer: {effect: read}}",
            "tools: {get_customer: {operation: getCustomer, effect: read}}",
        ),
    ),
    Entry(
        "TC733",
        "format-unknown",
        (
            "Finds charters of a format that this version does not read.",
            "A newer format may have a guard that an older reader would pass over.",
            "charter: 2",
            "charter: 1",
        ),
    ),
    Entry(
        "TC734",
        "template-malformed",
        (
            "Finds templates that cannot be read, or that use a root which may not stand there.",
            "A template that is taken as plain text sends its braces to the API.",
            'summary: "Refund {amount of payment"',
            'summary: "Refund {amount} of payment {payment}"',
        ),
    ),
    Entry(
        "TC735",
        "place-malformed",
        (
            "Finds places that are no place of a request or an answer.",
            "A place is `path.NAME`, `query.NAME`, `header.NAME`, `cookie.NAME`, a JSON Pointer into the body, `body` or `http`.",
            "input: {customer: customer_id}",
            "input: {customer: path.customer_id}",
        ),
    ),
    Entry(
        "TC736",
        "condition-malformed",
        (
            "Finds conditions with a test that the language does not have.",
            "A condition that is not understood must not count as one that holds.",
            "require: {amount: {greater: 5}}",
            "require: {amount: {at_least: 5}}",
        ),
    ),
    Entry(
        "TC737",
        "name-unknown",
        (
            "Finds names of inputs, view fields or tools that are not there.",
            "A condition on a name that does not exist would hold, or fail, for ever.",
            'target: {id: "{costumer}", read: get_customer}',
            'target: {id: "{customer}", read: get_customer}',
        ),
    ),
    Entry(
        "TC804",
        "undecided",
        (
            "Finds answers that are still `DECIDE`.",
            "`init` suggests and never decides: an effect, an approval and a claim are a person's word.",
            "effect: DECIDE",
            "effect: read",
        ),
    ),
)
