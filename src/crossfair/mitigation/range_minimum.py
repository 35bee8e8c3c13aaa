"""The cheapest member of any contiguous range, in constant time per query after one pass of doubling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RangeMinimum:
    """Positions of the least cost in ranges up to `longest` long; ties go to the first.

    >>> cheapest = RangeMinimum(np.array([3.0, 1.0, 2.0, 1.0]), longest=4)
    >>> cheapest.find(np.array([0, 2]), np.array([3, 2])).tolist()
    [1, 2]
    """

    def __init__(self, cost: Floats, longest: int) -> None:
        self._cost = cost
        powers = max(int(longest).bit_length(), 1)
        self._tables = np.empty((powers, len(cost)), np.int32 if len(cost) < 2**31 else np.int64)
        self._tables[0] = np.arange(len(cost))
        for power in range(1, powers):
            width = 2 ** (power - 1)
            before = self._tables[power - 1]
            left, right = before[:-width], before[width:]
            self._tables[power, :-width] = np.where(cost[left] <= cost[right], left, right)
            self._tables[power, -width:] = before[-width:]

    def find(self, first: Ints, last: Ints) -> Ints:
        """Return the position of the least cost in each range first … last."""
        power = np.frexp(last - first + 1)[1] - 1  # the largest power of two that fits into the range
        left = self._tables[power, first]
        right = self._tables[power, last + 1 - (1 << power)]
        return np.asarray(np.where(self._cost[left] <= self._cost[right], left, right), dtype=np.int64)
