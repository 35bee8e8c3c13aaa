"""Who changes, in the terminal: decisions moved up and down, in all and in each cell."""

from __future__ import annotations

import numpy as np
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from crossfair.changes import Changes
from crossfair.cli.terminal import clean, table, write
from crossfair.numerals import amount, percent


def show(found: Changes | None, on: Console, *, most: int) -> None:
    """Print what changed, for the `most` cells in which most do."""
    if found is None:
        write([Text("Changes are not counted: DATA lack an attribute of the policy.")], on)
        return
    records, up, down = (found.total(figure) for figure in ("records", "up", "down"))
    lines = [
        Text.assemble(("Decisions", "bold"), f" on {amount(records)} records"),
        Text(f"accepted: {amount(found.total('given'))} as given, {amount(found.total('repaired'))} now"),
        Text(
            f"changed: {amount(up)} up, from rejected to accepted, and {amount(down)} down "
            f"({percent((up + down) / records if records else None)} of all)"
        ),
    ]
    write([Group(*lines), *([cells(found, on, most=most)] if most else [])], on)


def cells(found: Changes, on: Console, *, most: int) -> Table:
    """The cells in which most decisions change."""
    grid = table("Cell", "Records", "Given", "Now", "Up", "Down", numbers=5, on=on)
    order = np.argsort(-(found.up + found.down), kind="stable").tolist()
    for cell in order[:most]:
        figures = (found.records, found.given, found.repaired, found.up, found.down)
        grid.add_row(clean(found.cells.show(cell)), *(amount(float(figure[cell])) for figure in figures))
    if len(order) > most:
        grid.add_row(Text(f"… and {len(order) - most:,} cells with fewer changes", "dim"))
    return grid
