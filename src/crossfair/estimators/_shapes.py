"""Shapes of priors for log odds, each with a location and a scale, and draws of rates under one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from crossfair.estimators._ladder import Ladders
from crossfair.estimators._likelihood import BLOCK, TINY, Floats, Ints, Likelihood, blocks, log_one_plus_exp


def _normal(log_odds: Floats, location: Floats, scale: Floats) -> Floats:
    density: Floats = -(((log_odds - location) / scale) ** 2) / 2
    return density


def _student(log_odds: Floats, location: Floats, scale: Floats) -> Floats:
    """Three degrees of freedom."""
    density: Floats = -2.0 * np.log1p(((log_odds - location) / scale) ** 2 / 3)
    return density


def _beta(log_odds: Floats, location: Floats, scale: Floats) -> Floats:
    """A Beta density with its mean at the location, whose log odds spread by about `scale`."""
    yes, no = 1 / (scale**2 * expit(-location)), 1 / (scale**2 * expit(location))
    density: Floats = -yes * log_one_plus_exp(-log_odds) - no * log_one_plus_exp(log_odds)
    return density


PIECE = 32  # cells
CACHED = 2**16  # so many draws are worked on at a time: they fit a processor's cache
MOST_SCALE = 4.0  # of log odds: rates as far apart as that are 2 % and 98 %

SHAPES: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "logit-normal": _normal,
    "Beta": _beta,
    "logit-t": _student,
}


def prior_masses(shape: str, likelihood: Likelihood, location: Floats, scale: Floats) -> Floats:
    """Return one column of masses on the grid, summing to 1, per pair of location and scale."""
    log_density = SHAPES[shape](likelihood.grid.points[:, None], location, scale)
    masses = np.exp(log_density - log_density.max(axis=0)) * likelihood.grid.widths[:, None]
    total: Floats = masses / masses.sum(axis=0)
    return total


def log_prior(location: Floats, scale: Floats) -> Floats:
    """Uniform mean rate; half-Cauchy scale, as a density over location and log scale."""
    return log_prior_of_location(location) + log_prior_of_scale(scale)


def log_prior_of_location(location: Floats) -> Floats:
    """Uniform rate, as a density over log odds."""
    return -log_one_plus_exp(location) - log_one_plus_exp(-location)


def log_prior_of_scale(scale: Floats) -> Floats:
    """Half-Cauchy of unit size up to `MOST_SCALE`, as a density over log scale."""
    log_half_cauchy: Floats = np.log(scale / np.arctan(MOST_SCALE)) - np.log1p(scale**2)
    return log_half_cauchy


@dataclass(frozen=True)
class Prior:
    """One prior of all cells: a shape, a scale, and one location, or one for each cell."""

    likelihood: Likelihood
    shape: str
    location: Floats
    scale: Floats

    def sample(self, cells: slice, count: int, rng: np.random.Generator) -> Floats:
        """Draw rates (count, cells) from the posterior of these cells."""
        narrow = self.likelihood.narrow[self.likelihood.rows[cells]]
        positions = np.arange(cells.start, cells.stop)
        if not narrow.any():
            return self._sample_on_grid(positions, count, rng)
        rates = np.empty((count, len(narrow)))
        rates[:, ~narrow] = self._sample_on_grid(positions[~narrow], count, rng)
        rates[:, narrow] = expit(self._sample_narrow(positions[narrow], count, rng))
        return rates

    def _sample_on_grid(self, cells: Ints, count: int, rng: np.random.Generator) -> Floats:
        """Draw grid points, and spread them out between their neighbours."""
        grid, rates = self.likelihood.grid, np.empty((count, len(cells)))
        weights, which = self._posteriors(cells)
        ladders = Ladders.of(np.cumsum(weights, axis=1), len(cells) * count)
        mean, shrink = self._centres(weights, which)
        levels = rng.random((len(cells), count))
        noise = rng.random(levels.shape)
        for some in blocks(len(cells), max(CACHED // count, 1)):
            # Triangular noise joins the points.
            x = grid.x[ladders.reached(which[some], levels[some])]
            x += grid.step * (noise[some] + rng.random(x.shape) - 1)
            rates[:, some] = expit(grid.log_odds(mean[some] + (x - mean[some]) * shrink[some])).T
        return rates

    def _centres(self, weights: Floats, which: Ints) -> tuple[Floats, Floats]:
        """Mean of each cell's posterior on the grid, and what takes out again the variance that noise adds.

        A whole block goes in pieces too small for BLAS to share out among threads: these stay awake for a
        while after each call, and the rates of an audit have a thread each already.
        """
        x, step = self.likelihood.grid.x, self.likelihood.grid.step
        mean, square = np.empty((2, len(which), 1))
        for some in blocks(len(which), PIECE if len(which) == BLOCK else BLOCK):
            own = weights[which[some]]
            mean[some, 0], square[some, 0] = own @ x, own @ x**2
        variance = np.maximum(square - mean**2, 0.0)
        return mean, np.sqrt(variance / (variance + step**2 / 6))  # triangular noise has step²/6

    def _posteriors(self, cells: Ints) -> tuple[Floats, Ints]:
        """Distinct posteriors (rows) on the grid, and which of them each cell has."""
        rows, which = self.likelihood.rows[cells], np.arange(len(cells))
        if self.location.size == 1:
            rows, which = self.likelihood.rows_of(cells)
        masses = prior_masses(self.shape, self.likelihood, self._location(cells), self.scale)
        weights = self.likelihood.table[rows] * np.maximum(masses, TINY).T
        return weights / weights.sum(axis=1, keepdims=True), which

    def _sample_narrow(self, cells: Ints, count: int, rng: np.random.Generator) -> Floats:
        """Draw from the normal approximation around the modes, moved by the slope of the log prior there."""
        rows = self.likelihood.rows[cells]
        modes, error = self.likelihood.modes[rows], self.likelihood.errors[rows]
        location, step = self._location(cells), self.scale / 8
        below, here, above = (SHAPES[self.shape](modes + k * step, location, self.scale) for k in (-1, 0, 1))
        slope, bend = (above - below) / (2 * step), (above - 2 * here + below) / step**2
        variance = error**2 / np.maximum(1 - error**2 * bend, 0.5)
        noise = rng.standard_normal((count, len(modes)))
        drawn: Floats = modes + variance * slope + noise * np.sqrt(variance)
        return drawn

    def _location(self, cells: Ints) -> Floats:
        return self.location[cells] if self.location.size > 1 else self.location
