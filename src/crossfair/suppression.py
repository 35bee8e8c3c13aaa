"""Small counts hidden before anything is computed of them: cells are merged until no count is under k.

Everything downstream, rates and ε and pages, is then a function of counts that may all be published. A merged
cell is the sum of two or more, each of whose counts could be anything from 0 to k or more, whatever else is
published of the same table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from crossfair import checks
from crossfair.cells import MERGED, Cell, Cells
from crossfair.counts import Counts
from crossfair.errors import invalid

T = TypeVar("T")
Blocks = dict[Cell, list[int]]

NARROWER = "Count fewer columns: with a label and a prediction all four counts of a cell must reach it."


def suppress(counts: Counts, below: int) -> Counts:
    """Return the counts with cells merged so that none holds a count under `below`.

    A cell with such a count, of any label and prediction, is merged with others of its kind over the last
    attribute, then over the last two, and so on; where they are still too few, or only one, the smallest cell
    beside them is hidden with them. The totals stay what they were. Fewer than `below` dropped records are
    not told either.

    >>> table = {"sex": ["F", "F", "M", "M"] * 2, "job": ["a", "b"] * 4, "hired": [0] * 4 + [1] * 4,
    ...          "n": [30, 60, 70, 80, 3, 40, 50, 60]}
    >>> counts = suppress(Counts.from_table(table, by=["sex", "job"], label="hired"), 10)
    >>> counts.cells.values, counts.support.tolist()
    ((('F', '(merged)'), ('M', 'a'), ('M', 'b')), [133, 120, 140])
    """
    checks.whole("suppress_below", below, least=2)
    if counts.suppressed_below is not None:
        return _again(counts, below)
    for name, level in zip(counts.by, counts.cells.levels):
        if MERGED in level:
            raise invalid("suppress_below", f"no value of {name!r} may read {MERGED!r}", got="one that does")
    blocks = _Merging(counts, below).blocks()
    cells = Cells.of(counts.by, blocks, counts.cells.bins)
    into = np.zeros(len(counts.cells), dtype=np.int64)
    for cell, members in blocks.items():
        into[members] = cells.index[cell]
    dropped = {reason: records for reason, records in counts.dropped.items() if records >= below}
    return replace(counts.regrouped(cells, into), dropped=dropped, suppressed_below=below)


def _again(counts: Counts, below: int) -> Counts:
    """Counts with small cells merged serve for the same or a smaller k as they are."""
    already = counts.suppressed_below or 0
    if below > already:
        raise invalid("suppress_below", f"the counts were merged for {already} already", got=below,
                      hint="Suppress the counts as they were before.")  # fmt: skip
    return counts


@dataclass
class _Merging:
    """Merges cells over one attribute after the other, the last one first."""

    counts: Counts
    below: int

    def blocks(self) -> Blocks:
        """Return the members of each cell that may be published."""
        cells = self.counts.cells.values
        kept: Blocks = {cell: [place] for place, cell in enumerate(cells) if self._enough([place])}
        unsafe = [place for place, cell in enumerate(cells) if cell not in kept]
        for depth in reversed(range(len(self.counts.by))):
            unsafe = self._merge(kept, unsafe, depth)
        if unsafe:
            raise invalid("suppress_below", "nothing is left: all cells together hold a smaller count",
                          got=self.below, hint=NARROWER)  # fmt: skip
        return kept

    def _merge(self, kept: Blocks, unsafe: list[int], depth: int) -> list[int]:
        """Merge what agrees in the first `depth` attributes; return the cells that need more."""
        beside = _grouped(((cell, cell) for cell in kept), depth)
        cells = self.counts.cells.values
        left = []
        for beginning, members in _grouped(((cells[place], place) for place in unsafe), depth).items():
            chosen = members
            if not self._hidden(chosen) and beginning in beside:
                smallest = min(beside[beginning], key=lambda cell: self._records(kept[cell]))
                chosen = members + kept.pop(smallest)
            if self._hidden(chosen):
                kept[beginning + (MERGED,) * (len(self.counts.by) - depth)] = chosen
            else:
                left += chosen
        return left

    def _hidden(self, members: list[int]) -> bool:
        """Whether nothing can be told of any member from their sum.

        Each could hold k records even if it is known that all others hold somebody.
        """
        observed = int((self.counts.support[members] > 0).sum())
        several = observed > 1 and self._records(members) >= self.below + observed - 1
        return several and self._enough(members)

    def _enough(self, members: list[int]) -> bool:
        return bool((self.counts.n[members].sum(axis=0) >= self.below).all())

    def _records(self, members: list[int]) -> float:
        return float(self.counts.support[members].sum())


def _grouped(items: Iterable[tuple[Cell, T]], depth: int) -> dict[Cell, list[T]]:
    """Group items by the beginning of their cells."""
    found: dict[Cell, list[T]] = {}
    for cell, item in items:
        found.setdefault(cell[:depth], []).append(item)
    return found
