"""What one threshold with two probabilities can attain: a triangle per threshold, and which of them matter.

With p0 ≤ p1 a threshold whose ROC point is c attains the triangle nobody–c–everyone; with flips also that of
the mirrored point. A triangle inside another one can be left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.polygons import Chain, Polygons, hull
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.ragged import running_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Triangles:
    """Tips of the triangles that matter, cell by cell: those above the diagonal by rising x, then those below.

    A tip accepts steps start … stop. `wide`, `high` and `steps` give each cell's far corner, where everyone
    is accepted.
    """

    cell: Ints
    x: Floats
    y: Floats
    above: Bools
    start: Ints
    stop: Ints
    wide: Floats
    high: Floats
    steps: Ints

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.wide)

    def take(self, chosen: Ints | Bools) -> Triangles:
        """Return some of the triangles of the same cells."""
        columns = (self.cell, self.x, self.y, self.above, self.start, self.stop)
        return Triangles(*(column[chosen] for column in columns), self.wide, self.high, self.steps)

    def each(self) -> Polygons:
        """Every triangle as a polygon of its own."""
        nobody = np.zeros(len(self.x))
        nothing = np.zeros(len(self.x), np.int64)
        wide, high, steps = self.wide[self.cell], self.high[self.cell], self.steps[self.cell]
        begin, tip = (nobody, nobody, nothing, nothing), (self.x, self.y, self.start, self.stop)
        end = (wide, high, nothing, steps)
        offsets = 3 * np.arange(len(self.x) + 1)
        upper = [np.where(self.above, a, b) for a, b in zip(tip, begin)]
        lower = [np.where(self.above, a, b) for a, b in zip(end, tip)]
        chains = (
            Chain(offsets, *(np.stack(corner, axis=1).ravel() for corner in zip(begin, middle, end)))
            for middle in (upper, lower)
        )
        return Polygons(*chains, None)

    def hulls(self) -> Polygons:
        """The convex hull of each cell's triangles."""
        return Polygons(self._hull(self.above, 1.0), self._hull(~self.above, -1.0), None)

    def _hull(self, tips: Bools, sign: float) -> Chain:
        cell = self.cell[tips]
        bounds = np.searchsorted(cell, np.arange(self.cells + 1))
        nothing = np.zeros(self.cells, np.int64)
        columns = []
        for tip, end in (
            (self.x, self.wide), (self.y, self.high), (self.start, nothing), (self.stop, self.steps),
        ):  # fmt: skip
            started = np.insert(tip[tips], bounds[:-1], 0)
            columns.append(np.insert(started, bounds[1:] + np.arange(1, self.cells + 1), end))
        x, y, start, stop = columns
        offsets = bounds + 2 * np.arange(self.cells + 1)
        kept, offsets = hull(x, sign * y, offsets)
        return Chain(offsets, x[kept], y[kept], start[kept], stop[kept])


def triangles(problem: Problem) -> Triangles:
    """Find the triangles of a problem that matter; with flips unless the problem is monotone."""
    lengths = np.diff(problem.offsets) + 1
    bounds = problem.offsets + np.arange(problem.cells + 1)
    cell = np.repeat(np.arange(problem.cells), lengths)
    x, y = (running_sums(problem.mass[:, label], problem.offsets) for label in (0, 1))
    last = bounds[1:] - 1
    wide, high, steps = x[last], y[last], lengths - 1
    taken = np.arange(len(x)) - bounds[cell]
    start, stop = np.zeros_like(taken), taken
    if not problem.monotone:
        x, y = np.concatenate([x, wide[cell] - x]), np.concatenate([y, high[cell] - y])
        start, stop = np.concatenate([start, taken]), np.concatenate([stop, steps[cell]])
        cell = np.concatenate([cell, cell])
    rise = y * wide[cell] - x * high[cell]
    everything = Triangles(cell, x, y, rise >= 0, start, stop, wide, high, steps)
    return everything.take(_matter(everything, rise))


def _matter(every: Triangles, rise: Floats) -> Ints:
    """Positions of the tips whose triangle lies in no other, in the order that `Triangles` states."""
    kept: list[Ints] = []
    for above in (True, False):
        side = np.flatnonzero((rise > 0) if above else (rise < 0))
        cell = every.cell[side]
        x, y = every.x[side], every.y[side]
        if not above:  # the same seen from the far corner
            x, y = every.wide[cell] - x, every.high[cell] - y
        with np.errstate(divide="ignore"):
            from_nobody, to_everyone = y / x, (every.high[cell] - y) / (every.wide[cell] - x)
        order = np.lexsort((to_everyone, -from_nobody, cell))
        kept.append(side[order[_falls(to_everyone[order], cell[order], every.cells)]])
    missing = np.setdiff1d(np.arange(every.cells), every.cell[np.concatenate(kept)])
    first = np.searchsorted(every.cell[: int((every.steps + 1).sum())], missing)
    chosen = np.concatenate([*kept, first])  # a cell on its diagonal keeps nobody as its only tip
    return chosen[np.lexsort((every.x[chosen], rise[chosen] < 0, every.cell[chosen]))]


def _falls(values: Floats, cell: Ints, cells: int) -> Bools:
    """Whether each value is below all before it in its cell."""
    found = np.zeros(len(values), np.bool_)
    bounds = np.searchsorted(cell, np.arange(cells + 1)).tolist()
    for start, end in zip(bounds[:-1], bounds[1:]):
        if end > start:
            least = np.minimum.accumulate(values[start:end])
            found[start] = True
            found[start + 1 : end] = values[start + 1 : end] < least[:-1]
    return found
