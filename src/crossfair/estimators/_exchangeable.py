"""Exchangeable families: the log odds of all cells come from one shape with unknown location and scale.

A coarse pass finds where the posterior of location and scale lies, a fine pass covers that with a fixed
number of nodes, each weighted by its prior and its evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from crossfair.estimators._likelihood import Floats, Likelihood, blocks
from crossfair.estimators._shapes import MOST_SCALE, Prior, log_prior, prior_masses

SCALES = 14  # coarse nodes per scale
LOCATIONS = 9  # fine nodes per location
FINE_SCALES = 9


@dataclass(frozen=True)
class Exchangeable:
    """Priors of one shape, by location and scale."""

    name: str
    likelihood: Likelihood
    location: Floats
    spread: Floats
    log_weight: Floats

    @classmethod
    def of(cls, shape: str, likelihood: Likelihood) -> Self:
        """Cover the posterior of location and scale with nodes."""
        scale, location, error = _locate(shape, likelihood)
        units = np.linspace(-3.5, 3.5, LOCATIONS)
        at = location[:, None] + error[:, None] * units
        log_width = np.log(error * (units[1] - units[0]) * _widths(np.log(scale)))[:, None]
        scales = np.broadcast_to(scale[:, None], at.shape)
        prior = (log_width + log_prior(at, scales)).ravel()
        masses = prior_masses(shape, likelihood, at.ravel(), scales.ravel())
        return cls(shape, likelihood, at.ravel(), scales.ravel(), prior + likelihood.evidence(masses))

    def means(self, weights: Floats) -> Floats:
        """Posterior mean rate of each cell, summed over the nodes with these weights."""
        used = weights > 0
        masses = prior_masses(self.name, self.likelihood, self.location[used], self.spread[used])
        rates = masses * expit(self.likelihood.grid.points)[:, None]
        means = np.empty(len(self.likelihood.rows))
        for cells in blocks(len(means)):
            table = self.likelihood.table[self.likelihood.rows[cells]]
            means[cells] = (table @ rates / (table @ masses)) @ weights[used]
        return means

    def prior(self, node: int, count: int, rng: np.random.Generator) -> Prior:  # noqa: ARG002  # nothing is open
        """The prior of a node."""
        return Prior(self.likelihood, self.name, self.location[[node]], self.spread[[node]])


def _locate(shape: str, likelihood: Likelihood) -> tuple[Floats, Floats, Floats]:
    """Find the scales worth a node, and for each the posterior mean and spread of the location."""
    grid = likelihood.grid
    location, width = grid.points[2:-2:4], grid.widths[2:-2:4] * 4
    scale = np.geomspace(grid.finest, max(MOST_SCALE, 2 * grid.finest), SCALES)
    pairs = np.meshgrid(location, scale)
    masses = prior_masses(shape, likelihood, pairs[0].ravel(), pairs[1].ravel())
    log_joint = likelihood.evidence(masses).reshape(pairs[0].shape) + np.log(width) + log_prior(*pairs)
    joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    log_scale_weight = log_joint.max(axis=1) + np.log(joint.sum(axis=1))
    mean, spread = _moments(location, joint, np.interp(location, location, width))
    fine = around(np.log(scale), np.exp(log_scale_weight - log_scale_weight.max()), FINE_SCALES)
    return np.exp(fine), np.interp(fine, np.log(scale), mean), np.interp(fine, np.log(scale), spread)


def _moments(points: Floats, weights: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Mean and spread of each row, the spread no less than half the local width of the points."""
    weights = weights / weights.sum(axis=-1, keepdims=True)
    mean = weights @ points
    variance = (weights * (points - mean[..., None]) ** 2).sum(axis=-1)
    return mean, np.sqrt(variance + (np.interp(mean, points, width) / 2) ** 2)


def around(points: Floats, weights: Floats, number: int) -> Floats:
    """Return finer points where the weights of equally spaced ones lie, within their range."""
    step = points[1] - points[0]
    mean, spread = _moments(points, weights, np.full_like(points, step))
    low, high = np.clip([mean - 3.5 * spread, mean + 3.5 * spread], points[0], points[-1])
    return np.linspace(low, high, number)


def _widths(points: Floats) -> Floats:
    return np.full(len(points), points[1] - points[0])
