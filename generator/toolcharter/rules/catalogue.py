"""The first catalogue of rules, code by code: what became of each, and why, held by a test against the table of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CATALOGUE", "Planned"]


@dataclass(frozen=True, slots=True)
class Planned:
    """One rule as it was first planned: the code that finds it now (empty where none does), and why."""

    code: str
    name: str
    now: str
    why: str

    @property
    def fate(self) -> str:
        """Return `kept`, `merged` (another code finds it) or `dropped`."""
        if not self.now:
            return "dropped"
        return "kept" if self.now == self.code else "merged"


_TABLE: Final = """
TC101 | open-object-input | TC101 | as planned; a declared map (`values`) is TC102's
TC102 | free-form-map | TC102 | number of entries and length of keys; a map of anything is TC104's
TC103 | tunnel-payload | TC103 | as planned
TC104 | any-schema | TC104 | as planned
TC105 | too-many-optionals | TC105 | as planned
TC106 | optional-groups | TC106 | as planned
TC107 | deep-nesting | TC107 | as planned
TC108 | generic-write-verb | TC108 | only where the charter fixes nothing of what is done; `run`, `query` and `admin` name things as often as actions
TC109 | mass-assignment | TC109 | names the service keeps are errors, names of privilege warnings; sharing the response's schema says nothing, since a charter lists its inputs
TC110 | field-not-in-spec | TC110 | as planned; an unknown operation is TC726
TC111 | required-not-defined | TC111 | as planned
TC112 | default-on-required | TC112 | as planned
TC113 | mixed-type-list | TC113 | split: kinds told apart by their type are carried as they are; where the charter must choose it is an error
TC114 | recursive-input | TC114 | as planned; a cycle that the charter lists only to some depth is closed there and is none
TC115 | contradictory-constraints | TC115 | as planned, and keywords of the charter that loosen
TC116 | url-input | TC116 | as planned
TC117 | path-like-or-id-in-path | - | the boundary holds it: each value is encoded into one segment, a value that could become another is refused, and the built path is compared with the template
TC118 | body-and-path-name-clash | TC118 | one place with two sources is an error; one name in two places is two inputs, each with its `to`
TC201 | unbounded-string | TC201 | an error in a read, too: a ceiling for all mends it
TC202 | unbounded-number | TC202 | a read may lack one of the two bounds, as a warning
TC203 | money-as-float | TC203 | an error in every input, a warning in a view
TC204 | amount-without-currency | TC204 | in writes
TC205 | unbounded-array | TC205 | an error in a read, too: a ceiling for all mends it
TC206 | date-as-string | TC206 | as planned
TC207 | date-time-without-offset | TC213 | `date-time` is asserted as RFC 3339, so none without an offset passes; `local-time` and its like are formats that nothing checks
TC208 | duration-without-unit | TC208 | as planned
TC209 | integer-too-wide | TC209 | as planned
TC210 | numeric-identifier | - | information on which nobody acts: the API's ids are what they are, and who may see a record is the API's to check
TC211 | pattern-not-anchored | TC211 | as planned
TC212 | pattern-unsafe | TC212 | what does not compile is an error; what only a backtracking engine runs is a warning, since the contract still means exactly that
TC213 | unknown-format | TC213 | as planned
TC214 | type-format-mismatch | TC214 | a warning: JSON Schema passes over such a format, so nothing that the description accepts is lost
TC215 | boolean-trap | - | information; `branches` and TC105 are where a choice is asked for
TC216 | volatile-enum | TC216 | identifiers, and lists of more than thirty values
TC217 | enum-without-meaning | - | information; `description` of an input is the charter's own word
TC218 | duplicate-enum / enum-type-mismatch | TC218 | a warning: type and enum both hold, so the value is only never accepted
TC219 | nullable-and-optional | - | settled by the format: null is refused unless the charter says `nullable: true`
TC301 | missing-discriminator | TC301 | as planned; kinds of plain values are TC302's
TC302 | overlapping-branches | TC302 | a warning, for plain values: the same value is sent either way; objects that overlap are TC301's or TC304's
TC303 | discriminator-contradicts-tag | TC303 | as planned
TC304 | duplicate-tag-value | TC304 | as planned
TC305 | superfluous-composition | - | a matter of style: a composition of one member means its member, and the contract has it inlined
TC306 | union-too-wide | TC306 | as planned
TC401 | secret-in-output | TC401 | and secrets that are quoted in evidence or in the sentence of effect
TC402 | pii-in-output | - | the charter has no classes of data; every field of a view is listed by a person, and `redact` or `hidden` is the word for it
TC403 | unbounded-list-result | TC403 | as planned
TC404 | result-too-large | TC412 | each part has a bound, and `ceilings.result` bounds the whole at run time
TC405 | binary-result | TC405 | of inputs, too
TC406 | free-form-output | TC412 | a value of any type in a view has no bound
TC407 | no-output-schema | TC407 | as planned; the charter may type and attest what it reads
TC408 | echo-of-input | - | information; the view is a list of what is shown
TC409 | untrusted-text-in-output | TC412 | everything that an API answers is marked untrusted by the boundary; what is left is its length
TC410 | array-at-top-level | - | cannot happen: a view is an object of named fields
TC411 | async-result | TC411 | as planned, for writes
TC501 | write-without-approval | TC501 | as planned
TC502 | write-without-idempotency | TC502 | as planned; a claim that nothing but the charter carries is TC530
TC503 | effect-missing | TC503 | as planned
TC504 | verb-contradicts-effect | TC504 | as planned
TC505 | approval-policy-incomplete | TC505 | as planned
TC506 | approver-equals-requester | TC506 | as planned
TC507 | retry-on-unkeyed-write | TC507 | as planned
TC508 | timeout-missing / deadline-inverted | TC508 | a timeout cannot be missing: the runtime has one; an inverted one is found
TC509 | limits-missing | TC509 | as planned
TC510 | unsecured-operation | TC510 | a warning, for writes: many descriptions say nothing of credentials that their API asks for
TC511 | credential-in-url / basic / http | TC511 | a warning for a key in the address, for an API may take it nowhere else; basic over TLS is ordinary, and the address of the service is the application's, not the description's
TC512 | role-unknown / unused | TC512 | a tool in no role is TC533, a policy that nobody names TC527
TC513 | wildcard-grant | TC513 | as planned
TC514 | idempotency-window-too-short | TC514 | as planned
TC515 | destructive-without-dry-run | - | every write has a preview that an approver reads; the API's own dry run is the charter's `preview`
TC601 | missing-description | TC601 | a warning, for tools
TC602 | description-too-long / too-short / duplicate | TC602 | as planned
TC603 | ambiguous-identifier | TC603 | as planned
TC604 | suspicious-instruction-text | TC604 | split: hidden characters are TC611 and TC614, markup is TC612
TC605 | tool-name-collision / invalid / too-long | TC605 | split: clashes are TC606, names of packages, roles and fields TC607, TC608 and TC613; TC606 to TC608 have another meaning than in the plan
TC606 | missing-or-invalid-example | - | examples are not handed to a model, and bind nothing
TC607 | near-duplicate-tools | TC615 | released under another number; TC607 is a package's name
TC608 | inconsistent-name-and-type | - | information; `fields` is how a charter gives one name one meaning
TC609 | error-responses-missing | - | the boundary has a meaning for every status, described or not; a conflict that is never seen is TC542
TC610 | error-body-unstructured | - | a refusal's text never reaches the model, structured or not
TC701 | unresolved-ref | TC701 | as planned
TC702 | remote-ref | TC702 | as planned
TC703 | ref-siblings-ignored (3.0) | TC703 | as planned
TC704 | duplicate-key | TC704 | as planned
TC705 | unsupported-keyword | TC705 | as planned; in a contract it is TC220
TC706 | yaml-ambiguous-scalar | TC706 | as planned
TC707 | operation-ambiguous / path-params-mismatch | TC707 | a parameter that the path lacks is TC110 or TC120
TC708 | spec-unpinned | TC901 | the lock has the digest of every file that a package is made from
TC709 | stale-annotation | TC910 | a contract that changed under its version is an error, so a changed description is reviewed where it matters
TC801 | suppression-without-reason / expired / unused | TC801 | as planned
TC802 | deprecated-operation-exposed | TC802 | as planned
TC803 | sunset-in-past | TC802 | OpenAPI has no field for the day; `deprecated` is what a description can say
"""


def _read(line: str) -> Planned:
    code, name, now, why = line.split(" | ")
    return Planned(code, name, "" if now == "-" else now, why)


CATALOGUE: Final = tuple(map(_read, _TABLE.strip().splitlines()))
"""Every rule of the plan, in the order of the codes."""
