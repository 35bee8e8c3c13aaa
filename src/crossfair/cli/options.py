"""The options that several commands share, and how their texts are read."""

from __future__ import annotations

import csv
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from crossfair.cli.sections import Command, section
from crossfair.errors import invalid

_READ = ("by", "bins", "label", "positive", "prediction", "score", "threshold", "weight", "missing", "table")
_OF_DECISIONS = ("prediction", "threshold")


@dataclass(frozen=True)
class Source:
    """The data a command reads: files, and the options that say how (`READ`)."""

    files: tuple[str, ...]
    read: dict[str, Any]

    @property
    def data(self) -> str | list[str]:
        """The argument `data` of the functions in `crossfair.api`."""
        return self.files[0] if len(self.files) == 1 else list(self.files)

    @property
    def title(self) -> str:
        """The data in words; a password in a URL is left out."""
        from crossfair.frames.database import without_password

        first = without_password(self.files[0])
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1:,} more"


def memory_limit(context: click.Context, _option: click.Parameter, size: str | None) -> None:
    """Keep the reading of files within so much memory, until the command ends."""
    if size is not None:
        from crossfair.frames import files

        context.with_resource(files.memory_limit(size))


def names(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> list[str]:
    """Split comma-separated names; a name that holds a comma stands in double quotes."""
    return [name for text in given for row in csv.reader([text], skipinitialspace=True) for name in row]


def bins(_context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, list[float]]:
    """Read `age=30,50` as the edges of an attribute."""
    edges_of = pairs(option, given, "age=30,50")
    return {name: [_number(option, edge) for edge in edges.split(",")] for name, edges in edges_of.items()}


def limits(_context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    """Read `equalized_odds=0.223` as the limit of a metric; `four_fifths` stands for -log(0.8)."""
    limit_of = pairs(option, given, "equalized_odds=0.223")
    return {name: _limit(option, limit) for name, limit in limit_of.items()}


def pairs(
    option: click.Parameter, given: tuple[str, ...], example: str, *, empty: bool = False
) -> dict[str, str]:
    """Read texts like the example as names and values; `empty` ones only if they may be."""
    found: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=") if empty else text.rpartition("=")
        if not name or not sign or not (value or empty):
            raise invalid(option.opts[0], f"must look like {example}", got=repr(text))
        if name in found:
            raise invalid(option.opts[0], f"must be given once for {name!r}", got=repr(text))
        found[name] = value
    return found


def _number(option: click.Parameter, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise invalid(option.opts[0], "must be a number", got=repr(text)) from None


def _limit(option: click.Parameter, text: str) -> float:
    if text.replace("-", "_") == "four_fifths":
        from crossfair.api import four_fifths

        return four_fifths
    return _number(option, text)


DATA, MEMORY = "files", "memory_limit"

_option = section("Data")
_READING: dict[str, Command] = {
    DATA: click.argument("files", nargs=-1, required=True, metavar="DATA..."),
    "by": _option("--by", multiple=True, callback=names, metavar="A,B,…",
                  help="Sensitive attributes, separated by commas.  [required for records]"),
    "bins": _option("--bins", multiple=True, callback=bins, metavar="A=EDGES",
                    help="Cut a numeric attribute: age=50 gives ≤ 50 and > 50."),
    "label": _option("--label", metavar="COLUMN", help="Column of true outcomes."),
    "positive": _option("--positive", metavar="VALUE", help="The positive outcome; not needed for 0/1."),
    "prediction": _option("--prediction", metavar="COLUMN", help="Column of predicted outcomes."),
    "score": _option("--score", metavar="COLUMN", help="Column of scores, instead of --prediction."),
    "threshold": _option("--threshold", type=float, metavar="T",
                         help="Scores of T or more are positive (0.5)."),
    "weight": _option("--weight", metavar="COLUMN", help="Column of record weights."),
    "missing": _option("--missing", type=click.Choice(["level", "drop", "error"]), default="level",
                       metavar="RULE", show_default=True,
                       help="A missing attribute value: level (of its own), drop or error."),
    "table": _option("--table", metavar="NAME", help="Table to read, where DATA is a database."),
    MEMORY: _option("--memory-limit", metavar="SIZE", callback=memory_limit, expose_value=False,
                    help="Read files in at most so much memory, as 2GB; the rest goes to the disk."),
}  # fmt: skip


def reading(command: Command) -> Command:
    """Add DATA and the reading options to a command, which receives them as one `Source`."""
    return _reading(command, _READ)


def reading_scores(command: Command) -> Command:
    """Add DATA and those reading options that are not about decisions."""
    return _reading(command, [name for name in _READ if name not in _OF_DECISIONS])


def _reading(command: Command, keys: Sequence[str]) -> Command:
    @functools.wraps(command)
    def read(files: tuple[str, ...], **given: Any) -> Any:
        options = {key: given.pop(key) for key in keys}
        source = Source(files, {key: value for key, value in options.items() if value not in (None, {}, [])})
        return command(source, **given)

    decorated: Command = functools.wraps(command)(read)
    for name, option in reversed(_READING.items()):
        decorated = option(decorated) if name in (DATA, MEMORY, *keys) else decorated
    return decorated
