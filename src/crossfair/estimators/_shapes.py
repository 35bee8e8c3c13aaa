"""Shapes of priors for log odds, each with a location and a scale, and draws of rates under one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from crossfair.estimators._likelihood import SIZE, TINY, Floats, Ints, Likelihood, log_one_plus_exp


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
        narrow = self.likelihood.narrow[cells]
        log_odds = np.empty((count, len(narrow)))
        positions = np.arange(cells.start, cells.stop)
        log_odds[:, ~narrow] = self._sample_on_grid(positions[~narrow], count, rng)
        log_odds[:, narrow] = self._sample_narrow(positions[narrow], count, rng)
        return np.asarray(expit(log_odds))

    def _sample_on_grid(self, cells: Ints, count: int, rng: np.random.Generator) -> Floats:
        """Draw grid points, and spread them out between their neighbours."""
        grid = self.likelihood.grid
        masses = prior_masses(self.shape, self.likelihood, self._location(cells), self.scale)
        weights = self.likelihood.table[cells] * np.maximum(masses, TINY).T
        weights /= weights.sum(axis=1, keepdims=True)
        cell = np.arange(len(cells))[:, None]
        ladder = (np.cumsum(weights, axis=1) + cell).ravel()
        # Cell by cell: neighbours in memory are looked up one after another.
        found = np.searchsorted(ladder, (rng.random((len(cell), count)) + cell).ravel())
        x = grid.x[np.clip(found.reshape(-1, count) - cell * SIZE, 0, SIZE - 1)]
        # Triangular noise joins the points; it adds step²/6 to the variance, which shrinking takes out again.
        x += grid.step * (rng.random(x.shape) + rng.random(x.shape) - 1)
        mean = (weights @ grid.x)[:, None]
        variance = np.maximum((weights @ grid.x**2)[:, None] - mean**2, 0.0)
        return grid.log_odds(mean + (x - mean) * np.sqrt(variance / (variance + grid.step**2 / 6))).T

    def _sample_narrow(self, cells: Ints, count: int, rng: np.random.Generator) -> Floats:
        """Draw from the normal approximation around the modes, moved by the slope of the log prior there."""
        modes, error = self.likelihood.modes[cells], self.likelihood.errors[cells]
        location, step = self._location(cells), self.scale / 8
        below, here, above = (SHAPES[self.shape](modes + k * step, location, self.scale) for k in (-1, 0, 1))
        slope, bend = (above - below) / (2 * step), (above - 2 * here + below) / step**2
        variance = error**2 / np.maximum(1 - error**2 * bend, 0.5)
        noise = rng.standard_normal((count, len(modes)))
        drawn: Floats = modes + variance * slope + noise * np.sqrt(variance)
        return drawn

    def _location(self, cells: Ints) -> Floats:
        return self.location[cells] if self.location.size > 1 else self.location
