"""Arrays of many short runs laid end to end, one run per cell, and searches in all of them at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def running_sums(values: Floats, offsets: Ints) -> Floats:
    """Sums of the first 0, 1, … values of every run: each run becomes one longer.

    >>> running_sums(np.array([1.0, 2.0, 5.0]), np.array([0, 2, 3])).tolist()
    [0.0, 1.0, 3.0, 0.0, 5.0]
    """
    runs = len(offsets) - 1
    sums = np.zeros(len(values) + runs)
    bounds = offsets.tolist()
    for run in range(runs):  # one sum per run, so that a small cell does not inherit the rounding of all others
        start, end = bounds[run], bounds[run + 1]
        np.cumsum(values[start:end], out=sums[start + run + 1 : end + run + 1])
    return sums


def search(keys: Floats, first: Ints, last: Ints, value: Floats, right: Bools | bool) -> Ints:
    """Return per query the position in [first, last] before which its run's keys are < value (or ≤, if right).

    Keys rise within a run; the answer is the number of the first key that is not below, or `last`.
    """
    low, high = first.copy(), last.copy()
    span = int((high - low).max(initial=0))
    for _ in range(span.bit_length()):
        middle = (low + high) >> 1
        key = keys[np.minimum(middle, len(keys) - 1)]
        below = (key < value) | (right & (key == value))
        below &= low < high
        low = np.where(below, middle + 1, low)
        high = np.where(below, high, middle)
    return low


def take_runs(offsets: Ints, runs: Ints) -> tuple[Ints, Ints]:
    """Return the positions of all elements of the chosen runs, and the offsets they then have."""
    lengths = np.diff(offsets)[runs]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shift = np.repeat(offsets[:-1][runs] - starts[:-1], lengths)
    return np.arange(starts[-1]) + shift, starts.astype(np.int64)
