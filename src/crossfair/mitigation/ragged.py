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
    for run in range(
        runs
    ):  # one sum per run, so that a small cell does not inherit the rounding of all others
        start, end = bounds[run], bounds[run + 1]
        np.cumsum(values[start:end], out=sums[start + run + 1 : end + run + 1])
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
