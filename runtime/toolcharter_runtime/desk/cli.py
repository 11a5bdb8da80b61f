"""`toolcharter-desk`: the commands of approvers and operators."""

from __future__ import annotations

import click

from toolcharter_runtime.desk.auditing import audit, verify
from toolcharter_runtime.desk.deciding import approve, deny, withdraw
from toolcharter_runtime.desk.listing import pending, show, unknown
from toolcharter_runtime.desk.people import init, person
from toolcharter_runtime.desk.settling import settle

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    None, "--version", package_name="toolcharter", message="toolcharter-desk %(version)s"
)
def main() -> None:
    """Read what an agent would do, decide it, settle what is unknown.

    Every decision is made by a named person who gives a password, and is signed with the desk's key. Exit codes: 0 done,
    1 refused, 2 usage or unreadable input, 3 internal error.

    \b
    Example:
      toolcharter-desk init
      toolcharter-desk person add ann --group support_lead
      toolcharter-desk pending --store sqlite:///boundary.db --tenant acme
    """


for _command in (
    init, person, pending, show, approve, deny, withdraw, unknown, settle, audit, verify,
):  # fmt: skip
    main.add_command(_command)
