"""What one threshold with two probabilities can attain: a triangle per threshold, and which of them matter.

With p0 ≤ p1 a threshold whose ROC point is c attains the triangle nobody–c–everyone; with flips also that of
the mirrored point. A triangle inside another one can be left out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.polygons import Chain, Polygons, hull
from crossfair.mitigation.problem import Problem
from crossfair.ragged import running_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Number = TypeVar("Number", np.float64, np.int64)


@dataclass(frozen=True, eq=False)
class Triangles:
    """Tips of the triangles that matter, cell by cell: first those above the diagonal, each by rising x.

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
        return replace(
            self,
            cell=self.cell[chosen],
            x=self.x[chosen],
            y=self.y[chosen],
            above=self.above[chosen],
            start=self.start[chosen],
            stop=self.stop[chosen],
        )

    def each(self) -> Polygons:
        """Every triangle as a polygon of its own."""
        own = np.arange(len(self.x))
        ends = (self.wide[self.cell], self.high[self.cell], self.steps[self.cell])
        return replace(self, cell=own, wide=ends[0], high=ends[1], steps=ends[2]).hulls()

    def hulls(self) -> Polygons:
        """The convex hull of each cell's triangles."""
        return Polygons(self._chain(self.above, 1.0), self._chain(~self.above, -1.0), None)

    def _chain(self, tips: Bools, sign: float) -> Chain:
        """The hull of nobody, the tips on one side of the diagonal and everyone."""
        bounds = np.searchsorted(self.cell[tips], np.arange(self.cells + 1))
        nothing = np.zeros(self.cells, np.int64)
        x = _enclosed(self.x[tips], bounds, self.wide)
        y = _enclosed(self.y[tips], bounds, self.high)
        start = _enclosed(self.start[tips], bounds, nothing)
        stop = _enclosed(self.stop[tips], bounds, self.steps)
        kept, offsets = hull(x, sign * y, bounds + 2 * np.arange(self.cells + 1))
        return Chain(offsets, x[kept], y[kept], start[kept], stop[kept])


def _enclosed(column: NDArray[Number], bounds: Ints, end: NDArray[Number]) -> NDArray[Number]:
    """The column with a 0 before each run and the run's end after it."""
    started = np.insert(column, bounds[:-1], 0)
    return np.insert(started, bounds[1:] + np.arange(1, len(bounds)), end)


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
    for start, end in itertools.pairwise(bounds):
        if end > start:
            least = np.minimum.accumulate(values[start:end])
            found[start] = True
            found[start + 1 : end] = values[start + 1 : end] < least[:-1]
    return found
