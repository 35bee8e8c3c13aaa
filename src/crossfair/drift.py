"""Drift: does a policy still do, on the people who come now, what it was made for?

Two questions apart: has the population moved from the one that the policy was fitted to, and do the decisions
still keep its limits?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crossfair import audit_tables, checks, frames, shards
from crossfair.auditing import Audit, Settings, run_audit
from crossfair.cells import Cells
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.estimators.base import Estimator
from crossfair.estimators.hierarchical import Hierarchical
from crossfair.metrics import metric
from crossfair.numerals import percent
from crossfair.policy import Policy
from crossfair.population import Population, Shift, shift_of_base_rates, shift_of_shares
from crossfair.read_sample import as_fitted, read_like
from crossfair.reading import Reading
from crossfair.sample import Sample, expected_counts
from crossfair.verdicts import BASE_RATES, CELL_SHARES, Verdict, Verdicts, check_limits


@dataclass(frozen=True, eq=False)
class Drift:
    """What a check found: the verdicts on the limits and on the population, and the audit behind the first.

    `then` and `now` are the populations per cell of the policy, and last all cells that it has not seen.

    >>> from crossfair.estimators.smoothed import Smoothed
    >>> from crossfair.repair import mitigate
    >>> people = {"sex": ["F", "M"] * 500, "y": [0, 1, 1, 1] * 250, "p": [0.2, 0.8, 0.6, 0.4] * 250}
    >>> read = {"by": "sex", "label": "y", "score": "p"}
    >>> policy = mitigate(people, limits={"statistical_parity": 0.1}, **read)
    >>> found = policy.check({**people, "sex": ["F"] * 600 + ["M"] * 400}, estimator=Smoothed())
    >>> round(shift_of_shares(found.then, found.now, 0.95).value, 3)
    0.1
    >>> found.verdicts["cell_shares"].verdict
    'undecided'
    """

    cells: Cells
    verdicts: Verdicts
    audit: Audit
    now: Population
    then: Population | None

    @property
    def exit_code(self) -> int:
        """0 if nothing has gone wrong, 1 if anything has, else 3."""
        return self.verdicts.exit_code

    def table(self) -> Any:
        """Return shares and base rates then and now, a row per cell, as a frame of the data's library.

        The last row, of missing attributes and `seen` False, is about the cells that the policy has not seen.
        """
        then = self.then or Population.of([np.nan] * len(self.now.mass))
        attributes = audit_tables.attribute_columns(self.cells)
        figures: dict[str, list[Any]] = {
            "seen": [True] * len(self.cells) + [False],
            "share_then": _plain(then.shares),
            "share_now": _plain(self.now.shares),
            "base_rate_then": _plain(then.base_rates),
            "base_rate_now": _plain(self.now.base_rates),
        }
        rows = {name: [*column, None] for name, column in attributes.items()}
        columns = {**rows, **audit_tables.unclashed(figures, self.cells.by)}
        return columns if self.audit.like is None else frames.give(columns, self.audit.like)

    def __repr__(self) -> str:
        return f"<Drift on {self.audit.counts.records:,.0f} records: {self.verdicts.words}>"


def check(
    policy: Policy,
    data: Any,
    *,
    tolerance: float = 0.1,
    limits: Mapping[str, float] | None = None,
    metrics: Sequence[str] = (),
    estimator: Estimator | None = None,
    level: float = 0.95,
    confidence: float = 0.95,
    min_support: float | None = None,
    seed: int = 0,
    **reading: Any,
) -> Drift:
    """Check a policy on new data; see `Policy.check`. `metrics` are measured beside the limited ones."""
    checks.number("tolerance", tolerance)
    wanted = check_limits(policy.limits if limits is None else limits)
    support = policy.terms.min_support if min_support is None else min_support
    settings = Settings(estimator or Hierarchical(), level=level, min_support=support, seed=seed)
    counts, like = _counts(policy, data, reading)
    names = list(dict.fromkeys([*wanted, *(metric(name).name for name in metrics)]))
    possible = [name for name in names if _possible(name, counts)]
    audit = run_audit(counts, settings, possible or None, like=like)
    judged = {name: limit for name, limit in wanted.items() if name in audit.findings}
    verdicts = [*audit.check(judged, confidence=confidence)] if judged else []
    verdicts += [_unjudged(name, limit, counts) for name, limit in wanted.items() if name not in judged]
    then, now = _populations(policy, counts)
    verdicts += _moved(policy.cells, then, now, tolerance, confidence)
    return Drift(policy.cells, Verdicts(tuple(verdicts), confidence), audit, now, then)


def _counts(policy: Policy, data: Any, reading: Mapping[str, Any]) -> tuple[Counts, Any]:
    """The counts of the decisions that were made, or else the expected ones of the policy's own."""
    data = shards.load(data)
    like = None if isinstance(data, Counts | Curves | Sample) else frames.library(data)
    if isinstance(data, Counts):
        counts = data.marginal(reading.get("by") or policy.by)
    elif reading.get("prediction") is None:
        sample = read_like(policy, data, reading)
        return expected_counts(sample.curves, sample.followed(policy)), like or sample.like
    else:
        options = {"table": None, **as_fitted(policy, reading)}
        options.pop("threshold")
        counts = frames.read_counts(data, Reading(**options))
    policy.cells.check_alike(counts.cells)
    return counts.towards(policy.source.outcomes.positive), like


