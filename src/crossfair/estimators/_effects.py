"""The family of main effects: log odds are a mean, an effect of each attribute's level, and a residual.

Mean and effects are integrated by a normal approximation around their mode, residuals exactly on the grid.
The scales of the effects (one per attribute) and of the residuals are covered by a fixed number of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from crossfair.estimators._curves import Curves
from crossfair.estimators._design import Design
from crossfair.estimators._exchangeable import around
from crossfair.estimators._likelihood import KNOTS, Floats, Likelihood
from crossfair.estimators._sequence import even_points
from crossfair.estimators._shapes import MOST_SCALE, Prior, log_prior_of_location, log_prior_of_scale

# Scales of effects; each stands for the half-Cauchy prior's mass around it.
SCALES = np.geomspace(0.03, MOST_SCALE, 15)
COARSE, FINE = 8, 7  # residual scales
NODES = 48  # vectors of effect scales, for each residual scale
SETTLED = 0.2  # log odds that a prediction may still be off after the last step towards the mode


@dataclass(frozen=True)
class Expansion:
    """The log likelihood of the coefficients as a parabola: constant + linear · b − b · bend · b / 2."""

    constant: float
    linear: Floats
    bend: Floats

    @classmethod
    def at(cls, design: Design, curves: Curves, coefficients: Floats) -> Self:
        """Expand around some coefficients; the prior of the mean is part of it."""
        values, slopes, bends = curves.at(design.predict(coefficients))
        gradient, bend = design.gather(slopes), design.gram(np.maximum(-bends, 0.0))
        mean = coefficients[:1]
        gradient[0] -= np.tanh(mean[0] / 2)
        bend[0, 0] += 0.5 / np.cosh(mean[0] / 2) ** 2
        constant = values.sum() + log_prior_of_location(mean)[0]
        pull = bend @ coefficients
        return cls(float(constant - gradient @ coefficients - coefficients @ pull / 2), gradient + pull, bend)

    def evidence(self, scales: Floats) -> Floats:
        """Log marginal likelihood for each row of coefficients' scales."""
        found = np.empty(len(scales))
        size = max(1, 1_000_000 // len(self.linear) ** 2)
        for start in range(0, len(scales), size):
            rows = scales[start : start + size]
            matrix, right = self._system(rows)
            solved = np.linalg.solve(matrix, right[..., None])[..., 0]
            determinant = np.linalg.slogdet(matrix)[1]
            found[start : start + size] = ((right * solved).sum(axis=1) - determinant) / 2
        found += self.constant + np.log(2 * np.pi) / 2
        return found

    @property
    def dismissed(self) -> Self:
        """The same without any weight: a parabola that was not expanded at the mode says nothing."""
        return replace(self, constant=-np.inf)

    def posterior(self, scales: Floats) -> tuple[Floats, Floats]:
        """Mean of the coefficients, and a factor of their covariance."""
        matrix, right = self._system(scales[None])
        factor = np.linalg.inv(np.linalg.cholesky(matrix[0])).T
        return scales * (factor @ (factor.T @ right[0])), scales[:, None] * factor

    def _system(self, scales: Floats) -> tuple[Floats, Floats]:
        matrix = scales[:, :, None] * self.bend * scales[:, None, :]
        own = np.arange(1, len(self.linear))
        matrix[:, own, own] += 1.0
        return matrix, scales * self.linear


@dataclass(frozen=True)
class Effects:
    """Nodes: the scale of the residuals, and those of the effects."""

    likelihood: Likelihood
    design: Design
    residual: Floats
    scales: Floats
    expansion: tuple[Expansion, ...]
    log_weight: Floats
    name: ClassVar[str] = "main effects"

    @classmethod
    def of(cls, likelihood: Likelihood, design: Design) -> Self:
        """Find where the scales lie and cover that with nodes."""
        coefficients, scales, residual = _locate(likelihood, design)
        found = [
            _expand(design, Curves.of_evidence(likelihood, scale), coefficients, scales, 2)[0]
            for scale in residual
        ]
        middle = int(np.argmax([expansion.evidence(design.scaled(scales[None]))[0] for expansion in found]))
        nodes, log_ratio = _scale_nodes(found[middle], design, scales)
        width = np.log(np.log(residual[1] / residual[0])) + log_prior_of_scale(residual)
        rows = design.scaled(nodes)
        weights = [w + log_ratio + expansion.evidence(rows) for w, expansion in zip(width, found)]
        return cls(
            likelihood,
            design,
            np.repeat(residual, NODES),
            np.tile(nodes, (len(residual), 1)),
            tuple(expansion for expansion in found for _ in range(NODES)),
            np.concatenate(weights),
        )

    @cached_property
    def spread(self) -> Floats:
        """Standard deviation of the cells' log odds under each node."""
        return np.asarray(np.sqrt(self.residual**2 + (self.scales**2).sum(axis=1)))

    def means(self, weights: Floats) -> Floats:
        """Posterior mean rate of each cell, summed over the nodes with these weights."""
        means = np.zeros(len(self.likelihood.rows))
        for scale in np.unique(self.residual):
            nodes = np.flatnonzero((self.residual == scale) & (weights > 1e-4 * weights.max()))
            if not len(nodes):
                continue
            curves = Curves.of_means(self.likelihood, scale)
            location, variance = self._predictions(nodes, weights[nodes] / weights[nodes].sum())
            for knot, share in KNOTS:
                at = location + knot * np.sqrt(variance)
                means += weights[nodes].sum() * share * np.clip(curves.at(at)[0], 0.0, 1.0)
        return means

    def prior(self, node: int, count: int, rng: np.random.Generator) -> Prior:  # noqa: ARG002  # one for all draws
        """Draw mean and effects."""
        mean, factor = self.expansion[node].posterior(self.design.scaled(self.scales[node]))
        drawn = mean + factor @ rng.standard_normal(len(mean))
        # Rounded, so that the last bits of a solver cannot show.
        location = np.round(self.design.predict(drawn), 10)
        return Prior(self.likelihood, "logit-normal", location, self.residual[[node]])

    def _predictions(self, nodes: np.ndarray, shares: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the cells' locations over nodes that share a residual scale."""
        found = [self.expansion[node].posterior(self.design.scaled(self.scales[node])) for node in nodes]
        means = np.array([mean for mean, _ in found])
        centre = shares @ means
        covariance = sum(
            share * (factor @ factor.T + np.outer(mean - centre, mean - centre))
            for share, (mean, factor) in zip(shares, found)
        )
        return self.design.predict(centre), np.maximum(self.design.variances(np.asarray(covariance)), 0.0)


def _expand(
    design: Design, curves: Curves, coefficients: Floats, scales: Floats, steps: int
) -> tuple[Expansion, Floats]:
    """Take Newton steps towards the mode and expand there."""
    rows = design.scaled(scales)
    expansion = Expansion.at(design, curves, coefficients)
    for _ in range(steps):
        mode = expansion.posterior(rows)[0]
        coefficients = coefficients + np.clip(mode - coefficients, -2.0, 2.0)
        expansion = Expansion.at(design, curves, coefficients)
    left = design.predict(expansion.posterior(rows)[0] - coefficients)
    return (expansion if np.abs(left).max() < SETTLED else expansion.dismissed), coefficients


def _locate(likelihood: Likelihood, design: Design) -> tuple[Floats, Floats, Floats]:
    """Find the coefficients and their scales, and the residual scales worth a node."""
    grid = likelihood.grid
    coarse = np.geomspace(grid.finest, max(MOST_SCALE, 2 * grid.finest), COARSE)
    curves = [Curves.of_evidence(likelihood, scale) for scale in coarse]
    coefficients = np.zeros(design.starts[-1])
    coefficients[0] = grid.centre
    scales = np.full(len(design.sizes), 0.5)
    at = COARSE // 2
    for steps in (6, 3, 3):
        expansion, coefficients = _expand(design, curves[at], coefficients, scales, steps)
        for k in range(len(scales)):
            scales[k] = SCALES[np.argmax(_profile(expansion, design, scales, k))]
        each = [_expand(design, curve, coefficients, scales, 1)[0] for curve in curves]
        profile = np.array([expansion.evidence(design.scaled(scales[None]))[0] for expansion in each])
        profile += log_prior_of_scale(coarse)
        at = int(np.argmax(profile))
    profile = np.maximum(profile, -1e300)
    fine = around(np.log(coarse), np.exp(profile - profile.max()), FINE)
    return coefficients, scales, np.exp(fine)


def _profile(expansion: Expansion, design: Design, scales: Floats, attribute: int) -> Floats:
    """Log of prior × evidence of each of `SCALES` for one attribute's effects."""
    rows = np.tile(scales, (len(SCALES), 1))
    rows[:, attribute] = SCALES
    return _LOG_MASSES + expansion.evidence(design.scaled(rows))


def _scale_nodes(expansion: Expansion, design: Design, scales: Floats) -> tuple[Floats, Floats]:
    """Choose vectors of effect scales, attribute by attribute, and what their choice is corrected by."""
    points = even_points(NODES, len(scales))
    nodes, log_ratio = np.empty((NODES, len(scales))), np.full(NODES, -np.log(NODES))
    for k in range(len(scales)):
        logs = _profile(expansion, design, scales, k)
        chance = np.exp(logs - logs.max())
        chance = 0.9 * chance / chance.sum() + 0.1 * np.exp(_LOG_MASSES)
        chosen = np.minimum(np.searchsorted(np.cumsum(chance), points[:, k]), len(SCALES) - 1)
        nodes[:, k] = SCALES[chosen]
        log_ratio += _LOG_MASSES[chosen] - np.log(chance[chosen])
    return nodes, log_ratio


def _half_cauchy_masses() -> Floats:
    edges = np.sqrt(SCALES[1:] * SCALES[:-1])
    masses = np.diff(np.arctan(edges) / np.arctan(MOST_SCALE), prepend=0.0, append=1.0)
    return np.asarray(np.log(masses))


_LOG_MASSES = _half_cauchy_masses()
