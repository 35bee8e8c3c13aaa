"""Evaluation: a policy on data it was not fitted to, and what may be believed of the population.

A policy is certified on its sample; whether its limits hold in the population is what is asked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossfair import documents
from crossfair.auditing import Audit, Settings, run_audit
from crossfair.estimators.base import Estimator
from crossfair.estimators.hierarchical import Hierarchical
from crossfair.performance import GIVEN, REPAIRED, UNCONSTRAINED, Performance
from crossfair.policy import Policy
from crossfair.read_sample import read_like
from crossfair.sample import expected_counts, performance
from crossfair.shown import Shown
from crossfair.verdicts import Verdicts

KIND, VERSION = "evaluation", 1


@dataclass(frozen=True, eq=False)
class Trial:
    """One set of decisions on the data: what it gives, the audit of its expected counts, and the verdicts."""

    performance: Performance
    audit: Audit
    verdicts: Verdicts


@dataclass(frozen=True, eq=False)
class Evaluation(Shown):
    """The given, the unconstrained and the repaired decisions side by side, on data not fitted to.

    `verdicts` says of each limit whether the repaired decisions keep it in the population that the data
    come from: "pass", "fail" or "undecided".
    """

    limits: Mapping[str, float]
    trials: Mapping[str, Trial]
    like: Any = None

    def __getitem__(self, name: str) -> Trial:
        return self.trials[name]

    @property
    def verdicts(self) -> Verdicts:
        """The verdicts on the repaired decisions."""
        return self.trials[REPAIRED].verdicts

    @property
    def exit_code(self) -> int:
        """0 if every limit passes, 1 if any fails, else 3."""
        return self.verdicts.exit_code

    @property
    def records(self) -> float:
        """Number of records tried on."""
        return self.trials[REPAIRED].audit.counts.records

    def rows(self) -> list[dict[str, Any]]:
        """Return the table as rows: one per set of decisions and limited metric."""
        return [
            {
                "decisions": name,
                "loss": trial.performance.loss,
                "tpr": trial.performance.tpr,
                "fpr": trial.performance.fpr,
                "metric": verdict.metric,
                "limit": verdict.limit,
                "epsilon": trial.audit[verdict.metric].epsilon,
                "low": trial.audit[verdict.metric].low,
                "high": trial.audit[verdict.metric].high,
                "verdict": verdict.verdict,
                "probability": verdict.probability,
            }
            for name, trial in self.trials.items()
            for verdict in trial.verdicts
        ]

    def table(self) -> Any:
        """Return the table as a tidy frame of the data's library, a dict of columns where there is none."""
        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        if self.like is None:
            return columns
        from crossfair import frames

        return frames.give(columns, self.like)

    def to_json(self) -> str:
        """Return the table and the reasons of the verdicts as JSON text."""
        body = {
            "rows": [documents.row(row) for row in self.rows()],
            "verdicts": self.verdicts.to_json(),
            "records": self.records,
            "exit_code": self.exit_code,
        }
        return documents.dump(KIND, VERSION, body)

    def __repr__(self) -> str:
        people = f"{self.records:,.0f} records, of the population they come from"
        return f"<Evaluation on {people}: {self.verdicts.words}>"


def evaluate(
    policy: Policy,
    holdout: Any,
    *,
    estimator: Estimator | None = None,
    level: float = 0.95,
    confidence: float = 0.95,
    min_support: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> Evaluation:
    """Try a policy on other data, read as those it was fitted to but for the `reading` options given.

    The decisions' expected counts (a record accepted with probability p counts p and 1 − p) are audited by
    `estimator`, `Hierarchical()` unless given. `min_support` is the policy's own unless given.
    """
    sample = read_like(policy, holdout, reading)
    support = policy.terms.min_support if min_support is None else min_support
    settings = Settings(estimator or Hierarchical(), level=level, min_support=support, seed=seed)
    decisions = {GIVEN: sample.given}
    if policy.unconstrained is not None:
        decisions[UNCONSTRAINED] = sample.followed(policy, policy.unconstrained)
    decisions[REPAIRED] = sample.followed(policy)
    trials = {}
    for name, acceptance in decisions.items():
        counts = expected_counts(sample.curves, acceptance)
        audit = run_audit(counts, settings, list(policy.limits))
        verdicts = audit.check(policy.limits, confidence=confidence)
        epsilon = {metric: audit[metric].epsilon for metric in policy.limits}
        mass = counts.mass.sum(axis=0)
        trials[name] = Trial(performance(mass, policy.terms, epsilon), audit, verdicts)
    return Evaluation(policy.limits, trials, sample.like)
