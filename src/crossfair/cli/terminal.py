"""How things look in a terminal: the console, the tables, the numbers. Piped output is plain text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

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
    return Text("".join(c if c.isprintable() else repr(c)[1:-1] for c in text))


def number(value: float | None) -> str:
    """Return an ε to three decimals; a dash where there is none.

    >>> number(8.14765), number(float("inf")), number(None)
    ('8.148', '∞', '–')
    """
    if value is None:
        return "–"
    return f"{value:.3f}" if math.isfinite(value) else "∞"


def span(show: Callable[[float], str], low: float | None, high: float | None) -> str:
    """Return an interval whose ends are shown by `show`; a dash where there is none.

    >>> span(number, 0.5, 1.25), span(number, None, None)
    ('0.500 – 1.250', '–')
    """
    return "–" if low is None or high is None else f"{show(low)} – {show(high)}"


def factor(value: float) -> str:
    """Return a ratio to about three digits.

    >>> factor(1.2346), factor(34.56), factor(3455.25), factor(3e9), factor(float("inf"))
    ('1.23', '34.6', '3,455', '3.0e+09', '∞')
    """
    if not math.isfinite(value):
        return "∞"
    if value >= 1e6:
        return f"{value:.1e}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def amount(value: float) -> str:
    """Return a number of records, or a sum of weights.

    >>> amount(32560), amount(0.125)
    ('32,560', '0.125')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def share(value: float | None) -> str:
    """Return a rate to four decimals, a tiny one so that it does not look like 0; a dash where there is none.

    >>> share(0.24081), share(0.00003), share(0.0), share(None)
    ('0.2408', '3.0e-05', '0.0000', '–')
    """
    if value is None:
        return "–"
    return f"{value:.1e}" if 0 < value < 0.0005 else f"{value:.4f}"
