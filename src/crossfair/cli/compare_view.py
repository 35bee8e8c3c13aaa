"""A comparison of two audits in the terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.text import Text

from crossfair.cli.terminal import clean, table, write
from crossfair.comparison import Comparison
from crossfair.numerals import factor, number, span


def show(comparison: Comparison, on: Console, *, names: tuple[str, str], level: float) -> None:
    """Print the amplification of every metric that both audits hold."""
    grid = table(
        "Metric", "ε of A", "ε of B", "Amplification", f"{100 * level:g} % interval", numbers=4, on=on
    )
    for found in comparison:
        grid.add_row(
            found.metric,
            number(found.epsilon_a),
            number(found.epsilon_b),
            Text(factor(found.amplification), "bold"),
            span(factor, found.low, found.high),
        )
    compared = Group(Text.assemble("A: ", clean(names[0])), Text.assemble("B: ", clean(names[1])))
    write([compared, grid], on)
