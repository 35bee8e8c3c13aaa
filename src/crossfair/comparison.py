"""Two audits side by side: how many times the bias of one is that of the other, metric by metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import documents
from crossfair.auditing import Audit
from crossfair.errors import invalid
from crossfair.finding import Finding
from crossfair.metrics import choose_among

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Amplification:
    """exp(ε_b − ε_a) of one metric: above 1, the second is the more biased; bounds where there are draws."""

    metric: str
    epsilon_a: float
    epsilon_b: float
    amplification: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Comparison:
    """The amplification of every metric that two audits share.

    >>> import crossfair as cf
    >>> def audit(hired):
    ...     table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 10, 100 - hired, hired]}
    ...     counts = cf.Counts.from_table(table, by=["sex"], label="hired")
    ...     return cf.audit(counts, estimator=cf.Smoothed(0, 0))
    >>> round(cf.compare(audit(20), audit(30))["impact_ratio"].amplification, 6)
    1.5
    """

    amplifications: tuple[Amplification, ...]
    like: Any = None

    def __iter__(self) -> Iterator[Amplification]:
        return iter(self.amplifications)

    def __len__(self) -> int:
        return len(self.amplifications)

    def __getitem__(self, name: str) -> Amplification:
        known = {found.metric: found for found in self.amplifications}
        return known[choose_among(known, name)]

    def table(self) -> Any:
        """Return the comparison as a tidy frame of the first audit's library."""
        names = ["metric", "epsilon_a", "epsilon_b", "amplification", "low", "high"]
        columns = {name: [getattr(found, name) for found in self.amplifications] for name in names}
        if self.like is None:
            return columns
        from crossfair import frames

        return frames.give(columns, self.like)

    def to_json(self) -> str:
        """Return the comparison as JSON text."""
        rows = [documents.row(found.__dict__) for found in self.amplifications]
        return documents.dump("comparison", 1, {"metrics": rows})


def compare_audits(audit_a: Audit, audit_b: Audit) -> Comparison:
    """Compare the metrics that both audits hold."""
    for audit in (audit_a, audit_b):
        if not isinstance(audit, Audit):
            raise invalid("audits", "must be two audits", got=f"a value of type {type(audit).__name__}")
    shared = [name for name in audit_a.findings if name in audit_b.findings]
    if not shared:
        raise invalid(
            "audits",
            "must share at least one metric",
            got=f"{', '.join(audit_a.findings)} and {', '.join(audit_b.findings)}",
        )
    level = audit_a.settings.level
    if level != audit_b.settings.level:
        raise invalid("audits", "must have the same level", got=f"{level} and {audit_b.settings.level}")
    rows = [_amplify(audit_a.findings[name], audit_b.findings[name], level) for name in shared]
    return Comparison(tuple(rows), audit_a.like)


def _amplify(a: Finding, b: Finding, level: float) -> Amplification:
    point = float(_factor(np.array([a.epsilon]), np.array([b.epsilon]))[0])
    low: float | None = None
    high: float | None = None
    if a.draws is not None and b.draws is not None:
        # The two audits are drawn independently, so any pairing of their draws is one of the difference.
        size = min(len(a.draws), len(b.draws))
        factors = _factor(a.draws[:size], np.random.default_rng(size).permutation(b.draws)[:size])
        tail = (1.0 - level) / 2
        low = float(np.quantile(factors, tail, method="lower"))
        high = float(np.quantile(factors, 1.0 - tail, method="higher"))
    return Amplification(a.name, a.epsilon, b.epsilon, point, low, high)


def _factor(epsilon_a: Floats, epsilon_b: Floats) -> Floats:
    """exp(ε_b − ε_a), where equal infinities give 1."""
    with np.errstate(invalid="ignore", over="ignore"):
        difference = epsilon_b - epsilon_a
        return np.exp(np.where(np.isnan(difference), 0.0, difference))
