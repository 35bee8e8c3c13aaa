"""Bayesian estimation: independent Beta posteriors per cell and rate, drawn."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from crossfair import checks
from crossfair.counts import Counts
from crossfair.epsilon import Extremes
from crossfair.estimators.base import Floats, Mask, blocks, stream, watched
from crossfair.rate_counts import RateCounts

# The posterior excludes 0 and 1; these stand for what would be rounded to them.
SMALLEST, LARGEST = float(np.finfo(np.float64).tiny), 1.0 - 2.0**-53
# So many rates are drawn at a time: with what is made of them they fit a processor's cache.
CACHED = 2**17


@dataclass(frozen=True)
class Bayes:
    """The paper's Bayesian estimator: a Beta(α, β) prior for every cell, on its own.

    With many small cells the extremes of independent draws make ε too large: see `Hierarchical`.

    >>> Bayes().words()
    'independent Beta(0.333333, 0.333333) priors'
    """

    alpha: float = 1 / 3
    beta: float = 1 / 3
    draws: int = 1000

    name: ClassVar[str] = "bayes"
    drawn: ClassVar[bool] = True
    summary: ClassVar[str] = "mean"

    def __post_init__(self) -> None:
        checks.number("alpha", self.alpha, strict=True)
        checks.number("beta", self.beta, strict=True)
        checks.whole("draws", self.draws, least=1)

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        return True

    def words(self) -> str:
        """The prior, in words."""
        return f"independent Beta({self.alpha:g}, {self.beta:g}) priors"

    def apply(self, counts: Counts, seed: int) -> BayesFit:  # noqa: ARG002  # rates are cut out one by one
        """Apply to counts."""
        return BayesFit(self, seed)


@dataclass(frozen=True)
class BayesFit:
    """Beta posteriors of counts, on the scale of the effective number of records.

    `kept` holds, by quantity and cell, the draws of the cells at either end.
    """

    estimator: Bayes
    seed: int
    kept: dict[str, dict[int, Floats]] = field(default_factory=dict)

    def point(self, counts: RateCounts) -> Floats:
        """The posterior mean of every cell."""
        alpha, beta = self._posterior(counts)
        return alpha / (alpha + beta)

    def words(self, counts: RateCounts) -> str:  # noqa: ARG002  # the same for every rate
        """What stands behind the estimates."""
        return self.estimator.words()

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Extremes of the drawn rates, and the mixture of the drawn cells as the overall rate."""
        rng = stream(self.seed, counts.key)
        alpha, beta = self._posterior(counts)
        ends, kept = watched(self.point(counts), supported), self.kept.setdefault(counts.key, {})
        parts = []
        for block in blocks(len(alpha)):
            inside = [cell for cell in ends if block.start <= cell < block.stop]
            here = [cell - block.start for cell in inside]
            cells = alpha[block], beta[block], counts.shares[block], supported[block]
            part, columns = self._drawn(rng, *cells, here)
            parts.append(part)
            kept |= dict(zip(inside, columns))
        return functools.reduce(Extremes.merge, parts)

    def draws_of(self, counts: RateCounts, cell: int) -> Floats:
        """The draws of a cell at either end, which `extremes` has kept."""
        return self.kept[counts.key][cell]

    def _drawn(
        self,
        rng: np.random.Generator,
        alpha: Floats,
        beta: Floats,
        shares: Floats,
        supported: Mask,
        watch: Sequence[int],
    ) -> tuple[Extremes, Floats]:
        """Extremes over some cells, and the draws of those to watch.

        A few draws are made at a time: they are reduced while the cache has them.
        """
        parts, watched_draws = [], []
        at_once = max(CACHED // max(len(alpha), 1), 1)
        for start in range(0, self.estimator.draws, at_once):
            rates, rests = draw_beta(rng, alpha, beta, min(at_once, self.estimator.draws - start))
            rest = Extremes.of(rests[:, supported], rests @ shares)
            parts.append(Extremes.of(rates[:, supported], rates @ shares, rest))
            watched_draws.append(rates[:, list(watch)].T)
        return Extremes.joined(parts), np.concatenate(watched_draws, axis=1)

    def _posterior(self, counts: RateCounts) -> tuple[Floats, Floats]:
        successes = counts.effective_successes
        return self.estimator.alpha + successes, self.estimator.beta + (counts.effective - successes)


def draw_beta(rng: np.random.Generator, alpha: Floats, beta: Floats, draws: int) -> tuple[Floats, Floats]:
    """Draw rates (draws, cells) from Beta(α, β), and what each leaves to 1, neither ever 0.

    Of the two, the one expected to be smaller is drawn, so that it keeps its precision near 0.

    >>> rates, rests = draw_beta(np.random.default_rng(0), np.array([30.3]), np.array([0.3]), 1000)
    >>> bool((rests > 0).all()), bool((rests.min() < 1e-9))
    (True, True)
    """
    small = rng.beta(np.minimum(alpha, beta), np.maximum(alpha, beta), size=(draws, len(alpha)))
    np.clip(small, SMALLEST, LARGEST, out=small)
    large = 1.0 - small
    swapped = alpha > beta
    return np.where(swapped, large, small), np.where(swapped, small, large)
