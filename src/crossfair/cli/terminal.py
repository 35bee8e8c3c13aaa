"""How things look in a terminal: the console, the tables, text of the data. Piped output is plain text."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from crossfair.shown import plain

WORD_STYLES = {"pass": "bold green", "fail": "bold red", "undecided": "bold yellow"}


def console() -> Console:
    """Return the console for the standard output: as wide as the terminal, 80 columns where there is none."""
    return Console(highlight=False)


def table(*columns: str, numbers: int, on: Console) -> Table:
    """Return an empty table whose last `numbers` columns stand right; ruled on a terminal only."""
    ruled = box.SIMPLE_HEAD if on.is_terminal else None
    grid = Table(box=ruled, show_edge=False, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    words = len(columns) - numbers
    for place, name in enumerate(columns):
        if place < words:
            grid.add_column(name, overflow="fold")
        else:
            grid.add_column(name, justify="right", no_wrap=True)
    return grid


def write(blocks: Iterable[RenderableType], on: Console) -> None:
    """Print blocks with an empty line behind each; piped, with no spaces at the ends of lines."""
    for block in blocks:
        if on.is_terminal:
            on.print(block, "", sep="\n")
            continue
        with on.capture() as captured:
            on.print(block)
        on.file.writelines(f"{line.rstrip()}\n" for line in [*captured.get().splitlines(), ""])


def clean(text: str) -> Text:
    """Return text that came with the data as it is, but for characters that could steer the terminal.

    >>> clean("Other \\x1b[31m").plain
    'Other \\\\x1b[31m'
    """
    return Text(plain(text))
