"""Codes of bringing description and charter together."""

from __future__ import annotations

from ._entry import Entry

__all__ = ["RESOLVING_CODES"]

RESOLVING_CODES = (
    Entry(
        "TC110",
        "place-not-described",
        (
            "Finds places that the operation does not have.",
            "A field that is sent and not read is a wish; one that is read and never answered stops the tool.",
            "view: {name: /fullname}",
            "view: {name: /full_name}",
        ),
    ),
    Entry(
        "TC111",
        "required-not-defined",
        (
            "Finds schemas that require a property which they do not define.",
            "No value can be built that the API would take.",
            "{required: [naem], properties: {name: {type: string}}}",
            "{required: [name], properties: {name: {type: string}}}",
        ),
    ),
    Entry(
        "TC113",
        "branch-undecided",
        (
            "Finds places where several kinds of value stand, or an object, and the charter does not say which.",
            "A contract accepts one thing, and knows which.",
            "view: {customer: /customer}             # a string or an object",
            "view: {customer: {at: /customer, branch: string}}",
        ),
    ),
    Entry(
        "TC115",
        "constraints-contradict",
        (
            "Finds keywords that loosen what is described, or that no value can satisfy.",
            "Over a described place the charter may only tighten: what it loosens, the API refuses.",
            "amount: {to: /amount, maximum: 100000}      # described: maximum 50000",
            "amount: {to: /amount, maximum: 20000}",
        ),
    ),
    Entry(
        "TC118",
        "place-with-two-sources",
        (
            "Finds places that two inputs, or an input and `send`, would fill.",
            "Which of two values is sent must not depend on order.",
            'input: {currency: /currency}, send: {/currency: "EUR"}',
            'send: {/currency: "EUR"}',
        ),
    ),
    Entry(
        "TC120",
        "request-incomplete",
        (
            "Finds required fields of the request that nothing fills.",
            "Every call would be refused upstream.",
            "input: {amount: /amount}                # the body also requires `currency`",
            'input: {amount: /amount}, send: {/currency: "{$before.currency}"}',
        ),
    ),
    Entry(
        "TC121",
        "constant-does-not-fit",
        (
            "Finds constants and templates under `send` that their place does not accept.",
            "What is fixed by the charter is checked once, here, instead of failing at every call.",
            "send: {/notify: maybe}                  # a boolean there",
            "send: {/notify: false}",
        ),
    ),
    Entry(
        "TC122",
        "guard-does-not-fit",
        (
            "Finds keys, markers and versions that the place they are sent to does not accept.",
            "A key of 36 characters in a field of 25 is cut or refused, and then guards nothing.",
            'send: {/nonce: "order-{$key}"}          # at most 25 characters',
            'send: {/nonce: "{$key}"}',
        ),
    ),
    Entry(
        "TC222",
        "ceiling-used",
        (
            "Finds values that only the ceilings of last resort bound.",
            "A ceiling keeps the worst away; a bound of its own says what the value is.",
            "ceilings: {string: 2000}                # and `note: /note` has no bound of its own",
            "input: {note: {to: /note, maxLength: 200}}",
        ),
        "warning",
    ),
    Entry(
        "TC405",
        "binary-result",
        (
            "Finds bytes in an input or a view.",
            "A model reads text; a file is handed on by a handle.",
            "view: {file: /content}                  # format: binary",
            "view: {file: /id, size: /size, sha256: /sha256}",
        ),
    ),
    Entry(
        "TC407",
        "answer-without-schema",
        (
            "Finds operations whose success answers describe nothing to read.",
            "What is not described cannot be checked; type it in the charter, and attest it.",
            "view: {name: /name}                     # 200 without a schema",
            "view: {name: {at: /name, type: string, maxLength: 80}}",
        ),
    ),
    Entry(
        "TC540",
        "claim-unproved",
        (
            "Finds claims that the description does not carry and that nobody attests.",
            "A claim is proved, declared or attested in writing; the grade is in the snapshot.",
            'send: {header.Idempotency-Key: "{$key}"}      # the description has no such header',
            'attest: {header.Idempotency-Key: "Vendor docs, Idempotent requests"}',
        ),
    ),
    Entry(
        "TC541",
        "attestation-unused",
        (
            "Finds attestations of claims that nothing makes, or that the description proves.",
            "An attestation that vouches for nothing makes a reader believe in something that is not there.",
            "attest: {header.X-Request-Id: Vendor docs}    # sent nowhere",
            "# leave it out",
        ),
    ),
    Entry(
        "TC542",
        "conflict-never-seen",
        (
            "Finds writes that send a version while no answer becomes `VERSION_CONFLICT`.",
            "A stale version would be refused upstream and reported as something else.",
            'send: {/sha: "{$version}"}              # the conflict is a 409, and no rule says so',
            "answers: [{when: {http: 409}, is: rejected, code: VERSION_CONFLICT}]",
        ),
    ),
    Entry(
        "TC543",
        "failure-looks-like-success",
        (
            "Finds operations whose success and error answers differ by one tag that no rule reads.",
            "An error with status 200 would count as completed.",
            "answers: []                             # {ok: true, …} or {ok: false, error: …}",
            "answers: [{when: {/ok: false}, is: rejected, code: UPSTREAM_REJECTED}]",
        ),
    ),
    Entry(
        "TC544",
        "query-language-open",
        (
            "Finds inputs that are joined into a query language, or are unbounded, in a template.",
            "Quotes, spaces, colons and operators of the input become part of the query.",
            'send: {query.q: "repo:{repo} {words}"}',
            'words: {pattern: "^[a-z0-9-]{1,40}$"}',
        ),
    ),
    Entry(
        "TC545",
        "answer-rule-idle",
        (
            "Finds answer rules that are never reached, or on a status that the description does not declare.",
            "The first match wins: a rule behind a wider one decides nothing.",
            "answers: [{when: {http: 409}, is: unknown}, {when: {http: 409, /code: used}, is: rejected, code: UPSTREAM_REJECTED}]",
            "answers: [{when: {http: 409, /code: used}, is: rejected, code: UPSTREAM_REJECTED}, {when: {http: 409}, is: unknown}]",
        ),
    ),
    Entry(
        "TC546",
        "default-fits-no-tool",
        (
            "Finds entries of `defaults` that no tool has the place for.",
            "A default that applies nowhere is a misspelling, or a guard that is not there.",
            'defaults: {send: {header.Idempotency-Kye: "{$key}"}}',
            'defaults: {send: {header.Idempotency-Key: "{$key}"}}',
        ),
    ),
    Entry(
        "TC547",
        "boundary-read-unfit",
        (
            "Finds reads that the boundary is told to make and cannot: not a read, an input unfilled, a list without pages.",
            (
                "Target, checks, status and proof are read by the boundary itself, through read tools. A search goes page "
                "by page; a list that is short by nature (`maxItems`, TC403) is asked as a whole: view `/*/x`, and `contains`."
            ),
            "target: {read: get_payment}             # needs `payment`, which the write does not take",
            'target: {read: get_payment, with: {payment: "{$answer.payment}"}}',
        ),
    ),
    Entry(
        "TC548",
        "evidence-thin",
        (
            "Finds writes whose evidence the answer may leave out altogether, with no `proof` beside it.",
            "What is optional in the answer may be null in the evidence, on the day when it is asked for.",
            "evidence: {operation_id: operation}     # optional in the success schema",
            "evidence: {operation_id: operation, proof: {$after.state: paid}}",
        ),
        "warning",
    ),
    Entry(
        "TC549",
        "state-unmapped",
        (
            "Finds states of a followed operation that `states` maps to nothing.",
            "A state that is not mapped counts as running, for ever.",
            "states: {succeeded: {state: done}}                   # the enum also has `failed`",
            "states: {succeeded: {state: done}, failed: {state: failed}}",
        ),
    ),
)
