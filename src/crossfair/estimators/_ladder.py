"""Where levels fall on ladders of cumulative weights: the step of drawing that is taken for every draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from crossfair.estimators._likelihood import Floats, Ints

FEW = 50  # levels per ladder: for fewer, buckets cost more than they save
BUCKETS = 256  # of levels on each ladder; a power of 2, so that a level's bucket is exact


@dataclass(frozen=True)
class Ladders:
    """Ladders of equally many steps up to 1, end to end, and where each bucket of levels begins on them.

    Nine levels of ten are reached where their bucket begins or one step on; the rest are searched for.
    """

    size: int
    steps: Floats
    begin: Ints | None

    @classmethod
    def of(cls, cumulative: Floats, levels: int) -> Self:
        """Put the rows end to end, for so many levels: each ladder begins where the one before ends."""
        number, size = cumulative.shape
        own = np.arange(number)[:, None]
        steps: Floats = np.minimum(cumulative, 1.0)
        steps[:, -1] = 1.0  # the last step reaches every level, whatever the rounding of the sums
        ladders = (steps + own).ravel()
        if levels < FEW * number:
            return cls(size, ladders, None)
        bucket = np.minimum(steps * BUCKETS, BUCKETS - 1).astype(np.int64) + own * BUCKETS
        inside = np.bincount(bucket.ravel(), minlength=number * BUCKETS)
        begin: Ints = np.cumsum(inside) - inside
        return cls(size, ladders, begin)

    def reached(self, which: Ints, levels: Floats) -> Ints:
        """Return the first step that is not below a level, for levels (cells, draws) in [0, 1).

        `which` is the ladder of each cell.

        >>> ladders = Ladders.of(np.array([[0.2, 0.7, 1.0]]), levels=4)
        >>> ladders.reached(np.array([0]), np.array([[0.1, 0.2, 0.3, 0.9]]))
        array([[0, 0, 1, 2]])
        """
        wanted = (levels + which[:, None]).ravel()
        if self.begin is None:
            found = np.searchsorted(self.steps, wanted)
        else:
            found = self.begin[((levels * BUCKETS).astype(np.int64) + which[:, None] * BUCKETS).ravel()]
            below = np.flatnonzero(self.steps[found] < wanted)
            found[below] += 1
            below = below[self.steps[found[below]] < wanted[below]]
            found[below] = np.searchsorted(self.steps, wanted[below])
        # Not less than 0: a level lost in the rounding of a sum is reached by the end of the ladder before.
        climbed: Ints = np.maximum(found.reshape(levels.shape) - which[:, None] * self.size, 0)
        return climbed