def _possible(name: str, counts: Counts) -> bool:
    known = metric(name)
    return (counts.has_label or not known.needs_label) and (
        counts.has_prediction or not known.needs_prediction
    )


def _unjudged(name: str, limit: float, counts: Counts) -> Verdict:
    lacking = "decisions" if not counts.has_prediction else "labels"
    return Verdict(name, limit, "undecided", None, f"the data have no {lacking}")


def _populations(policy: Policy, counts: Counts) -> tuple[Population | None, Population]:
    """The population then and now per cell of the policy, and last in all cells that it has not seen."""
    size = len(policy.cells) + 1
    found = policy.cells.find(counts.cells.values)
    now = Population.of_counts(counts).gathered(np.where(found < 0, size - 1, found), size)
    then = policy.population
    return None if then is None else then.gathered(np.arange(size - 1), size), now


def _moved(
    cells: Cells, then: Population | None, now: Population, tolerance: float, confidence: float
) -> list[Verdict]:
    if then is None:
        reason = "the policy does not hold the population that it was fitted to"
        return [Verdict(name, tolerance, "undecided", None, reason) for name in (CELL_SHARES, BASE_RATES)]
    shares, rates = shift_of_shares(then, now, confidence), shift_of_base_rates(then, now, confidence)
    verdicts = [_judged(CELL_SHARES, shares, (then.shares, now.shares), cells, tolerance, confidence)]
    if rates is None:
        reason = "the data have no labels" if now.positives is None else "no cell has records then and now"
        return [*verdicts, Verdict(BASE_RATES, tolerance, "undecided", None, reason)]
    pair = then.base_rates, now.base_rates
    return [*verdicts, _judged(BASE_RATES, rates, pair, cells, tolerance, confidence)]


def _judged(
    name: str, shift: Shift, pair: tuple[Any, Any], cells: Cells, tolerance: float, confidence: float
) -> Verdict:
    word: Any = "pass" if shift.high <= tolerance else "fail" if shift.low > tolerance else "undecided"
    farthest = int(np.nanargmax(np.abs(shift.by_cell)))
    who = cells.show(farthest) if farthest < len(cells) else "cells not seen before"
    before, after = (percent(float(column[farthest])) for column in pair)
    reason = (
        f"moved by {shift.value:.3g}, in [{shift.low:.3g}, {shift.high:.3g}] with confidence {confidence:g}; "
        f"most in {who}: {before} → {after}"
    )
    return Verdict(name, tolerance, word, None, reason)


def _plain(column: Any) -> list[float | None]:
    return [None if np.isnan(item) else float(item) for item in column]
