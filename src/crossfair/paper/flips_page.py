"""The part of the page on the flips of `randomize`: the paper's table row by row, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from crossfair.paper.blocks import Block, Heading, Table, Text
from crossfair.paper.flips import readings, unnamed
from crossfair.paper.names import cell_words, signed
from crossfair.paper.rows import Figures, one

HEADINGS = ("paper", "ours", "difference")
COLUMNS = ["Cell in the paper", "Read as", *(f"{sign} 50K, {name}" for sign in "≤>" for name in HEADINGS)]
NOT_NAMED = (0.0, 0.0)


def flips_blocks(census: Figures) -> Iterator[Block]:
    """The table of flips, beside the paper's."""
    yield Heading(3, "Probabilities of flipping a prediction, randomization only")
    yield Text(
        "The paper's rows in its order. It names two cells twice; the second time the row is read as the one "
        "cell that the paper leaves out and that has these flips here. Where the paper has no row, it says "
        "that there are no flips. A dash stands where a cell has no such prediction."
    )
    lines = [
        [
            cell_words(row.printed),
            "as printed" if row.read == row.printed else cell_words(row.read),
            *_flips(census, row.read, row.paper),
        ]
        for row in readings(census["flips"])
    ]
    lines += [
        ["no row", cell_words(row["cell"]), *_flips(census, row["cell"], NOT_NAMED)]
        for row in unnamed(census["flips"])
    ]
    yield Table(COLUMNS, lines, words=2)


def _flips(census: Figures, cell: Sequence[Any], paper: Sequence[float]) -> list[str]:
    """The flips of a cell, of a prediction of 0 and of 1: the paper's, ours and the difference."""
    predicted, ours = one(census["cells"], cell=list(cell)), one(census["flips"], cell=list(cell))
    found = [ours["rejected"], ours["accepted"] if predicted["predicted"] else None]
    return [text for printed, flip in zip(paper, found) for text in _beside(printed, flip)]


def _beside(printed: float, ours: float | None) -> tuple[str, str, str]:
    known = ("–", "–") if ours is None else (f"{ours:.4f}", signed(ours - printed))
    return f"{printed:.2f}", *known
