"""Exact curves while their table is affordable, else the finest bins that keep it within a budget of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from crossfair.errors import invalid
from crossfair.frames.groups import Ints
from crossfair.frames.score_rows import Floats, ScoreRows

# Rows of a table of scores: as many take about a gigabyte while they are sorted.
MOST_STEPS = 10_000_000
# Bins that a first look is taken through: few, whatever the scores are.
FIRST_BITS = 10
FINEST_BITS = 40


class Read(Protocol):
    """Group the records by attributes, label and score, or bin of scores 2^−bits wide.

    With `probe` each bin also tells its lowest and highest score, so that bins of one score each are exact.
    """

    def __call__(self, bits: int | None, *, probe: bool = False) -> ScoreRows:
        """Return the rows."""
        ...


Extent = Callable[[], tuple[float, float]]


def read(read_rows: Read, records: int, extent: Extent, most: int) -> ScoreRows:
    """Return exact rows if they are sure to be at most so many, or turn out to be; else rows of bins.

    The grid is nested, so that the size of a coarse table bounds that of each finer one.
    """
    if records <= most:
        return read_rows(None)
    first = _first_bits(*extent())
    coarse = read_rows(first, probe=True)
    steps = len(coarse.score)
    if coarse.bits is None or steps > most // 2:
        return coarse if steps <= most else _coarser(coarse, first, most)
    return read_rows(min(first + int(math.log2(most / steps)), FINEST_BITS), probe=True)


def _first_bits(low: float, high: float) -> int:
    """Bits that cut the range of the scores into about 2^FIRST_BITS bins, not wider than 1."""
    width = high - low
    if not 0 < width < math.inf:
        return FIRST_BITS
    return int(np.clip(FIRST_BITS - math.ceil(math.log2(width)), 0, FINEST_BITS))


def _coarser(rows: ScoreRows, bits: int, most: int) -> ScoreRows:
    while bits > 0:
        bits -= 1
        edges = np.floor(rows.score * 2.0**bits) / 2.0**bits
        if _size(rows.group, edges) <= most:
            return replace(rows, score=edges, bits=bits)
    raise invalid("score", f"bins of scores 1 wide must make at most {most:,} rows", got="more",
                  hint="Divide the scores by a constant, or name fewer attributes.")  # fmt: skip


def _size(group: Ints, edges: Floats) -> int:
    """How many distinct pairs there are."""
    order = np.lexsort((edges, group))
    group, edges = group[order], edges[order]
    return 1 + int(np.count_nonzero((group[1:] != group[:-1]) | (edges[1:] != edges[:-1])))
