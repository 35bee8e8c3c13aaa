"""Where results go: a JSON file, the standard output, or a terminal."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from dataclasses import dataclass

import click

from crossfair.cli.sections import Command, section

STANDARD_OUTPUT = "-"


def page(command: Command) -> Command:
    """Add --html to a command, which receives the path as `html`; one that cannot be written is refused."""
    return section("Output")(
        "--html", metavar="FILE", callback=_checked, help="Write a page that can be read offline and printed."
    )(command)


def cells_shown(command: Command) -> Command:
    """Add --cells to a command, which receives the most cells to show as `most_cells`."""
    return section("Output")(
        "--cells",
        "most_cells",
        type=click.IntRange(min=0),
        default=12,
        metavar="N",
        help="Show at most N cells, 0 for none.  [default: 12]",
    )(command)


def typed() -> str:
    """The command that is running, as one would type it; a password in a URL is left out."""
    from crossfair.frames import without_password

    arguments = click.get_current_context().find_object(tuple) or ()
    return shlex.join(["crossfair", *map(without_password, arguments)])


def _checked(_context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        from crossfair import files

        files.check_target(path, option.opts[0])
    return path


@dataclass(frozen=True)
class Output:
    """What the options --json and --quiet ask for."""

    json: str | None
    quiet: bool

    @property
    def shown(self) -> bool:
        """Whether the results are shown as tables."""
        return not self.quiet and self.json != STANDARD_OUTPUT

    def write(self, document: Callable[[], str]) -> None:
        """Write the JSON document, if and where it was asked for."""
        if self.json == STANDARD_OUTPUT:
            click.echo(document())
        elif self.json is not None:
            from crossfair import documents

            documents.write(self.json, document())


def output(command: Command) -> Command:
    """Add --json and --quiet to a command, which receives them as one `Output`."""

    @functools.wraps(command)
    def call(*arguments: object, json: str | None, quiet: bool, **given: object) -> object:
        return command(*arguments, output=Output(json, quiet), **given)

    option = section("Output")
    quiet = option("--quiet", "-q", is_flag=True, help="Print nothing; the exit code tells.")
    return option("--json", metavar="FILE", help="Write the result as JSON; - for standard output.")(
        quiet(call)
    )
