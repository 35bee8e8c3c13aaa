"""The likelihood of a cell as a function of the location of its prior, tabulated for one scale.

Between grid points it is a parabola through the three nearest: nearly exact, as the curves nearly are ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from crossfair.estimators._likelihood import TINY, Floats, Grid, Ints, Likelihood, blocks
from crossfair.estimators._shapes import prior_masses

STRIDE = 4  # grid points per location


@dataclass(frozen=True)
class Curves:
    """Values (rows, locations) on a coarse version of the grid, and the row of each cell."""

    grid: Grid
    rows: Ints
    table: Floats

    @classmethod
    def of_evidence(cls, likelihood: Likelihood, scale: float) -> Self:
        """Log marginal likelihood of each cell under normal log odds of this scale, by their location."""
        masses = _masses(likelihood, scale)
        table = np.empty((len(likelihood.table), masses.shape[1]))
        for rows in blocks(len(table)):
            logs = np.log(np.maximum(likelihood.table[rows] @ masses, TINY))
            table[rows] = logs + likelihood.peaks[rows, None]
        return cls(likelihood.grid, likelihood.rows, table)

    @classmethod
    def of_means(cls, likelihood: Likelihood, scale: float) -> Self:
        """Posterior mean rate of each cell under normal log odds of this scale, by their location."""
        masses = _masses(likelihood, scale)
        rates = masses * expit(likelihood.grid.points)[:, None]
        table = np.empty((len(likelihood.table), masses.shape[1]))
        for rows in blocks(len(table)):
            part = likelihood.table[rows]
            table[rows] = (part @ rates) / np.maximum(part @ masses, TINY)
        return cls(likelihood.grid, likelihood.rows, table)

    def at(self, locations: Floats) -> tuple[Floats, Floats, Floats]:
        """Value, slope and bend of each cell's curve at its location."""
        points = _points(self.grid)
        x = np.arcsinh((locations - self.grid.centre) / self.grid.inner)
        nearest = np.rint(np.interp(x, self.grid.x[_PICK], np.arange(len(points)))).astype(np.int64)
        middle = np.clip(nearest, 1, len(points) - 2)
        p, q, r = (points[middle + k] for k in (-1, 0, 1))
        f, g, h = (self.table[self.rows, middle + k] for k in (-1, 0, 1))
        rise, next_rise = (g - f) / (q - p), (h - g) / (r - q)
        bend = (next_rise - rise) / (r - p)
        value = f + (locations - p) * (rise + bend * (locations - q))
        return value, rise + bend * (2 * locations - p - q), 2 * bend


_PICK = slice(1, None, STRIDE)


def _points(grid: Grid) -> Floats:
    return grid.points[_PICK]


def _masses(likelihood: Likelihood, scale: float) -> Floats:
    points = _points(likelihood.grid)
    return prior_masses("logit-normal", likelihood, points, np.full(len(points), scale))
