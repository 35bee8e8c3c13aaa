"""The family of two groups: every cell has one of two rates, and nobody knows which.

Its three parameters (two log odds, and the share of the cells that have the lower one) are located by
expectation-maximisation from several starts and covered by importance sampling at fixed points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy.special import expit, gammaincinv, gammaln, logit, logsumexp, ndtri

from crossfair.estimators._likelihood import Floats, Ints, Likelihood, blocks, log_one_plus_exp
from crossfair.estimators._sequence import even_points
from crossfair.estimators._shapes import log_prior_of_location

STARTS = (0.1, 0.3, 0.5, 0.7, 0.9)  # shares of the cells that start in the lower group
STEPS = 30  # of expectation-maximisation
NODES = 128  # per proposal
BROAD = np.array([2.5, 2.5, 3.0])  # widths of one more proposal, for data that say little
FREEDOM = 4.0  # degrees of freedom of the proposals


@dataclass(frozen=True)
class TwoGroups:
    """Nodes (lower log odds, higher log odds, log odds of the lower group's share), with their weights."""

    likelihood: Likelihood
    nodes: Floats
    log_weight: Floats
    name: ClassVar[str] = "two groups of equal cells"

    @classmethod
    def of(cls, likelihood: Likelihood) -> Self:
        """Locate the parameters and cover them with nodes."""
        peaks = [_peak(likelihood, mode) for mode in _maximise(likelihood)]
        centre = likelihood.grid.centre
        modes, factors = zip(*peaks, (np.array([centre - 1, centre + 1, 0.0]), np.diag(BROAD)))
        units = even_points(NODES * len(modes), 4)
        radius = np.sqrt(2 * gammaincinv(FREEDOM / 2, units[:, 3:]) / FREEDOM)
        steps = np.array_split(ndtri(units[:, :3]) / radius, len(modes))
        nodes = np.concatenate([m + step @ factor.T for m, step, factor in zip(modes, steps, factors)])
        density = [_log_density(nodes, mode, factor) for mode, factor in zip(modes, factors)]
        log_proposal = logsumexp(density, axis=0) - np.log(len(modes))
        return cls(likelihood, nodes, _log_joint(likelihood, nodes) - log_proposal - np.log(len(nodes)))

    @cached_property
    def spread(self) -> Floats:
        """Standard deviation of the cells' log odds under each node."""
        share = expit(self.nodes[:, 2])
        return np.asarray(np.sqrt(share * (1 - share)) * np.abs(self.nodes[:, 1] - self.nodes[:, 0]))

    def means(self, weights: Floats) -> Floats:
        """Posterior mean rate of each cell, summed over the nodes with these weights."""
        used = weights > 0
        nodes, kept = self.nodes[used], weights[used]
        means = np.empty(len(self.likelihood.rows))
        for cells in blocks(len(means), 512):
            rows, places = self.likelihood.rows_of(cells)
            low = expit(_log_odds_of_low(self.likelihood, nodes, rows))
            rates = low * expit(nodes[:, :1]) + (1 - low) * expit(nodes[:, 1:2])
            means[cells] = kept @ rates.take(places, axis=1)
        return means

    def prior(self, node: int, count: int, rng: np.random.Generator) -> Pair:  # noqa: ARG002  # nothing is open
        """The prior of a node."""
        return Pair(self.likelihood, self.nodes[node])


@dataclass(frozen=True)
class Pair:
    """Two rates, and the share of the cells that have the lower one."""

    likelihood: Likelihood
    node: Floats

    def sample(self, cells: slice, count: int, rng: np.random.Generator) -> Floats:
        """Draw which group each cell is in."""
        low = expit(_log_odds_of_low(self.likelihood, self.node[None], self.likelihood.rows[cells]))
        rates = expit(self.node[:2])
        drawn: Floats = np.where(rng.random((count, low.shape[1])) < low, rates[0], rates[1])
        return drawn


def _log_likelihood(likelihood: Likelihood, log_odds: Floats, rows: slice | Ints) -> Floats:
    """Log likelihood (nodes, rows) of cells with these rows, each with one of the log odds."""
    yes, n = likelihood.successes[rows], likelihood.trials[rows]
    logs: Floats = log_odds[:, None] * yes - log_one_plus_exp(log_odds)[:, None] * n
    return logs


def _log_odds_of_low(likelihood: Likelihood, nodes: Floats, rows: slice | Ints) -> Floats:
    """Log odds (nodes, rows) that a cell with such a row is in the lower group."""
    low, high = (_log_likelihood(likelihood, nodes[:, group], rows) for group in (0, 1))
    logs: Floats = nodes[:, 2:] + low - high
    return logs


def _log_joint(likelihood: Likelihood, nodes: Floats) -> Floats:
    """Log of prior × likelihood: the two rates (in order) and the share are Beta(½, ½)."""
    total = log_prior_of_location(nodes).sum(axis=1) / 2 + np.log(2 / np.pi**3)
    for some in blocks(len(nodes), 16):  # bounds the memory where no two cells are alike
        low, high = (_log_likelihood(likelihood, nodes[some, group], slice(None)) for group in (0, 1))
        either = np.logaddexp(nodes[some, 2:] + low, high) - log_one_plus_exp(nodes[some, 2:])
        for cells in blocks(len(likelihood.rows), 512):
            total[some] += either.take(likelihood.rows[cells], axis=1).sum(axis=1)
    return np.where(nodes[:, 0] < nodes[:, 1], total, -np.inf)


def _maximise(likelihood: Likelihood) -> list[Floats]:
    """Return a mode of the joint density for each start."""
    yes, n = likelihood.successes[likelihood.rows], likelihood.trials[likelihood.rows]
    pooled = (yes.sum() + 0.5) / (n.sum() + 1)
    order = np.argsort(np.argsort((yes + 10 * pooled) / (n + 10), kind="stable"), kind="stable")
    low = (order[None] < np.array(STARTS)[:, None] * len(n)).astype(float)
    for _ in range(STEPS):
        nodes = _fit(low, yes, n)
        low = expit(_log_odds_of_low(likelihood, nodes, slice(None))).take(likelihood.rows, axis=1)
    return list(_fit(low, yes, n))


def _fit(low: Floats, yes: Floats, n: Floats) -> Floats:
    """The parameters that fit cells of which each is in the lower group to some degree."""
    sums = [((part @ yes + 0.5) / (part @ n + 1)) for part in (low, 1 - low)]
    share = (low.sum(axis=1) + 0.5) / (low.shape[1] + 1)
    nodes: Floats = np.stack([*(logit(rate) for rate in sums), logit(share)], axis=1)
    return nodes


def _peak(likelihood: Likelihood, mode: Floats) -> tuple[Floats, Floats]:
    """Return a mode and a factor of the covariance there, from differences of the log density."""
    low = expit(_log_odds_of_low(likelihood, mode[None], slice(None)))[0, likelihood.rows]
    rates, n = expit(mode), likelihood.trials[likelihood.rows]
    information = [part @ n * rate * (1 - rate) for part, rate in zip((low, 1 - low), rates)]
    scale = 1 / np.sqrt(np.array([*information, len(n) * rates[2] * (1 - rates[2])]) + 0.5)
    pairs = [(i, j) for i in range(3) for j in range(i + 1)]
    signs = [(a, b) for a in (1, -1) for b in (1, -1)]
    unit = np.eye(3) / 2
    moves = np.array([a * unit[i] + b * unit[j] for i, j in pairs for a, b in signs])
    values = _log_joint(likelihood, mode + moves * scale).reshape(-1, 4)
    inside = np.isfinite(values.min(axis=1))  # beyond, the two groups would change places
    bends = -(np.where(inside[:, None], values, 0.0) @ [1, -1, -1, 1])
    precision = np.zeros((3, 3))
    wide = np.diag(scale**2 / BROAD**2)  # no proposal is wider than what data that say nothing would leave
    for (i, j), bend in zip(pairs, bends):
        precision[i, j] = precision[j, i] = bend
    stretched, vectors = np.linalg.eigh(precision)
    inverse = (vectors / np.clip(stretched, 0.05, 20.0)) @ vectors.T
    factor: Floats = scale[:, None] * np.linalg.cholesky(np.linalg.inv(np.linalg.inv(inverse) + wide))
    return mode, factor


def _log_density(nodes: Floats, mode: Floats, factor: Floats) -> Floats:
    """Log density of the proposals: Student's t."""
    steps = np.linalg.solve(factor, (nodes - mode).T)
    constant = gammaln((FREEDOM + 3) / 2) - gammaln(FREEDOM / 2) - 1.5 * np.log(FREEDOM * np.pi)
    volume = np.log(abs(np.linalg.det(factor)))
    density: Floats = constant - volume - (FREEDOM + 3) / 2 * np.log1p((steps**2).sum(axis=0) / FREEDOM)
    return density
