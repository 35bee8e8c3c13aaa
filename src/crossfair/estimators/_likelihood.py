"""The likelihood of every cell, tabulated once on one grid of log odds that all cells share.

A prior is then a column of masses on that grid, and the evidence of many priors is one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZE = 192  # grid points
BLOCK = 4096  # cells handled at a time: bounds the memory beyond the tables
AT_ONCE = 48  # priors handled at a time where there are more cells: their logs fit a processor's cache
TINY = 1e-300
# Three-point Gauss-Hermite rule of the standard normal.
KNOTS = ((-(3**0.5), 1 / 6), (0.0, 2 / 3), (3**0.5, 1 / 6))


def log_one_plus_exp(x: Floats) -> Floats:
    """Return log(1 + exp(x)) without overflow."""
    result: Floats = np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
    return result


@dataclass(frozen=True)
class Grid:
    """Log odds `centre` + `inner` · sinh(x) at equally spaced x: fine where cells lie, coarse in tails."""

    centre: float
    inner: float
    x: Floats

    @classmethod
    def over(cls, successes: Floats, trials: Floats) -> Grid:
        """Return the grid that suits these cells."""
        yes, no = successes + 0.5, trials - successes + 0.5
        log_odds, variance = np.log(yes / no), 1 / yes + 1 / no
        pooled = successes.sum() + 0.5, (trials - successes).sum() + 0.5
        centre, error = float(np.log(pooled[0] / pooled[1])), (1 / pooled[0] + 1 / pooled[1]) ** 0.5
        far = log_odds - centre
        excess = float((far**2 / variance - 1).sum() / (1 / variance).sum())
        inner = float(max(error, max(excess, 0.0) ** 0.5))
        top = np.arcsinh((max(np.abs(far).max(), 4 * error) + 8.0) / inner)
        return cls(centre, inner, np.linspace(-top, top, SIZE))

    @property
    def step(self) -> float:
        """Distance of neighbours in x."""
        return float(self.x[1] - self.x[0])

    @property
    def finest(self) -> float:
        """The least scale of a prior that the points can tell."""
        return 1.5 * self.inner * self.step

    @property
    def points(self) -> Floats:
        """The log odds of the grid points."""
        return self.log_odds(self.x)

    @property
    def widths(self) -> Floats:
        """The stretch of log odds that each point stands for."""
        return self.width_at(self.points)

    def log_odds(self, x: Floats) -> Floats:
        """Return the log odds at x."""
        log_odds: Floats = self.centre + self.inner * np.sinh(x)
        return log_odds

    def width_at(self, log_odds: Floats) -> Floats:
        """Return the distance of neighbouring grid points around these log odds."""
        width: Floats = np.hypot(self.inner, log_odds - self.centre) * self.step
        return width


@dataclass(frozen=True)
class Likelihood:
    """Binomial likelihoods on a grid, each row scaled to a maximum of 1; `peaks` are the logs of the maxima.

    `rows` gives each cell its row: many cells have equal successes and trials, and then share one.
    A `narrow` row has so many records that its likelihood fits between two grid points. Its row then holds
    what interpolates a prior density at its `modes`, and its draws come from the normal approximation there.
    """

    grid: Grid
    rows: Ints
    successes: Floats
    trials: Floats
    table: Floats
    peaks: Floats
    narrow: NDArray[np.bool_]
    modes: Floats
    errors: Floats

    @classmethod
    def of(cls, successes: Floats, trials: Floats) -> Likelihood:
        """Tabulate the likelihood of each cell."""
        grid = Grid.over(successes, trials)
        successes, trials, rows_of_cells = _distinct(successes, trials)
        table, peaks = np.empty((len(trials), SIZE)), np.empty(len(trials))
        for rows in blocks(len(trials)):
            logs = _log_likelihood(successes[rows, None], trials[rows, None], grid.points)
            peaks[rows] = logs.max(axis=1)
            table[rows] = np.exp(logs - peaks[rows, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            modes = np.log(successes / (trials - successes))
            errors = np.sqrt(trials / (successes * (trials - successes)))
            narrow = np.isfinite(modes) & (errors < grid.width_at(modes))
        table[narrow] = _interpolation(grid, modes[narrow], errors[narrow])
        peaks[narrow] = _log_likelihood(successes[narrow], trials[narrow], modes[narrow])
        return cls(grid, rows_of_cells, successes, trials, table, peaks, narrow, modes, errors)

    def evidence(self, masses: Floats) -> Floats:
        """Return the log marginal likelihood of all cells under each prior (a column of masses)."""
        total = np.full(masses.shape[1], self.peaks[self.rows].sum())
        for some in blocks(len(total), len(total) if len(self.rows) <= BLOCK else AT_ONCE):
            each = np.empty((len(self.table), len(total[some])))
            for rows in blocks(len(self.table)):
                each[rows] = np.log(np.maximum(self.table[rows] @ masses[:, some], TINY))
            for cells in blocks(len(self.rows)):
                total[some] += each.take(self.rows[cells], axis=0).sum(axis=0)
        return total

    def rows_of(self, cells: slice | Ints) -> tuple[Ints, Ints]:
        """The rows that some cells have, each once, and the place of each cell's row among them."""
        rows, places = np.unique(self.rows[cells], return_inverse=True)
        return rows, places


def blocks(cells: int, size: int = BLOCK) -> Iterator[slice]:
    """Cut the cells into slices of bounded length."""
    return (slice(start, min(start + size, cells)) for start in range(0, cells, size))


def _distinct(successes: Floats, trials: Floats) -> tuple[Floats, Floats, Ints]:
    """Distinct pairs of successes and trials, and the pair of each cell; few cells are left as they are."""
    if len(trials) <= BLOCK:
        return successes, trials, np.arange(len(trials))
    pairs, rows = np.unique(successes + 1j * trials, return_inverse=True)
    return pairs.real.copy(), pairs.imag.copy(), rows


def _log_likelihood(successes: Floats, trials: Floats, log_odds: Floats) -> Floats:
    return successes * log_odds - trials * log_one_plus_exp(log_odds)


def _interpolation(grid: Grid, modes: Floats, errors: Floats) -> Floats:
    """Return rows that, times the masses of a prior, give its density averaged over a narrow likelihood."""
    table = np.zeros((len(modes), SIZE))
    points, cell = grid.points, np.arange(len(modes))
    for knot, weight in KNOTS:
        position = np.interp(modes + knot * errors, points, np.arange(SIZE))
        left = np.minimum(position.astype(np.int64), SIZE - 2)
        share = position - left
        area = weight * errors * np.sqrt(2 * np.pi)
        table[cell, left] += area * (1 - share) / grid.widths[left]
        table[cell, left + 1] += area * share / grid.widths[left + 1]
    return table
