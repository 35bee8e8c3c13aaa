"""The rows of curves, one per cell and distinct score: by label, in order, and equal ones added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossfair.fixed import Fixed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Cells of fewer rows than this, on average, are sorted all at once.
SMALL_CELL = 256


def by_label(column: Ints, label: Ints) -> Ints:
    """Return a table (rows, 2) that holds each number under its row's label.

    >>> by_label(np.array([4, 3]), np.array([0, 1])).tolist()
    [[4, 0], [0, 3]]
    """
    table = np.zeros((len(column), 2), np.int64)
    table[np.arange(len(column)), label] = column
    return table


def merged(
    place: Ints, scores: Floats, n: Ints, weights: Fixed | None, cells: int
) -> tuple[Ints, Floats, Ints, Fixed | None]:
    """Return offsets, scores, records and weights of rows sorted by (cell, falling score).

    `place` is the cell of each row. Rows of equal cell and score are added up.
    """
    order = _order(place, scores, cells)
    place, scores = place[order], scores[order] + 0.0  # −0.0 becomes 0.0
    new = np.concatenate([[True], (place[1:] != place[:-1]) | (scores[1:] != scores[:-1])])
    starts = np.flatnonzero(new[: len(scores)])
    if weights is not None:
        limbs = (_runs(limb.take(order, axis=0), starts) for limb in (weights.whole, weights.fraction))
        weights = Fixed.of(*limbs)
    offsets = np.searchsorted(place[starts], np.arange(cells + 1)).astype(np.int64)
    table = _runs(n.take(order, axis=0), starts)  # take, since an index is four times as slow
    return offsets, scores[starts], table, weights


def _order(place: Ints, scores: Floats, cells: int) -> Ints:
    """Positions sorted by cell, then by falling score."""
    narrow = place.astype(np.uint16 if cells <= 2**16 else np.uint32)
    if len(place) < SMALL_CELL * cells:
        by_score = np.argsort(-scores)
        return np.asarray(by_score[np.argsort(narrow[by_score], kind="stable")])
    # Large cells are sorted one by one: each fits the cache, and all together do not.
    order = np.argsort(narrow, kind="stable")
    falling = -scores[order]
    ends = np.cumsum(np.bincount(place, minlength=cells))
    for start, end in zip([0, *ends], ends):
        order[start:end] = order[start:end][np.argsort(falling[start:end])]
    return order


def _runs(table: Ints, starts: Ints) -> Ints:
    """Sums over runs of rows."""
    return table if len(starts) == len(table) else np.add.reduceat(table, starts, axis=0)
