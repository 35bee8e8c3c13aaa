"""The commands under one name, and the one place that turns errors into messages and exit codes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from crossfair.cli.audit import audit
from crossfair.cli.compare import compare
from crossfair.cli.completion import completion
from crossfair.cli.count import count, curves
from crossfair.cli.decide import decide
from crossfair.cli.demo import demo
from crossfair.cli.explain import explain
from crossfair.cli.frontier import frontier
from crossfair.cli.mitigate import mitigate
from crossfair.cli.reproduce import reproduce
from crossfair.cli.sql import sql
from crossfair.errors import CrossfairError, SolverError

USAGE_ERROR = 2
DEFECT = 70  # as sysexits.h has it for an error of the program itself
INTERRUPTED = 130


class _InOrder(click.Group):
    """Lists its commands in the order they were added, which is the order of the work."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(package_name="crossfair", message="%(prog)s %(version)s")
def app() -> None:
    """Measure and repair unfairness over intersections of sensitive attributes.

    Exit codes: 0 all is well; 1 a limit is broken; 2 wrong usage or data; 3 undecided.
    """


_COMMANDS = (
    audit, mitigate, frontier, decide, sql, explain, count, curves, compare, demo, reproduce, completion,
)  # fmt: skip
for command in _COMMANDS:
    app.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; what the user got wrong is one message, never a traceback."""
    _tolerate_narrow_encodings()
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            typed = list(arguments)
            return app.main(typed, prog_name="crossfair", standalone_mode=False, obj=tuple(typed)) or 0
        except click.Abort:
            click.echo("Interrupted.", err=True)
            return INTERRUPTED
        except click.ClickException as error:
            error.show()
        except SolverError as error:
            click.echo(f"Error: {error}", err=True)
            return DEFECT
        except (CrossfairError, OSError) as error:
            click.echo(f"Error: {error}", err=True)
    return USAGE_ERROR


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"Warning: {message}", err=True)


def _tolerate_narrow_encodings() -> None:
    """Where the terminal cannot write ε or ≤, it writes a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
