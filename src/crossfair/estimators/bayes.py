"""Bayesian estimation: independent Beta posteriors per cell and rate, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crossfair import checks
from crossfair.counts import Counts
from crossfair.epsilon import Extremes
from crossfair.estimators.base import Floats, Mask, blocks, stream
from crossfair.rate_counts import RateCounts


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
    """Beta posteriors of counts, on the scale of the effective number of records."""

    estimator: Bayes
    seed: int

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
        found: Extremes | None = None
        for block in blocks(len(alpha)):
            rates = rng.beta(alpha[block], beta[block], size=(self.estimator.draws, len(alpha[block])))
            part = Extremes.of(rates[:, supported[block]], rates @ counts.shares[block])
            found = part if found is None else found.merge(part)
        assert found is not None  # there is always one block
        return found

    def _posterior(self, counts: RateCounts) -> tuple[Floats, Floats]:
        successes = counts.effective_successes
        return self.estimator.alpha + successes, self.estimator.beta + (counts.effective - successes)
