"""The HTTP ring: requests out of contracts, answers into views. The only ring that uses the network."""

from __future__ import annotations

from toolcharter_runtime.upstream.answer import Answer, Judgement, judge, parse_answer, retry_after
from toolcharter_runtime.upstream.bodies import carry
from toolcharter_runtime.upstream.client import Upstream
from toolcharter_runtime.upstream.credentials import AuthCallback, Credential, CredentialError, Need
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent, UpstreamError, Violation
from toolcharter_runtime.upstream.paging import next_cursor, open_cursor, seal_cursor
from toolcharter_runtime.upstream.request import (
    BuiltRequest,
    CredentialPlace,
    build_request,
    check_request,
    request_digest,
)
from toolcharter_runtime.upstream.retrying import Schedule
from toolcharter_runtime.upstream.view import Projected, present, project, salvage

__all__ = [
    "Answer",
    "AuthCallback",
    "BuiltRequest",
    "Credential",
    "CredentialError",
    "CredentialPlace",
    "Judgement",
    "Need",
    "NoAnswer",
    "NotSent",
    "Projected",
    "Schedule",
    "Upstream",
    "UpstreamError",
    "Violation",
    "build_request",
    "carry",
    "check_request",
    "judge",
    "next_cursor",
    "open_cursor",
    "parse_answer",
    "present",
    "project",
    "request_digest",
    "retry_after",
    "salvage",
    "seal_cursor",
]
