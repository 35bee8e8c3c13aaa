"""The least value of a maximum of planes over a box, in a few dimensions: the model that cuts build.

A dual simplex on at most a handful of variables that starts from the last basis. The value it returns
comes from the multipliers, so that rounding can only make it smaller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

PIVOTS = 2000
ROUNDING = 1e-15


class Master:
    """Minimise t over levels m in a box, subject to cuts t ≥ c + g·m and c + g·m ≤ 0.

    >>> master = Master(np.array([0.0]), np.array([1.0]), floor=-1.0)
    >>> master.add(0.5, np.array([-1.0]))
    >>> master.add(-0.5, np.array([1.0]))
    >>> levels, value = master.minimise()
    >>> levels.tolist(), value
    ([0.5], 0.0)
    """

    def __init__(self, low: Floats, high: Floats, floor: float) -> None:
        size = len(low)
        eye = np.hstack([np.eye(size), np.zeros((size, 1))])
        last = np.zeros(size + 1)
        last[-1] = 1.0
        self._low, self._high = low, high
        self._rows = np.vstack([eye, last, -eye])  # every row reads row · (m, t) ≥ side
        self._sides = np.concatenate([low, [floor], -high])
        self._basis = np.arange(size + 1)
        self._target = last

    def add(self, constants: ArrayLike, slopes: Floats) -> None:
        """Add the cuts t ≥ constant + slope · m, one or several at once."""
        self._append(-np.atleast_2d(slopes), 1.0, constants)

    def forbid(self, constants: ArrayLike, slopes: Floats) -> None:
        """Add the conditions constant + slope · m ≤ 0, one or several at once."""
        slopes = np.atleast_2d(slopes)
        scale = np.abs(slopes).max(axis=1, initial=0.0)
        scale[scale == 0] = 1.0
        self._append(-slopes / scale[:, None], 0.0, np.atleast_1d(constants) / scale)

    def _append(self, slopes: Floats, last: float, sides: ArrayLike) -> None:
        rows = np.hstack([slopes, np.full((len(slopes), 1), last)])
        self._rows = np.vstack([self._rows, rows])
        self._sides = np.append(self._sides, sides)

    def minimise(self) -> tuple[Floats, float]:
        """Return the best levels and a lower bound on t that no rounding breaks; ∞ if there are none."""
        norm = np.abs(self._rows).max(axis=1)
        before = self._basis
        for _ in range(PIVOTS):
            basis = self._rows[self._basis]
            try:
                solved = [np.linalg.solve(basis, self._sides[self._basis])]
                solved.append(np.linalg.solve(basis.T, self._target))
            except np.linalg.LinAlgError:  # by rounding; what the basis before has proven stands
                self._basis = before
                break
            point, multipliers = solved
            violation = (self._sides - self._rows @ point) / norm
            violation[self._basis] = 0.0
            entering = int(violation.argmax())
            if violation[entering] <= ROUNDING:
                break
            leaving = self._leaving(basis, multipliers, entering)
            if leaving is None:
                return self._levels(point), np.inf
            before, self._basis = self._basis, self._basis.copy()
            self._basis[leaving] = entering
        return self._levels(point), self._bound(np.maximum(multipliers, 0.0))

    def _leaving(self, basis: Floats, multipliers: Floats, entering: int) -> int | None:
        direction = np.linalg.solve(basis.T, self._rows[entering])
        ratio = np.full(len(direction), np.inf)
        able = direction > 1e-12
        ratio[able] = np.maximum(multipliers[able], 0.0) / direction[able]
        if not able.any():
            return None
        tied = ratio <= ratio.min() * (1 + 1e-12)
        return int(np.where(tied, direction, -np.inf).argmax())

    def _levels(self, point: Floats) -> Floats:
        """The levels of a point; those that only rounding keeps from an end of the box are that end."""
        levels = np.where(point[:-1] - self._low <= ROUNDING, self._low, point[:-1])
        return np.where(self._high - levels <= ROUNDING, self._high, levels)

    def _bound(self, multipliers: Floats) -> float:
        """The bound that these multipliers prove: what they leave of each level is paid for over the box."""
        total = multipliers @ self._rows[self._basis]
        value = multipliers @ self._sides[self._basis]
        left = -total[:-1]
        best = np.minimum(left * self._low, left * self._high).sum()
        return float((value + best) / total[-1])
