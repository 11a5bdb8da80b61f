"""TC608."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place
from toolcharter.wording import visible

__all__ = ["LabelUnusable"]

_LABEL = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class LabelUnusable(CharterRule):
    """Finds names of roles, policies, purposes, context and shared fields that cannot be written elsewhere.

    Why: the names stand in templates, in the snapshot, on a command line and in the application's code; one with a space
    or a quote in it is written wrong sooner or later, and a wrong role is another set of permissions.

    Bad:

        roles: {"Support Agent": {reads: [get_customer]}}

    Good:

        roles: {support_agent: {reads: [get_customer]}}
    """

    code = "TC608"
    name = "label-unusable"
    hint = "Use lower-case letters, digits and underscores, at most 64."

    def check(self, charter: Charter) -> Iterator[Finding]:
        groups = (
            ("role", "roles", charter.roles, _LABEL),
            ("policy", "policies", charter.policies, _LABEL),
            ("context", "context", charter.context, _NAME),
            ("field", "fields", charter.fields, _NAME),
        )
        for kind, key, names, form in groups:
            for name in names:
                if not form.fullmatch(name):
                    shown = f"the {kind} name `{visible(name, 80)}` cannot be used elsewhere"
                    yield Finding(shown, place(charter, key, name))
        for role, grant in charter.roles.items():
            for index, purpose in enumerate(grant.purposes):
                if not _LABEL.fullmatch(purpose):
                    shown = f"the purpose `{visible(purpose, 80)}` cannot be used elsewhere"
                    yield Finding(shown, place(charter, "roles", role, "purposes", index))
