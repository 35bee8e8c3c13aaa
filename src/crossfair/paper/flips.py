"""The paper's table of flips beside ours. It names two cells twice; where figures show which cell is meant,
the second row is read so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossfair.paper.published import FLIPS

Row = Mapping[str, Any]
Cell = tuple[Any, ...]
Pair = tuple[float, float]

#: The paper's table has so many decimals.
DECIMALS = 2


@dataclass(frozen=True)
class Reading:
    """A row of the paper's table: the cell as printed and as read, its flips of 0 and of 1, and ours."""

    printed: Cell
    read: Cell
    paper: Pair
    ours: Pair


def readings(rows: Sequence[Row]) -> list[Reading]:
    """Return the paper's rows in its order, each with the flips that we find for the cell it is read as."""
    ours = {tuple(row["cell"]): (row["rejected"], row["accepted"]) for row in rows}
    found: list[Reading] = []
    for cell, rejected, accepted in FLIPS:
        again = any(one.printed == cell for one in found)
        read = _meant(cell, (rejected, accepted), ours) if again else cell
        found.append(Reading(cell, read, (rejected, accepted), ours[read]))
    return found


def unnamed(rows: Sequence[Row]) -> list[Row]:
    """Return our rows with flips that no row of the paper is read as."""
    read = {one.read for one in readings(rows)}
    return [row for row in rows if tuple(row["cell"]) not in read and (row["rejected"] or row["accepted"])]


def _meant(cell: Cell, paper: Pair, ours: Mapping[Cell, Pair]) -> Cell:
    """The one cell that the paper does not name and that has such flips here; else the cell as printed."""
    named = {name for name, *_ in FLIPS}
    alike = [
        other
        for other, pair in ours.items()
        if other not in named and tuple(round(value, DECIMALS) for value in pair) == paper
    ]
    return alike[0] if len(alike) == 1 else cell
