"""Bootstrap estimation without datasets: resampling n records is one multinomial draw over the counts.

That costs O(resamples · cells), whatever n is, and is exact without weights. With weights, the drawn
number of records of a place brings a gamma-distributed weight sum with the mean and variance of that place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossfair import checks
from crossfair.counts import Counts
from crossfair.epsilon import Extremes
from crossfair.estimators.base import Floats, Mask, stream
from crossfair.estimators.smoothed import smooth
from crossfair.rate_counts import RateCounts

# Resamples are worked on for so many places of the counts at a time, which bounds the memory.
MOST_PLACES = 10_000_000


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
        places = np.flatnonzero(counts.n)
        drawn = _resample(counts, places, self.resamples, stream(seed, "bootstrap"))
        return BootstrapFit(self, counts, places, drawn)


@dataclass(frozen=True, eq=False)
class BootstrapFit:
    """Resampled counts, or weight sums, of the places that are not empty, as (resamples, places)."""

    estimator: Bootstrap
    counts: Counts
    places: NDArray[np.int64]
    drawn: NDArray[np.float64] | NDArray[np.int32]

    def point(self, counts: RateCounts) -> Floats:
        """The smoothed rate of every cell."""
        return smooth(counts.effective_successes, counts.effective, self.estimator.alpha, self.estimator.beta)

    def words(self, counts: RateCounts) -> str:  # noqa: ARG002  # the same for every rate
        """What stands behind the estimates."""
        return self.estimator.words()

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Extremes of the smoothed rates in each resample, and its overall rate, never smoothed."""
        scale = np.divide(
            counts.effective, counts.trials, out=np.ones_like(counts.trials), where=counts.trials > 0
        )
        parts = []
        for successes, trials in self._cut(counts):
            rates = smooth(successes * scale, trials * scale, self.estimator.alpha, self.estimator.beta)
            whole = trials.sum(axis=1)
            overall = np.divide(successes.sum(axis=1), whole, out=np.zeros_like(whole), where=whole > 0)
            parts.append(Extremes.of(rates[:, supported], overall))
        return Extremes(
            np.concatenate([part.highest for part in parts]),
            np.concatenate([part.lowest for part in parts]),
            np.concatenate([part.overall for part in parts]),
        )

    def _cut(self, counts: RateCounts) -> Iterator[tuple[Floats, Floats]]:
        """Successes and trials per resample and cell, for a bounded number of resamples at a time."""
        code = self.counts.outcomes.values.index(counts.table_outcome)
        top = _spread(counts.numerator, code, self.counts)
        whole = _spread(counts.denominator, code, self.counts)
        size = max(1, MOST_PLACES // self.counts.n.size)
        for start in range(0, len(self.drawn), size):
            block = self.drawn[start : start + size]
            table = np.zeros((len(block), self.counts.n.size))
            table[:, self.places] = block
            tables = table.reshape((len(block), *self.counts.n.shape))
            yield tables[:, :, top].sum(axis=2), tables[:, :, whole].sum(axis=2)


def _resample(
    counts: Counts, places: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64] | NDArray[np.int32]:
    """Draw the records of every place; what rounding leaves over goes to the last, which is not empty."""
    n = counts.n.ravel()[places].astype(np.float64)
    records = round(n.sum())
    kind = np.float64 if records > np.iinfo(np.int32).max else np.int32
    drawn = np.empty((resamples, len(places)), dtype=kind)
    size = max(1, MOST_PLACES // max(1, len(places)))
    for start in range(0, resamples, size):  # int64 for all at once would be twice as much
        rows = slice(start, min(start + size, resamples))
        drawn[rows] = rng.multinomial(records, n / n.sum(), size=rows.stop - rows.start)
    return drawn if counts.weights is None else _weigh(drawn, places, counts, rng)


def _spread(mask: Mask, code: int, counts: Counts) -> Mask:
    """A mask over [label, prediction] being `code` or not, laid out over all labels and predictions."""
    rows, columns = (
        (np.arange(size) == code if present else np.zeros(1)).astype(np.int64)
        for size, present in zip(counts.n.shape[1:], (counts.has_label, counts.has_prediction))
    )
    return np.asarray(mask[np.ix_(rows, columns)])


def _weigh(
    drawn: NDArray[Any], places: NDArray[np.int64], counts: Counts, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Weight sums of the drawn numbers of records: gamma with each place's mean and variance of weights."""
    assert counts.weights is not None  # the caller has looked
    n, total, squares = (
        table.ravel()[places].astype(np.float64)
        for table in (counts.n, counts.weights.total.floats, counts.weights.squares.floats)
    )
    mean, second = total / n, squares / n
    variance = second - mean**2
    varied = variance > 1e-12 * second
    sums = np.asarray(drawn * mean, dtype=np.float64)
    shape = drawn[:, varied] * (mean[varied] ** 2 / variance[varied])
    sums[:, varied] = rng.standard_gamma(shape) * (variance[varied] / mean[varied])
    return sums
