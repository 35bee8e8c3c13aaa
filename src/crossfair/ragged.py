"""Arrays of many short runs laid end to end, one run per cell, and searches in all of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Number = TypeVar("Number", np.float64, np.int64)

BLOCK = 2**16


def running_sums(values: Floats, offsets: Ints) -> Floats:
    """Sums of the first 0, 1, … values of every run: each run becomes one longer.

    >>> running_sums(np.array([1.0, 2.0, 5.0]), np.array([0, 2, 3])).tolist()
    [0.0, 1.0, 3.0, 0.0, 5.0]
    """
    runs = len(offsets) - 1
    sums = np.zeros(len(values) + runs)
    bounds = offsets.tolist()
    # One sum per run, so that a small cell does not inherit the rounding of all others.
    for run in range(runs):
        start, end = bounds[run], bounds[run + 1]
        np.cumsum(values[start:end], out=sums[start + run + 1 : end + run + 1])
    return sums


def run_sums(table: NDArray[Number], offsets: Ints) -> NDArray[Number]:
    """Sums of the rows of every run.

    >>> run_sums(np.array([1.0, 2.0, 5.0]), np.array([0, 2, 2, 3])).tolist()
    [3.0, 0.0, 5.0]
    """
    sums = np.zeros((len(offsets) - 1, *table.shape[1:]), table.dtype)
    some = np.diff(offsets) > 0  # the sum of an empty run would be the row it stands at
    if some.any():
        sums[some] = np.add.reduceat(table, offsets[:-1][some], axis=0)
    return sums


def blocks(offsets: Ints) -> Iterator[tuple[int, int]]:
    """Consecutive runs, first and one past the last, of about as many elements as a processor's cache holds.

    >>> list(blocks(np.array([0, 2, 70_000, 70_001])))
    [(0, 1), (1, 2), (2, 3)]
    """
    first, runs = 0, len(offsets) - 1
    while first < runs:
        within = int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1
        yield first, max(within, first + 1)
        first = max(within, first + 1)


def weighted_sums(table: Floats | Ints, weights: Floats, offsets: Ints) -> Floats:
    """Sums of the weighted rows of every run.

    >>> rows = np.array([[1.0], [2.0], [5.0]])
    >>> weighted_sums(rows, np.array([0.5, 1.0, 1.0]), np.array([0, 2, 3])).tolist()
    [[2.5], [5.0]]
    """
    sums = np.empty((len(offsets) - 1, table.shape[1]))
    for first, stop in blocks(offsets):
        rows = slice(offsets[first], offsets[stop])
        within = offsets[first : stop + 1] - offsets[first]
        sums[first:stop] = run_sums(table[rows] * weights[rows, None], within)
    return sums


def search(keys: Floats | Ints, first: Ints, last: Ints, value: Floats | Ints) -> Ints:
    """Return per query how far the keys, which rise from `first` to before `last`, stay below `value`.

    >>> keys = np.array([1.0, 2.0, 2.0, 7.0])
    >>> search(keys, np.array([0, 0]), np.array([4, 4]), np.array([2.0, 9.0])).tolist()
    [1, 4]
    """
    found = first.copy()
    span = int((last - first).max(initial=0))
    step = 1 << max(span.bit_length() - 1, 0)
    while step:
        probe = found + step
        below = keys.take(probe - 1, mode="clip") < value
        below &= probe <= last
        found[below] += step
        step >>= 1
    return found


def upto(value: Floats) -> Floats:
    """Return the values to search for in order to count the keys that are ≤ value."""
    return np.nextafter(value, np.inf)


def take_runs(offsets: Ints, runs: Ints) -> tuple[Ints, Ints]:
    """Return the positions of all elements of the chosen runs, and the offsets they then have."""
    lengths = np.diff(offsets)[runs]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shift = np.repeat(offsets[:-1][runs] - starts[:-1], lengths)
    return np.arange(starts[-1]) + shift, starts.astype(np.int64)
