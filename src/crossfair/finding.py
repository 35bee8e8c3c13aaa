"""A finding: one metric's ε with its interval, its draws, the driving pair of cells and the evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair import checks, documents, evidence
from crossfair.cells import Cells
from crossfair.estimators.smoothed import smoothed_epsilon
from crossfair.evidence import Evidence, Side
from crossfair.fields import Fields
from crossfair.metrics import Metric, metric
from crossfair.numerals import factor, number, span
from crossfair.rate_counts import Part
from crossfair.shown import Shown, plain

Floats = NDArray[np.float64]

FIELDS = {"metric", "epsilon", "low", "high", "ratio", "draws", "highest", "lowest", "evidence"}


@dataclass(frozen=True, eq=False)
class Finding(Shown):
    """ε of one metric, from one estimator.

    `low`, `high` and `draws` are None where the estimator has none. `highest` and `lowest` are the driving
    pair; one of them is the population for elift.

    >>> import crossfair as cf
    >>> table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 10, 70, 30]}
    >>> counts = cf.Counts.from_table(table, by=["sex"], label="hired")
    >>> finding = cf.audit(counts, estimator=cf.Smoothed(0, 0))["impact_ratio"]
    >>> round(finding.ratio, 6), finding.highest.cell, finding.lowest.words()
    (3.0, ('M',), 'F (10 of 100)')
    """

    metric: Metric
    epsilon: float
    low: float | None
    high: float | None
    draws: Floats | None
    highest: Side | None
    lowest: Side | None
    evidence: Evidence
    parts: tuple[Part, ...]

    def __repr__(self) -> str:
        interval = "" if self.low is None else f" ({span(number, self.low, self.high)})"
        pair = [side.words() for side in (self.highest, self.lowest) if side is not None]
        told = "; ".join([" against ".join(pair), *self.evidence.notes]) if pair else "nothing to compare"
        size = f"ε = {number(self.epsilon)}{interval}, ratio {factor(self.ratio)}"
        return f"<Finding {self.name}: {size}; {plain(told)}>"

    @property
    def name(self) -> str:
        """Name of the metric."""
        return self.metric.name

    @cached_property
    def ratio(self) -> float:
        """exp(ε): how many times the lowest rate the highest is (for elift: against the population)."""
        return math.exp(self.epsilon) if self.epsilon < 700 else math.inf

    def epsilon_at(self, alpha: float, beta: float | None = None) -> float:
        """Return the smoothed ε for other α and β (β = α unless given): what the prior does to it.

        >>> import crossfair as cf
        >>> table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 0, 70, 30]}
        >>> counts = cf.Counts.from_table(table, by=["sex"], label="hired")
        >>> finding = cf.audit(counts, estimator=cf.Smoothed())["impact_ratio"]
        >>> [round(finding.epsilon_at(alpha), 2) for alpha in (0.01, 1.0)]
        [7.9, 3.33]
        """
        checks.number("alpha", alpha)
        second = alpha if beta is None else checks.number("beta", beta)
        return smoothed_epsilon(self.parts, self.metric.comparison, alpha, second)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "metric": self.metric.name,
            "epsilon": documents.number(self.epsilon),
            "low": documents.number(self.low),
            "high": documents.number(self.high),
            "ratio": documents.number(self.ratio),
            "draws": None if self.draws is None else [documents.number(draw) for draw in self.draws.tolist()],
            "highest": None if self.highest is None else self.highest.to_json(),
            "lowest": None if self.lowest is None else self.lowest.to_json(),
            "evidence": self.evidence.to_json(),
        }

    @classmethod
    def from_json(cls, fields: Fields, cells: Cells, parts: tuple[Part, ...]) -> Self:
        """Read the JSON form; the rate counts come from the counts beside it."""

        def side(name: str) -> Side:
            return Side.from_json(fields.part(name, evidence.SIDE), cells)

        return cls(
            metric(fields.text("metric")),
            fields.number("epsilon"),
            fields.optional("low", fields.number),
            fields.optional("high", fields.number),
            fields.optional("draws", lambda name: np.array(fields.numbers(name))),
            fields.optional("highest", side),
            fields.optional("lowest", side),
            Evidence.from_json(fields.part("evidence", evidence.EVIDENCE), cells, parts),
            parts,
        )
