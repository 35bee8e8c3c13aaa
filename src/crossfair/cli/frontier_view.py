"""A frontier in the terminal: the loss against ε, point by point."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from crossfair.cli.terminal import clean, table, write
from crossfair.frontiers import Frontier
from crossfair.numerals import number, share


def show(frontier: Frontier, on: Console, *, title: str) -> None:
    """Print the points of a frontier."""
    names = ("ε ≤", "Loss", "Gap", "TPR", "FPR", "Price of determinism")
    grid = table("Status", *names, numbers=len(names), on=on)
    for point in frontier:
        row = point.row()
        grid.add_row(
            row["status"],
            number(row["epsilon"]),
            _loss(row["loss"]),
            "–" if row["gap"] is None else f"{row['gap']:.1e}",
            share(row["tpr"]),
            share(row["fpr"]),
            _loss(row["price_of_determinism"]),
        )
    limited = ", ".join(frontier.metrics)
    heading = Text.assemble(("Frontier of ", "bold"), clean(title), f"\nlimit on {limited}")
    write([heading, grid], on)


def _loss(value: float | None) -> str:
    return "–" if value is None else f"{value:z.6f}"
