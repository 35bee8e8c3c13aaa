"""Bootstrap estimation without datasets: resampling n records is one multinomial draw over the counts.

That costs O(resamples · cells), whatever n is, and is exact without weights. With weights, the drawn
number of records of a place brings a gamma-distributed weight sum with the mean and variance of that place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crossfair import checks
from crossfair.counts import Counts
from crossfair.epsilon import Extremes
from crossfair.estimators.base import Floats, Mask, stream
from crossfair.estimators.smoothed import smooth
from crossfair.rate_counts import RateCounts


@dataclass(frozen=True)
class Bootstrap:
    """The paper's bootstrap estimator: smoothed rates of resampled records.

    >>> Bootstrap().words()
    '1,000 resamples, smoothed rates (k + 0.01) / (n + 0.02)'
    """

    resamples: int = 1000
    alpha: float = 0.01
    beta: float = 0.01

    name: ClassVar[str] = "bootstrap"
    drawn: ClassVar[bool] = True
    summary: ClassVar[str] = "mean"

    def __post_init__(self) -> None:
        checks.whole("resamples", self.resamples, least=1)
        checks.number("alpha", self.alpha)
        checks.number("beta", self.beta)

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        return self.alpha + self.beta > 0

    def words(self) -> str:
        """The resampling and its smoothing, in words."""
        rates = f"smoothed rates (k + {self.alpha:g}) / (n + {self.alpha + self.beta:g})"
        return f"{self.resamples:,} resamples, {rates if self.smooths else 'raw rates'}"

    def apply(self, counts: Counts, seed: int) -> BootstrapFit:
        """Apply to counts; all rates are computed on the same resamples."""
        return BootstrapFit(self, counts, _resample(counts, self.resamples, stream(seed, "bootstrap")))


@dataclass(frozen=True, eq=False)
class BootstrapFit:
    """Resampled weight sums of counts, as (resamples, cells, labels, predictions)."""

    estimator: Bootstrap
    counts: Counts
    tables: NDArray[np.float64]

    def point(self, counts: RateCounts) -> Floats:
        """The smoothed rate of every cell."""
        return smooth(counts.effective_successes, counts.effective, self.estimator.alpha, self.estimator.beta)

    def words(self, counts: RateCounts) -> str:  # noqa: ARG002  # the same for every rate
        """What stands behind the estimates."""
        return self.estimator.words()

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Extremes of the smoothed rates in each resample, and its overall rate, never smoothed."""
        successes, trials = self._cut(counts)
        scale = np.divide(
            counts.effective, counts.trials, out=np.ones_like(counts.trials), where=counts.trials > 0
        )
        rates = smooth(successes * scale, trials * scale, self.estimator.alpha, self.estimator.beta)
        whole = trials.sum(axis=1)
        overall = np.divide(successes.sum(axis=1), whole, out=np.zeros_like(whole), where=whole > 0)
        return Extremes.of(rates[:, supported], overall)

    def _cut(self, counts: RateCounts) -> tuple[Floats, Floats]:
        """Successes and trials per resample and cell."""
        code = self.counts.outcomes.values.index(counts.table_outcome)
        top = _spread(counts.numerator, code, self.counts)
        whole = _spread(counts.denominator, code, self.counts)
        return self.tables[:, :, top].sum(axis=2), self.tables[:, :, whole].sum(axis=2)


def _resample(counts: Counts, resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    n = counts.n.ravel().astype(np.float64)
    places = np.flatnonzero(n)  # what rounding leaves over goes to the last place, which must not be empty
    drawn = np.zeros((resamples, len(n)), dtype=np.int64)
    drawn[:, places] = rng.multinomial(round(n.sum()), n[places] / n.sum(), size=resamples)
    sums = drawn.astype(np.float64) if counts.weights is None else _weigh(drawn, n, counts, rng)
    return sums.reshape((resamples, *counts.n.shape))


def _spread(mask: Mask, code: int, counts: Counts) -> Mask:
    """A mask over [label, prediction] being `code` or not, laid out over all labels and predictions."""
    rows, columns = (
        (np.arange(size) == code if present else np.zeros(1)).astype(np.int64)
        for size, present in zip(counts.n.shape[1:], (counts.has_label, counts.has_prediction))
    )
    return np.asarray(mask[np.ix_(rows, columns)])


def _weigh(
    drawn: NDArray[np.int64], n: Floats, counts: Counts, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Weight sums of the drawn numbers of records: gamma with each place's mean and variance of weights."""
    assert counts.weights is not None  # the caller has looked
    total, squares = counts.weights.total.floats.ravel(), counts.weights.squares.floats.ravel()
    mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
    second = np.divide(squares, n, out=np.zeros_like(n), where=n > 0)
    variance = second - mean**2
    varied = variance > 1e-12 * second
    sums = np.asarray(drawn * mean, dtype=np.float64)
    shape = drawn[:, varied] * (mean[varied] ** 2 / variance[varied])
    sums[:, varied] = rng.standard_gamma(shape) * (variance[varied] / mean[varied])
    return sums
