"""Counts → findings: every metric's ε by one estimator, with its driving pair and its evidence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crossfair import evidence
from crossfair.counts import Counts
from crossfair.epsilon import Extremes, driving, epsilon
from crossfair.estimators.base import Applied, Estimator
from crossfair.estimators.bayes import BayesFit
from crossfair.estimators.guaranteed import GuaranteedFit
from crossfair.estimators.pooled import PooledFit
from crossfair.evidence import Side
from crossfair.finding import Finding
from crossfair.metrics import Comparison, Metric, Rate
from crossfair.more_records import End
from crossfair.rate_counts import Part, RateCounts
from crossfair.values import Value

Floats = NDArray[np.float64]


@dataclass(eq=False)
class Measurement:
    """One estimator at work on one table of counts; a quantity that two metrics share is drawn once."""

    counts: Counts
    estimator: Estimator
    outcomes: Sequence[Value]
    level: float
    min_support: float
    seed: int
    applied: Applied = field(init=False)
    seen: dict[str, Extremes] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.applied = self.estimator.apply(self.counts, self.seed)

    def findings(self, metrics: Sequence[Metric]) -> dict[str, Finding]:
        """Measure metrics; the quantities are drawn side by side, each from a stream of its own."""
        parts = {part.counts.key: part for metric in metrics for part in self.parts(metric)}
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            list(pool.map(self._extremes, parts.values()))
        return {metric.name: self.finding(metric) for metric in metrics}

    def interval(self, metric: Metric) -> tuple[float, float | None, float | None]:
        """ε of one metric with its interval, without the evidence that a finding gathers."""
        parts = self.parts(metric)
        return self._summarise(metric, parts, self._epsilon(metric, parts))

    def finding(self, metric: Metric) -> Finding:
        """Measure one metric."""
        parts = self.parts(metric)
        draws = self._epsilon(metric, parts)
        point, low, high = self._summarise(metric, parts, draws)
        highest, lowest = self._driving_pair(metric, parts)
        sides = [side for side in (highest, lowest) if side is not None]
        prior = "; ".join(dict.fromkeys(self.applied.words(part.counts) for part in parts))
        return Finding(
            metric,
            point,
            low,
            high,
            draws if self.estimator.drawn else None,
            highest,
            lowest,
            evidence.gather(self.counts, self.estimator, metric, parts, sides, prior),
            tuple(parts),
        )

    def parts(self, metric: Metric) -> list[Part]:
        """The rates that a metric is made of, for every outcome it must hold for."""
        return [self.part(rate, outcome) for outcome in self.outcomes for rate in metric.rates]

    def part(self, rate: Rate, outcome: Value) -> Part:
        """One rate of one outcome, and the cells with support enough for it."""
        counts = RateCounts.of(self.counts, rate, outcome)
        return Part(counts, outcome, counts.supported(self.min_support, prior=self.estimator.smooths))

    def point(self, part: Part) -> Floats:
        """The estimated rate of every cell."""
        return part.counts.direct(self.applied.point(part.counts))

    def bounds(self, finding: Finding, level: float) -> tuple[float, float] | None:
        """Bounds on a finding's ε at another level, from an estimator that has bounds."""
        if not isinstance(self.applied, GuaranteedFit):
            return None
        return self.applied.bounds(finding.parts, finding.metric.comparison, level)

    def _epsilon(self, metric: Metric, parts: Sequence[Part]) -> Floats:
        """ε per draw: the largest over the metric's rates and outcomes."""
        return np.asarray(
            np.max([epsilon(self._extremes(part), metric.comparison) for part in parts], axis=0)
        )

    def _extremes(self, part: Part) -> Extremes:
        key = part.counts.key
        if key not in self.seen:
            self.seen[key] = self.applied.extremes(part.counts, part.supported)
        return self.seen[key].complement() if part.counts.flipped else self.seen[key]

    def _summarise(
        self, metric: Metric, parts: Sequence[Part], draws: Floats
    ) -> tuple[float, float | None, float | None]:
        if self.estimator.drawn:
            point = np.median(draws) if self.estimator.summary == "median" else draws.mean()
            tail = (1.0 - self.level) / 2
            # Order statistics, not interpolated between: draws may be infinite.
            low = np.quantile(draws, tail, method="lower")
            high = np.quantile(draws, 1.0 - tail, method="higher")
            return float(point), float(low), float(high)
        if isinstance(self.applied, GuaranteedFit):
            return float(draws[0]), *self.applied.bounds(parts, metric.comparison, self.level)
        return float(draws[0]), None, None

    def _driving_pair(self, metric: Metric, parts: Sequence[Part]) -> tuple[Side | None, Side | None]:
        """The cells with the highest and the lowest rate, or one of them and everyone, of the widest part."""
        part = max(parts, key=lambda part: (self._gap(part, metric.comparison), part.supported.any()))
        if not part.supported.any():
            return None, None
        point = self.point(part)
        pair = driving(point, part.supported, part.counts.overall, metric.comparison)
        highest, lowest = (self._side(part, point, cell) for cell in pair)
        return highest, lowest

    def _gap(self, part: Part, comparison: Comparison) -> float:
        """ε of the estimated rates themselves."""
        extremes = Extremes.of(self.point(part)[None, part.supported], part.counts.overall)
        return float(epsilon(extremes, comparison)[0])

    def ends(self, finding: Finding) -> list[End]:
        """The cells that set ε, with draws of their rates, where the estimator keeps them."""
        if not isinstance(self.applied, (PooledFit, BayesFit)):
            return []
        sides = [side for side in (finding.highest, finding.lowest) if side and side.cell is not None]
        return [self._end(part, side) for side in sides for part in finding.parts if _is_about(part, side)]

    def _end(self, part: Part, side: Side) -> End:
        assert side.cell is not None
        assert isinstance(self.applied, (PooledFit, BayesFit))
        cell = self.counts.cells.index[side.cell]
        self._extremes(part)
        rates = part.counts.direct(self.applied.draws_of(part.counts, cell))
        records = float(self.counts.support[cell])
        return End(side.cell, rates, float(part.counts.effective[cell]) / records if records else 1.0)

    def _side(self, part: Part, point: Floats, cell: int) -> Side:
        counts = part.counts
        chosen = slice(None) if cell < 0 else slice(cell, cell + 1)
        successes, trials = counts.direct_successes[chosen].sum(), counts.trials[chosen].sum()
        raw = float(successes / trials) if trials > 0 else None
        estimate = float(counts.overall if cell < 0 else point[cell])
        return Side(
            None if cell < 0 else self.counts.cells.values[cell],
            counts.rate.name,
            part.outcome,
            float(counts.records[chosen].sum()),
            float(successes),
            float(trials),
            raw,
            estimate,
            float(counts.effective[chosen].sum()),
            _shrinkage(raw, estimate, counts.overall),
        )


def _is_about(part: Part, side: Side) -> bool:
    return part.counts.rate.name == side.rate and part.outcome == side.outcome


def _shrinkage(raw: float | None, estimate: float, overall: float) -> float | None:
    """How far an estimate has gone from the raw rate to that of everyone."""
    return None if raw is None or raw == overall else (raw - estimate) / (raw - overall)
