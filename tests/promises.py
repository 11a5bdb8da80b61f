"""Which test holds which line of the boundary's promises: `docs/promises.md` is made from the tests' docstrings.

Run `python -m tests.promises` to write the page. A test names a promise in its docstring: `P9`, `I4 to I7`, `case 26`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "promises.md"

PROMISES = {
    "D1": "one path from a call to an effect; it parses data and calls what is registered",
    "D2": "a run is a row that any process can resume, and keeps its versions",
    "D3": "whatever is outside the capability set is `UNKNOWN_TOOL`, one text",
    "D4": "any one id leads to the whole sequence",
    "P1": "a preview changes nothing and returns a proposal or a typed error",
    "P2": "a proposal is immutable and whole",
    "P3": "the request is a pure function of the stored proposal and the contract",
    "P4": "there is no edit on approve: a denial, and a new proposal that names it",
    "P5": "a decision is accepted only for a pending, unexpired proposal of the tenant",
    "P6": "page, decision and commit carry one digest",
    "P7": "a decision says who, which digest, until when, why; silence only expires",
    "P8": "an approver is not in the requester chain, unless the policy says so",
    "P9": "an approval is single use, in one conditional update",
    "P10": "the approver's authority is evaluated again at commit; an approval can be withdrawn",
    "P11": "a commit takes the id only, and the id authorises nothing",
    "P12": "a commit checks everything again, in its order",
    "P13": "denied, expired, withdrawn, superseded or conflicting is never committed",
    "P14": "the desk warns before expiry",
    "P15": "without an audit row the effect does not start",
    "P16": "effect and difference come from stored values; free text stands apart",
    "P17": "strings are escaped, hidden characters shown, nothing cut in silence",
    "P18": "viewing never decides; the page is guarded against other sites",
    "P19": "the desk signs each decision; an unsigned row counts for nothing",
    "P20": "the model sees of a proposal only what its role may read",
    "I1": "the key is made by the boundary, before the first attempt, and no schema shows it",
    "I2": "same key, same request: the stored result; another request: refused",
    "I3": "the fingerprint is the request's digest, without time or trace",
    "I4": "`sent` is durable before the first byte leaves, and no timer sends again",
    "I5": "one attempt, but for what the charter lets be sent again within the window",
    "I6": "after a lost answer the boundary asks; no match is unknown",
    "I7": "`unknown` pauses the run until a status or an operator closes it",
    "I8": "a refusal never creates an execution",
    "I9": "a store that fails while recording is read again; nothing is sent again",
    "I10": "stored results are the bounded, redacted view",
    "I11": "after a transient failure the policy says whether the approval is spent",
    "V1": "every proposal names a version and how it is checked",
    "V2": "a conflict carries both versions, and the approval does not carry over",
    "V3": "weak validators are never sent in `If-Match`",
    "V4": "a 412 on the first send is a conflict; after a lost send it proves nothing",
    "V5": "creates use `If-None-Match: *` or a client's id where offered",
    "V6": "two commits on one resource never overlap, across processes",
    "V7": "a preview uses declared reads or a declared dry run, never the real call",
    "V8": "a result that differs from what was shown is flagged",
    "O1": "long operations have finite states, and terminal ones stay",
    "O2": "a handle is durable, found by any process, and by no other run",
    "O3": "a cancel promises nothing; a cancelled caller does not cancel a write",
    "O4": "polling backs off and ends in unknown at the deadline",
    "E1": "evidence is whole; a missing fact is null with a reason",
    "E2": "a broken answer to a write never undoes the outcome",
    "R1": "one envelope; an unmapped exception has no inner text",
    "R2": "retryable means that the same call is safe to make again",
    "R3": "the executor retries, by declared class, within one deadline",
    "R4": "messages, logs and metrics hold no value",
    "R5": "answers become codes by the charter, then by the defaults",
    "S1": "one schema and one state machine on both databases",
    "S2": "SQLite: WAL, full sync, immediate writes, mode 0600",
    "S3": "no transaction is open while the network or a person is awaited",
    "S4": "notifications are rows written with the change",
    "S5": "ownership is a lease with a fence; a stale one records nothing",
    "S6": "expiry is compared by the store's clock",
    "S7": "audit rows are chained, and checked against checkpoints",
    "S8": "the tenant is in every key and query",
    "S9": "canonical bytes are stored complete and erased after their time",
    "PL1": "default deny; the first row that holds applies",
    "PL2": "whatever goes wrong in a policy denies, with an alert",
    "PL3": "no write without a row; `{none: why}` never where a consequence stands",
    "PL4": "hints on a surface are never read back as policy",
    "PL5": "policy is evaluated at preview and again at commit",
    "C1": "what two readers of JSON could read differently is refused",
    "C2": "canonical by type: instants in UTC, big integers as text",
    "C3": "absent is not null; defaults never go into a partial body",
    "C4": "two digests: of the proposal, and of the arguments alone",
    "C5": "no Unicode normalisation",
    "C6": "published vectors on every Python we support",
    "L1": "limits of a run, a tenant and a resource hold across processes",
    "L2": "a slot is a lease and returns after its time",
    "L3": "waiting is bounded, and no tenant starves another",
    "L4": "refusals cost nothing upstream",
    "L5": "the total timeout includes retries and waiting",
    "T1": "no value in any span, metric, log or audit row",
    "T2": "redaction is by contract, and a mask is never written back",
    "T3": "traces with surrogates that replay without a network",
    "T4": "a slow exporter never delays a call",
    "X1": "path values cannot leave their segment",
    "X2": "no argument sets scheme, host, method or redirects",
    "X3": "header values are printable, and guards cannot be bound to input",
    "X4": "credentials come from a callback and are kept nowhere",
    "X5": "answers are bounded, checked, projected, redacted",
    "X6": "a changed contract voids the approval",
}
CASES = {
    1: "a commit with the id and arguments beside it is refused, and the approval stays unused",
    2: "a commit of a pending proposal",
    3: "a hundred commits of a denied proposal, from four processes",
    4: "fifty commits of an approved proposal at once, from two processes",
    5: "a commit repeated after a restart",
    6: "two equal proposals, of which one is approved",
    7: "an approval a millisecond after its end: expired, not denied",
    8: "a window that ends without a decision, after a warning",
    9: "an approver who loses the role between approval and commit",
    10: "the requester decides, or the agent's own principal",
    11: "the requester decides where the policy lets them: said in the evidence",
    12: "a quorum of two, and one person twice; one approves and one denies",
    13: "a decision on an id that was never issued",
    14: "a decision with one proposal's id and another's digest",
    15: "a decision on another tenant's proposal",
    16: "a contract that changes between approval and commit",
    17: "a model that writes of an approval in its arguments",
    18: "an audit that cannot be written",
    19: "scripts, controls and long texts on the web desk's page",
    20: "a form from another site",
    21: "a GET, a HEAD or a pre-fetch of the web desk",
    22: "the web desk in another site's frame",
    23: "two tabs that decide differently at once",
    24: "an answer lost after the effect, and an API that can be asked",
    25: "an answer lost after the effect, and nothing to ask: unknown, sent once",
    26: "a process killed at each point of a commit",
    27: "a key that was used for another request",
    28: "an API that goes on answering a stored 500",
    29: "an operator confirms that an unknown write was not done",
    30: "a model that supplies an idempotency key",
    31: "a target that moves between preview and commit",
    32: "a weak ETag",
    33: "two approved proposals on one resource, committed together",
    34: "a cancel that comes too late",
    35: "a caller that is cancelled after bytes went out",
    36: "a handle that another process reads at once",
    37: "JSON that readers understand differently, or that is too deep or too long",
    38: "equal arguments in another order, form or process have one digest",
    39: "path values that would leave their segment",
    40: "header values with controls or beyond ASCII",
    41: "a tool outside the run's capability set, in any spelling",
    42: "a tenant at its limit, beside another",
    43: "a 429 with `Retry-After` as a date and as a day",
    44: "a canary in every value is in no span, log or audit row",
    45: "a recorded trace that is replayed without a network",
    46: "a collector that is down or slow",
}
LATER = {
    "P14": "the web desk, which warns on its page, comes with a later issue",
    "P17": "the web desk comes with a later issue",
    "P18": "the web desk comes with a later issue",
    "S1": "PostgreSQL comes with a later issue",
    "T3": "traces come with a later issue",
    "case 45": "traces come with a later issue",
} | {f"case {number}": "the web desk comes with a later issue" for number in range(19, 24)}

_NAME = re.compile(
    r"\b(PL|[DPIVOERSCLTX])([0-9]{1,2})\b(?: to (?:PL|[DPIVOERSCLTX])?([0-9]{1,2})\b)?"
)
_CASE = re.compile(r"\bcases? ((?:[0-9]{1,2}(?: to |, | and )?)+)", re.IGNORECASE)


def named(docstring: str) -> set[str]:
    """Return the promises that a docstring names, ranges spelt out."""
    found: set[str] = set()
    for family, first, last in _NAME.findall(docstring):
        found |= {f"{family}{number}" for number in range(int(first), int(last or first) + 1)}
    for text in _CASE.findall(docstring):
        numbers = [int(number) for number in re.findall("[0-9]+", text)]
        if " to " in text and len(numbers) == 2:
            numbers = list(range(numbers[0], numbers[1] + 1))
        found |= {f"case {number}" for number in numbers}
    return found


def naming_tests() -> Iterator[tuple[str, set[str]]]:
    """Yield each test that names a promise, as `tests/…::name`."""
    for path in sorted((ROOT / "tests").glob("**/test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                text = ast.get_docstring(node) if node.name.lower().startswith("test") else None
                if text and (promises := named(text)):
                    yield f"{path.relative_to(ROOT).as_posix()}::{node.name}", promises


def render() -> str:
    """Return the page."""
    held: dict[str, list[str]] = {}
    for test, promises in naming_tests():
        for promise in promises:
            held.setdefault(promise, []).append(test)
    lines = [
        "# The boundary's promises, and the tests that hold them",
        "",
        "Made by `python -m tests.promises` from the docstrings of the tests; a test holds it fresh.",
        "",
        "| line | promise | held by |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {text} | {_held(name, held)} |" for name, text in PROMISES.items()]
    lines += ["", "Cases that the tests play; what is open has no test yet.", ""]
    lines += ["| case | what happens | held by |", "|---|---|---|"]
    lines += [f"| {n} | {text} | {_held(f'case {n}', held)} |" for n, text in CASES.items()]
    return "\n".join(lines) + "\n"


def _held(name: str, held: dict[str, list[str]]) -> str:
    found = [f"`{test}`" for test in sorted(held.get(name, ()))]
    if name in LATER:
        return f"open: {LATER[name]}" + (f"; in part {', '.join(found)}" if found else "")
    return ", ".join(found) or "open"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
