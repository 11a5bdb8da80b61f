"""The command line: one file a command; it prints, and never decides.

Exit codes: 0 clean, 1 findings or drift, 2 usage or unreadable input, 3 internal error.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

__all__ = ["main"]

_COMMANDS = {
    "generate": "Write the packages of charters.",
    "check": "Say whether the packages on disk are what would be written.",
    "lint": "Say what is wrong with charters; write nothing.",
    "init": "Write a charter to start from.",
    "vendor": "Write the slice of a description that a charter reaches.",
    "explain": "Say what a code means and how to mend it.",
    "schema": "Write the JSON Schema of the charter format.",
}
"""Name → its line in the help. Each lives in the module of its name, imported when it is called."""

_EXTRA = frozenset(
    {
        "datamodel_code_generator", "jinja2", "jsonschema_path", "openapi_schema_validator", "openapi_spec_validator",
        "rich", "ruff",
    }
)  # fmt: skip
"""What comes with `toolcharter[generate]`."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"toolcharter.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Print the table, so that the general help imports no command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    None, "--version", package_name="toolcharter", message="toolcharter %(version)s"
)
def _toolcharter() -> None:
    """Typed, narrow, approved tools from an OpenAPI description and a charter.

    \b
    Example:
      toolcharter init specs/crm/openapi.yaml --tool getCustomer
      toolcharter generate
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; an error of ours shows no traceback unless `TOOLCHARTER_DEBUG` is set.

    A command is short, so no garbage is collected: looking for it costs a tenth of the time and saves a few megabytes.
    The interpreter would look once more on its way out, unless all that is left counts as permanent.
    """
    gc.disable()
    code = _run(arguments)
    gc.freeze()
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = _toolcharter.main(
            args=None if arguments is None else list(arguments),
            prog_name="toolcharter",
            standalone_mode=False,
        )
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except ModuleNotFoundError as error:
        return _missing(error)
    except OSError as error:
        return _refused(error)
    except Exception as error:
        return _internal(error)
    return code if isinstance(code, int) else 0


def _missing(error: ModuleNotFoundError) -> int:
    if (error.name or "").partition(".")[0] not in _EXTRA:
        return _internal(error)
    click.echo(
        f"toolcharter: this command needs {error.name}: pip install 'toolcharter[generate]'",
        err=True,
    )
    return 2


def _refused(error: OSError) -> int:
    """Say what the system did not let us read or write; an error without its words is not the system's."""
    if error.strerror is None:
        return _internal(error)
    from toolcharter.wording import visible

    where = "" if error.filename is None else f"{visible(str(error.filename))}: "
    click.echo(f"Error: {where}{error.strerror}", err=True)
    return 2


def _internal(error: Exception) -> int:
    if os.environ.get("TOOLCHARTER_DEBUG"):
        raise error
    click.echo(
        f"toolcharter: internal error ({type(error).__name__}); nothing was written. "
        "Set TOOLCHARTER_DEBUG=1 to see where.",
        err=True,
    )
    return 3
