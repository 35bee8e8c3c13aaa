"""Guaranteed bounds: simultaneous exact (Clopper–Pearson) intervals, no prior, finite-sample coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from crossfair.counts import Counts
from crossfair.epsilon import Extremes, log_ratio
from crossfair.errors import invalid
from crossfair.estimators.base import Floats, Mask
from crossfair.metrics import Comparison
from crossfair.rate_counts import Part, RateCounts


@dataclass(frozen=True)
class Guaranteed:
    """Bounds on ε that hold with probability `level` whatever the rates are; ∞ where nothing excludes it.

    The error is shared among all supported cells and rates of a metric, so the bounds are wide with many
    cells. Records must count once each: weights are refused. Of expected counts, the lower bounds use the
    successes rounded down and the upper ones those rounded up.

    >>> Guaranteed().words()
    'simultaneous exact (Clopper–Pearson) intervals, no prior'
    """

    name: ClassVar[str] = "guaranteed"
    drawn: ClassVar[bool] = False
    summary: ClassVar[str] = "point"

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        return False

    def words(self) -> str:
        """What stands behind the bounds."""
        return "simultaneous exact (Clopper–Pearson) intervals, no prior"

    def apply(self, counts: Counts, seed: int) -> GuaranteedFit:  # noqa: ARG002  # nothing is drawn
        """Apply to counts without weights."""
        if counts.weights is not None:
            raise invalid(
                "estimator",
                "Guaranteed needs records that count once each",
                got="weighted counts",
                hint="Use Hierarchical(), Bayes() or Bootstrap().",
            )
        return GuaranteedFit()


@dataclass(frozen=True)
class GuaranteedFit:
    """Raw rates and exact intervals of counts."""

    def point(self, counts: RateCounts) -> Floats:
        """The raw rate of every cell."""
        return counts.observed

    def words(self, counts: RateCounts) -> str:  # noqa: ARG002  # the same for every rate
        """What stands behind the bounds."""
        return Guaranteed().words()

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Extremes of the raw rates."""
        return Extremes.of(counts.observed[None, supported], counts.share)

    def bounds(self, parts: Sequence[Part], comparison: Comparison, level: float) -> tuple[float, float]:
        """Bounds on the largest ε of several rates that hold together with probability `level`."""
        overall = comparison == "population"
        # The intervals of a rate are those of its complement too, so each quantity errs once.
        quantities = {part.counts.key: int(part.supported.sum()) + overall for part in parts}
        family = sum(quantities.values())
        if not family:
            return 0.0, np.inf
        error = (1.0 - level) / family
        pairs = [_bounds(part.counts, part.supported, comparison, error) for part in parts]
        return max(low for low, _ in pairs), max(high for _, high in pairs)


def clopper_pearson(successes: Floats, trials: Floats, error: float) -> tuple[Floats, Floats]:
    """Return the exact interval of a rate with coverage of at least 1 − error.

    >>> low, high = clopper_pearson(np.array([0.0]), np.array([10.0]), 0.05)
    >>> float(low[0]), round(float(high[0]), 4)
    (0.0, 0.3085)
    """
    down, up = np.floor(successes), np.ceil(successes)
    with np.errstate(invalid="ignore"):
        low = np.where(down > 0, betaincinv(np.maximum(down, 1e-300), trials - down + 1, error / 2), 0.0)
        high = np.where(up < trials, betaincinv(up + 1, np.maximum(trials - up, 1e-300), 1 - error / 2), 1.0)
    return low, high


def _bounds(counts: RateCounts, supported: Mask, comparison: Comparison, error: float) -> tuple[float, float]:
    """Bounds on one rate's ε when every interval errs with probability `error`."""
    low, high = clopper_pearson(counts.successes[supported], counts.trials[supported], error)
    if counts.flipped:
        low, high = 1.0 - high, 1.0 - low
    if comparison == "between":
        return _between(low, high)
    total = np.array([counts.successes.sum()]), np.array([counts.trials.sum()])
    least, most = clopper_pearson(*total, error)
    if counts.flipped:
        least, most = 1.0 - most, 1.0 - least
    farthest = np.maximum(log_ratio(high, least), log_ratio(most, low))
    nearest = np.maximum(log_ratio(low, most), log_ratio(least, high))
    return max(0.0, float(nearest.max(initial=0.0))), float(farthest.max(initial=0.0))


def _between(low: Floats, high: Floats) -> tuple[float, float]:
    """Bounds on log(max / min) over a box of rates; the two extremes must be of two different cells."""
    if len(low) < 2:
        return 0.0, 0.0
    nearest = log_ratio(low.max(keepdims=True), high.min(keepdims=True))[0]
    top, bottom = np.argsort(-high, kind="stable")[:2], np.argsort(low, kind="stable")[:2]
    pairs = [(i, j) for i in top for j in bottom if i != j]
    farthest = max(log_ratio(high[[i]], low[[j]])[0] for i, j in pairs)
    return max(0.0, float(nearest)), max(0.0, float(farthest))
