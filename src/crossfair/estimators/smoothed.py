"""Smoothed empirical estimation: (successes + α) / (trials + α + β), a point without an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crossfair import checks
from crossfair.counts import Counts
from crossfair.epsilon import Extremes, epsilon
from crossfair.estimators.base import Floats, Mask
from crossfair.metrics import Comparison
from crossfair.rate_counts import Part, RateCounts


@dataclass(frozen=True)
class Smoothed:
    """The paper's smoothed empirical estimator; α = β = 0 gives the raw rates.

    >>> Smoothed(alpha=0.01, beta=0.01).words()
    'smoothed rates (k + 0.01) / (n + 0.02)'
    """

    alpha: float = 0.01
    beta: float = 0.01

    name: ClassVar[str] = "smoothed"
    drawn: ClassVar[bool] = False
    summary: ClassVar[str] = "point"

    def __post_init__(self) -> None:
        checks.number("alpha", self.alpha)
        checks.number("beta", self.beta)

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        return self.alpha + self.beta > 0

    def words(self) -> str:
        """The estimator and its smoothing, in words."""
        if not self.smooths:
            return "raw rates k / n"
        return f"smoothed rates (k + {self.alpha:g}) / (n + {self.alpha + self.beta:g})"

    def apply(self, counts: Counts, seed: int) -> SmoothedFit:  # noqa: ARG002  # nothing is drawn
        """Apply to counts."""
        return SmoothedFit(self)


@dataclass(frozen=True)
class SmoothedFit:
    """Smoothed rates of counts."""

    estimator: Smoothed

    def point(self, counts: RateCounts) -> Floats:
        """The smoothed rate of every cell."""
        estimator = self.estimator
        return smooth(counts.successes, counts.trials, estimator.alpha, estimator.beta)

    def words(self, counts: RateCounts) -> str:  # noqa: ARG002  # the same for every rate
        """What stands behind the estimates."""
        return self.estimator.words()

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Extremes of the smoothed rates; the overall rate is never smoothed."""
        return Extremes.of(self.point(counts)[None, supported], counts.share)


def smooth(
    successes: NDArray[np.float64], trials: NDArray[np.float64], alpha: float, beta: float
) -> NDArray[np.float64]:
    """Return (successes + α) / (trials + α + β), NaN where that is 0/0.

    >>> smooth(np.array([0.0, 3.0]), np.array([0.0, 4.0]), 0.5, 0.5).tolist()
    [0.5, 0.7]
    """
    whole = trials + (alpha + beta)
    undefined = np.full(np.shape(whole), np.nan)
    return np.asarray(np.divide(successes + alpha, whole, out=undefined, where=whole > 0))


def smoothed_epsilon(parts: Sequence[Part], comparison: Comparison, alpha: float, beta: float) -> float:
    """Return the smoothed ε of a metric made of several rates: the largest of theirs."""
    found = [0.0]
    for part in parts:
        counts = part.counts
        rates = counts.direct(smooth(counts.successes, counts.trials, alpha, beta))
        extremes = Extremes.of(rates[None, part.supported], counts.overall)
        found.append(float(epsilon(extremes, comparison)[0]))
    return max(found)
