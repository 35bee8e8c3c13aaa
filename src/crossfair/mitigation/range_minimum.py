"""The cheapest member of any contiguous range, in a time that does not depend on its length.

Costs are cut into blocks. A range is two windows of a block's width at its ends, looked at one by one, and
the whole blocks between them, whose minima are found by doubling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDTH = 32


class RangeMinimum:
    """Positions of the least cost in ranges; ties go to the first.

    >>> cheapest = RangeMinimum(np.array([3.0, 1.0, 2.0, 1.0]))
    >>> cheapest.find(np.array([0, 2]), np.array([3, 2])).tolist()
    [1, 2]
    """

    def __init__(self, cost: Floats) -> None:
        self._cost = cost
        whole = len(cost) // WIDTH
        blocks = cost[: whole * WIDTH].reshape(whole, WIDTH)
        self._tables = [blocks.argmin(axis=1) + WIDTH * np.arange(whole)]
        while 2 ** len(self._tables) <= whole:
            before, width = self._tables[-1], 2 ** (len(self._tables) - 1)
            self._tables.append(self._cheaper(before[:-width], before[width:]))

    def find(self, first: Ints, last: Ints) -> Ints:
        """Return the position of the least cost in each range first … last."""
        offsets = np.arange(WIDTH)
        start = self._least(np.minimum(first[:, None] + offsets, last[:, None]))
        end = self._least(np.maximum(last[:, None] - offsets[::-1], first[:, None]))
        block, stop = -(-first // WIDTH), (last + 1) // WIDTH
        found = self._cheaper(start, end)
        long = np.flatnonzero(stop > block)
        found[long] = self._cheaper(
            self._cheaper(start[long], self._between(block[long], stop[long])), end[long]
        )
        return found

    def _between(self, block: Ints, stop: Ints) -> Ints:
        """The position of the least cost in whole blocks `block` … before `stop`."""
        power = np.frexp(stop - block)[1] - 1  # the largest power of two that fits into the range
        found = np.empty(len(block), np.int64)
        for level in np.unique(power).tolist():
            mine, table = power == level, self._tables[level]
            found[mine] = self._cheaper(table[block[mine]], table[stop[mine] - 2**level])
        return found

    def _least(self, windows: Ints) -> Ints:
        best = self._cost[windows].argmin(axis=1)
        return np.asarray(windows[np.arange(len(windows)), best])

    def _cheaper(self, left: Ints, right: Ints) -> Ints:
        return np.where(self._cost[left] <= self._cost[right], left, right)
