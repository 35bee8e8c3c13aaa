"""Limits as bounds that depend on one level each: max/min ≤ e^ε if and only if m ≤ rate ≤ e^ε m for some m.

Pairs of cells are never compared. For given levels every cell has a least and a greatest accepted weight of
negatives, of positives and of both, each affine in a level; that is all the solvers need to know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.problem import Problem

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGATIVES, POSITIVES, BOTH = range(3)
DIRECTIONS = {(True, False): NEGATIVES, (False, True): POSITIVES, (True, True): BOTH}


@dataclass(frozen=True, eq=False)
class Row:
    """One side of one limit, per cell: accepted ≥ constant + slope · level (or ≤, if not `least`).

    With `spread` the level counts e^ε times.
    """

    limit: int
    direction: int
    least: bool
    spread: bool
    constant: Floats
    slope: Floats


@dataclass(frozen=True, eq=False)
class Sides:
    """Bounds on the accepted weight per direction and cell, at given levels, and which row sets each."""

    least: Floats
    most: Floats
    least_row: Ints
    most_row: Ints

    def take(self, cells: Ints) -> Sides:
        """Return the bounds of some cells, which may repeat."""
        return Sides(
            self.least[:, cells], self.most[:, cells], self.least_row[:, cells], self.most_row[:, cells]
        )


@dataclass(frozen=True, eq=False)
class Cut:
    """A lower bound on the loss, affine in the levels: constant + Σ (slope + e^ε · spread) · level."""

    constant: float
    slope: Floats
    spread: Floats

    def at(self, factors: Floats) -> Floats:
        """Slope in the levels for given factors e^ε."""
        return np.asarray(self.slope + factors * self.spread)


class Levels:
    """The binding limits of a problem as rows; `factors` are their e^ε, `low` and `high` the box of levels.

    Accepting everyone with the probability `constant` gives all cells the smoothed rates `equal`, which the
    levels `fair` admit. `slack` is the rounding of the bounds of each cell in weight; accepted weight that
    differs from nothing, or from everything, by no more than the two rows of `rounding` is that: without
    smoothing, where rates may be 0, this is more than where α is the least that a rate can be.
    `largest` is the largest denominator of a rate.
    """

    def __init__(self, problem: Problem) -> None:
        finite = [math.isfinite(limit.epsilon) for limit in problem.limits]
        active = [j for j, row in enumerate(problem.exempt) if finite[j] and not row.all()]
        self.active = active
        self.cells = problem.cells
        self.factors = np.exp(np.minimum([problem.limits[j].epsilon for j in active], 700.0))
        self.rows = [row for i, j in enumerate(active) for row in _rows(problem, j, i)]
        self._binds = [np.flatnonzero(np.isfinite(row.constant)) for row in self.rows[::2]]
        self.low, self.high = np.zeros(len(active)), np.ones(len(active))
        weight = problem.totals.sum(axis=1)
        self.priors = [problem.beta if problem.limits[j].rejection else problem.alpha for j in active]
        self.slack = np.full(problem.cells, 1e-13 * min(self.priors, default=0.0))
        if any(problem.limits[j].rejection for j in active):
            self.slack += 1e-15 * weight
        no_priors = np.array([[problem.alpha == 0], [problem.beta == 0]])
        self.rounding = self.slack + np.where(no_priors, 1e-13 * weight, 0.0)
        self.largest = weight.max() + problem.alpha + problem.beta
        total = problem.alpha + problem.beta
        self.constant = problem.alpha / total if total > 0 else 0.5
        rejections = np.array([problem.limits[j].rejection for j in active], dtype=np.bool_)
        self.equal = np.where(rejections, 1 - self.constant, self.constant)
        self.fair = self.equal / np.sqrt(self.factors)

    @property
    def size(self) -> int:
        """Number of levels."""
        return len(self.active)

    @property
    def directions(self) -> list[int]:
        """The directions in which any limit binds."""
        return sorted({row.direction for row in self.rows})

    def rate_range(self, *accepted: Floats) -> tuple[Floats, Floats]:
        """Least and greatest rate of each limit and cell over tables (directions, cells) of accepted weight.

        Exempt cells have the empty range (∞, −∞).
        """
        least = np.full((self.size, self.cells), np.inf)
        most = np.full((self.size, self.cells), -np.inf)
        for row, binds in zip(self.rows[::2], self._binds):
            for table in accepted:
                rate = (table[row.direction][binds] - row.constant[binds]) / row.slope[binds]
                least[row.limit, binds] = np.minimum(least[row.limit, binds], rate)
                most[row.limit, binds] = np.maximum(most[row.limit, binds], rate)
        return least, most

    def sides(self, levels: Floats, upto: Floats | None = None) -> Sides:
        """Return the bounds at `levels`, or the loosest of all levels from `levels` to `upto`."""
        high = levels if upto is None else upto
        shape = (3, self.cells)
        least, most = np.full(shape, -np.inf), np.full(shape, np.inf)
        least_row, most_row = np.full(shape, -1), np.full(shape, -1)
        for number, row in enumerate(self.rows):
            level = high if row.spread else levels
            factor = self.factors[row.limit] if row.spread else 1.0
            value = row.constant + row.slope * (factor * level[row.limit])
            side, chosen = (least, least_row) if row.least else (most, most_row)
            tighter = value > side[row.direction] if row.least else value < side[row.direction]
            side[row.direction][tighter] = value[tighter]
            chosen[row.direction][tighter] = number
        return Sides(least, most, least_row, most_row)

    def cut(self, base: float, sides: Sides, least: Floats, most: Floats) -> Cut:
        """Collect multipliers (directions, cells) on the bounds into a cut; `base` is the rest."""
        constant, slope, spread = base, np.zeros(self.size), np.zeros(self.size)
        for number, row in enumerate(self.rows):
            weights, chosen = (least, sides.least_row) if row.least else (most, sides.most_row)
            here = np.where(chosen[row.direction] == number, weights[row.direction], 0.0)
            sign = 1.0 if row.least else -1.0
            used = here > 0  # exempt cells have infinite constants and no multipliers
            constant += sign * float(here[used] @ row.constant[used])
            target = spread if row.spread else slope
            target[row.limit] += sign * float(here[used] @ row.slope[used])
        return Cut(constant, slope, spread)


def _rows(problem: Problem, j: int, position: int) -> Sequence[Row]:
    """Both sides of limit j: m ≤ rate ≤ e^ε m, where a rate of rejection is one minus that of acceptance."""
    limit = problem.limits[j]
    labels = np.array(limit.labels)
    total = problem.totals[:, labels].sum(axis=1)
    size = total + problem.alpha + problem.beta
    out = problem.exempt[j]
    direction = DIRECTIONS[limit.labels]
    slope = np.where(out, 0.0, -size if limit.rejection else size)
    constant = total + problem.beta if limit.rejection else np.full(problem.cells, -problem.alpha)
    never = np.where(out, np.inf, 0.0)
    sides = ((not limit.rejection, False), (limit.rejection, True))
    return [
        Row(position, direction, least, spread, constant + (-never if least else never), slope)
        for least, spread in sides
    ]
