"""Families of priors for the rates of the cells, and the nodes that stand for their unknown parameters.

A family has a location and a scale on log odds. Both are unknown: a coarse pass finds where their posterior
lies, a fine pass covers that with a fixed number of nodes, each weighted by its prior and its evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from crossfair.estimators._likelihood import Floats, Likelihood, log_one_plus_exp

SCALES = 14  # coarse nodes per scale
LOCATIONS = 9  # fine nodes per location
FINE_SCALES = 9


def _normal(log_odds: Floats, location: Floats, scale: Floats) -> Floats:
    density: Floats = -(((log_odds - location) / scale) ** 2) / 2
    return density


def _student(log_odds: Floats, location: Floats, scale: Floats) -> Floats:
    """Four degrees of freedom."""
    density: Floats = -2.5 * np.log1p(((log_odds - location) / scale) ** 2 / 4)
    return density


def _beta(log_odds: Floats, location: Floats, scale: Floats) -> Floats:
    """A Beta density with its mean at the location, whose log odds spread by about `scale`."""
    yes, no = 1 / (scale**2 * expit(-location)), 1 / (scale**2 * expit(location))
    density: Floats = -yes * log_one_plus_exp(-log_odds) - no * log_one_plus_exp(log_odds)
    return density


FAMILIES: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "logit-normal": _normal,
    "Beta": _beta,
    "logit-t": _student,
}


@dataclass(frozen=True)
class Nodes:
    """Priors as columns of `masses` on the grid, their parameters, and the log of prior weight × evidence."""

    family: str
    location: Floats
    scale: Floats
    masses: Floats
    log_weight: Floats


def nodes_of(family: str, likelihood: Likelihood) -> Nodes:
    """Return the nodes that cover the posterior of one family's parameters."""
    scale, location, spread = _locate(family, likelihood)
    units = np.linspace(-3.5, 3.5, LOCATIONS)
    at = location[:, None] + spread[:, None] * units
    log_width = np.log(spread * (units[1] - units[0]) * _widths(np.log(scale)))[:, None]
    scales = np.broadcast_to(scale[:, None], at.shape)
    masses = prior_masses(family, likelihood, at.ravel(), scales.ravel())
    log_prior = log_width + _log_prior(at, scales)
    return Nodes(family, at.ravel(), scales.ravel(), masses, log_prior.ravel() + likelihood.evidence(masses))


def prior_masses(family: str, likelihood: Likelihood, location: Floats, scale: Floats) -> Floats:
    """Return one column of masses on the grid, summing to 1, per pair of location and scale."""
    log_density = FAMILIES[family](likelihood.grid.points[:, None], location, scale)
    masses = np.exp(log_density - log_density.max(axis=0)) * likelihood.grid.widths[:, None]
    total: Floats = masses / masses.sum(axis=0)
    return total


def _locate(family: str, likelihood: Likelihood) -> tuple[Floats, Floats, Floats]:
    """Find the scales worth a node, and for each the posterior mean and spread of the location."""
    grid = likelihood.grid
    location, width = grid.points[2:-2:4], grid.widths[2:-2:4] * 4
    scale = np.geomspace(1.5 * grid.inner * grid.step, max(3.0, 0.2 * np.ptp(grid.points)), SCALES)
    pairs = np.meshgrid(location, scale)
    masses = prior_masses(family, likelihood, pairs[0].ravel(), pairs[1].ravel())
    log_joint = likelihood.evidence(masses).reshape(pairs[0].shape) + np.log(width) + _log_prior(*pairs)
    joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    log_scale_weight = log_joint.max(axis=1) + np.log(joint.sum(axis=1))
    mean, spread = _moments(location, joint, np.interp(location, location, width))
    fine = _around(np.log(scale), np.exp(log_scale_weight - log_scale_weight.max()))
    return np.exp(fine), np.interp(fine, np.log(scale), mean), np.interp(fine, np.log(scale), spread)


def _moments(points: Floats, weights: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Mean and spread of each row, the spread no less than half the local width of the points."""
    weights = weights / weights.sum(axis=-1, keepdims=True)
    mean = weights @ points
    variance = (weights * (points - mean[..., None]) ** 2).sum(axis=-1)
    return mean, np.sqrt(variance + (np.interp(mean, points, width) / 2) ** 2)


def _around(log_scale: Floats, weights: Floats) -> Floats:
    """Return the fine nodes of the log scale: where its coarse posterior lies, within the coarse range."""
    step = log_scale[1] - log_scale[0]
    mean, spread = _moments(log_scale, weights, np.full_like(log_scale, step))
    low, high = np.clip([mean - 3.5 * spread, mean + 3.5 * spread], log_scale[0], log_scale[-1])
    return np.linspace(low, high, FINE_SCALES)


def _widths(points: Floats) -> Floats:
    return np.full(len(points), points[1] - points[0])


def _log_prior(location: Floats, scale: Floats) -> Floats:
    """Uniform mean rate; half-normal scale of unit size, as a density over location and log scale."""
    log_uniform = -log_one_plus_exp(location) - log_one_plus_exp(-location)
    log_half_normal: Floats = np.log(scale * (2 / np.pi) ** 0.5) - scale**2 / 2
    return log_uniform + log_half_normal
