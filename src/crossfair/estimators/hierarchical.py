"""The hierarchical estimator: rates share a prior that is itself inferred, so small cells borrow strength.

Independent flat priors call the noise of many small cells unfairness. Here family, location and scale
of the prior are unknown too: integrated over a fixed number of nodes, drawn with the rates, never plugged in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from crossfair.counts import Counts
from crossfair.errors import invalid
from crossfair.estimators._likelihood import Floats, Likelihood, blocks
from crossfair.estimators._priors import FAMILIES, nodes_of
from crossfair.estimators.pooled import PooledFit

ALL_EQUAL = 0.1  # prior probability that all cells have one rate
DRAWN_NODES = 100  # distinct priors among the draws, each drawn about equally often


@dataclass(frozen=True)
class Hierarchical:
    """Draws of all rates from their joint posterior under an inferred prior, families averaged by evidence.

    >>> rng = np.random.default_rng(0)
    >>> rates = Hierarchical(draws=500).draw([30, 0, 50], [100, 2, 100], rng)
    >>> rates.shape
    (500, 3)
    """

    draws: int = 1000

    name: ClassVar[str] = "hierarchical"
    drawn: ClassVar[bool] = True
    summary: ClassVar[str] = "median"

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise invalid("draws", "must be a whole number of at least 1", got=self.draws)

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        return True

    def words(self) -> str:
        """The prior, in words."""
        return "an inferred prior that the cells share, averaged over families by their evidence"

    def apply(self, counts: Counts, seed: int) -> PooledFit:  # noqa: ARG002  # rates are cut out one by one
        """Apply to counts."""
        return PooledFit(self.fit, self.draws, seed)

    def fit(self, successes: ArrayLike, trials: ArrayLike) -> Posterior:
        """Return the posterior, which states its prior and its means and can be drawn from."""
        yes, n = _checked(successes, trials)
        return Posterior.of(Likelihood.of(yes, n))

    def draw(self, successes: ArrayLike, trials: ArrayLike, rng: np.random.Generator) -> Floats:
        """Return rates (draws, cells) from the joint posterior."""
        return self.fit(successes, trials).draw(rng, self.draws)


def _checked(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    yes, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    if yes.ndim != 1 or yes.shape != n.shape or not len(n):
        shapes = f"shapes {yes.shape} and {n.shape}"
        raise invalid(
            "successes and trials", "must be one number per cell each, for at least one cell", got=shapes
        )
    bad = ~(np.isfinite(n) & (yes >= 0) & (yes <= n))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        came = f"{yes[first]} of {n[first]} in cell {first}"
        raise invalid("successes", "must lie between 0 and the trials, which must be finite", got=came)
    return yes, n


@dataclass(frozen=True)
class Posterior:
    """The joint posterior of the rates: weighted priors (columns of `masses`), and one with all rates equal.

    >>> posterior = Hierarchical().fit([300, 320, 1], [1000, 1000, 2])
    >>> posterior.means.round(2)
    array([0.31, 0.32, 0.33])
    """

    likelihood: Likelihood
    family: NDArray[np.int64]
    scale: Floats
    masses: Floats
    weights: Floats
    all_equal: float

    @classmethod
    def of(cls, likelihood: Likelihood) -> Posterior:
        """Weight every node by its prior and its evidence."""
        nodes = [nodes_of(family, likelihood) for family in FAMILIES]
        share = np.log((1 - ALL_EQUAL) / len(nodes))
        one_rate = np.log(ALL_EQUAL) + likelihood.evidence_of_one_rate()
        logs = np.concatenate([*(share + node.log_weight for node in nodes), [one_rate]])
        # Rounded, so that the last bits of a matrix product cannot decide which nodes are drawn.
        weights = np.round(np.exp(logs - logs.max()), 12)
        weights /= weights.sum()
        return cls(
            likelihood,
            np.repeat(np.arange(len(nodes)), [len(node.scale) for node in nodes]),
            np.concatenate([node.scale for node in nodes]),
            np.concatenate([node.masses for node in nodes], axis=1),
            weights[:-1],
            float(weights[-1]),
        )

    @cached_property
    def means(self) -> Floats:
        """Posterior mean rate of each cell."""
        likelihood, used = self.likelihood, self.weights > 0
        masses = self.masses[:, used]
        rates = masses * expit(likelihood.grid.points)[:, None]
        pooled = (likelihood.successes.sum() + 1) / (likelihood.trials.sum() + 2)
        means = np.empty(len(likelihood.table))
        for rows in blocks(len(means)):
            table = likelihood.table[rows]
            means[rows] = (table @ rates / (table @ masses)) @ self.weights[used] + self.all_equal * pooled
        return means

    @cached_property
    def prior(self) -> str:
        """The prior in words, with what was inferred about it."""
        shares = [(self.weights[self.family == i].sum(), name) for i, name in enumerate(FAMILIES)]
        shares.append((self.all_equal, "all cells equal"))
        families = ", ".join(f"{name} {share:.0%}" for share, name in sorted(shares, reverse=True))
        order = np.argsort(self.scale)
        cumulative = np.cumsum(self.weights[order])
        low, middle, high = self.scale[order][
            np.searchsorted(cumulative, np.array([0.025, 0.5, 0.975]) * cumulative[-1])
        ]
        return (
            f"the cells' rates are exchangeable and share an inferred prior: {families}; "
            f"unless all are equal, the spread of their log odds is {middle:.2g} ({low:.2g} to {high:.2g})"
        )

    def draw(self, rng: np.random.Generator, draws: int = 1000) -> Floats:
        """Return rates (draws, cells) from the joint posterior."""
        rates = np.empty((draws, len(self.likelihood.table)))
        for cells, block in self.blocks(rng, draws):
            rates[:, cells] = block
        return rates

    def blocks(self, rng: np.random.Generator, draws: int = 1000) -> Iterator[tuple[slice, Floats]]:
        """Yield the draws for a bounded number of cells at a time; all blocks share the drawn priors."""
        likelihood = self.likelihood
        chosen = self._choose(rng, draws)
        yes = likelihood.successes.sum()
        one_rate = rng.beta(yes + 1, likelihood.trials.sum() - yes + 1, draws)
        for cells in blocks(len(likelihood.table)):
            rates = np.repeat(one_rate[:, None], cells.stop - cells.start, axis=1)
            for node in np.unique(chosen[chosen < len(self.weights)]):
                which = np.flatnonzero(chosen == node)
                rates[which] = expit(likelihood.sample(self.masses[:, node], cells, len(which), rng))
            yield cells, rates

    def _choose(self, rng: np.random.Generator, draws: int) -> NDArray[np.int64]:
        """Draw a node for each draw, by systematic sampling along the scales; the last one is "all equal"."""
        order = np.append(np.argsort(self.scale, kind="stable"), len(self.scale))
        cumulative = np.cumsum(np.append(self.weights, self.all_equal)[order])
        distinct = min(DRAWN_NODES, draws)
        levels = (np.arange(distinct) + rng.random(distinct)) / distinct * cumulative[-1]
        nodes = order[np.minimum(np.searchsorted(cumulative, levels), len(order) - 1)]
        return rng.permutation(np.resize(rng.permutation(nodes), draws))
