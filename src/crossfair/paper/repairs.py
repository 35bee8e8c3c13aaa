"""The paper's repairs of its Adult model under equalized odds: every method, on both splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crossfair.auditing import Audit, Settings, run_audit
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.datasets import adult
from crossfair.estimators.base import Estimator
from crossfair.paper.census import ATTRIBUTES, LABEL, SPLITS, Row
from crossfair.paper.estimators import ESTIMATORS, LEVEL
from crossfair.paper.published import ALPHA, BETA, GIVEN, LIMIT, UNCONSTRAINED
from crossfair.policy import Policy
from crossfair.read_sample import read_like, read_sample
from crossfair.repair import mitigate
from crossfair.sample import expected_counts

METRIC = "equalized_odds"

#: The paper's four methods, and the optimum over all that never prefer a lower score.
METHODS = ("randomize", "threshold", "sequential", "overall", "derived")


def repairs(seed: int) -> dict[str, Any]:
    """Fit every method to the training split and try it on both."""
    reading = {"by": list(ATTRIBUTES), "score": "score", **LABEL}
    curves = {split: read_sample(adult(split), reading).curves for split in SPLITS}
    policies = {method: _fit(curves["train"], method, seed) for method in METHODS}
    decided = {
        (split, name): counts
        for split, data in curves.items()
        for name, counts in _decisions(policies, data).items()
    }
    tried = {
        (*key, name): _measure(counts, estimator, seed)
        for key, counts in decided.items()
        for name, estimator in ESTIMATORS.items()
    }
    return {
        "limit": LIMIT,
        "one_threshold": one_threshold(),
        "certificates": [_certificate(method, policy) for method, policy in policies.items()],
        "performance": [_performance(*key, counts) for key, counts in decided.items()],
        "repaired": [_interval(*key, audit) for key, audit in tried.items()],
        "flips": _flips(policies["randomize"]),
        "cells": _cells(decided["train", GIVEN], decided["train", "randomize"]),
        "seconds": [_seconds(method, policy) for method, policy in policies.items()],
    }


def one_threshold() -> float:
    """Loss of the best single threshold for everyone on the training data, tried at every distinct score."""
    people = adult("train")
    order = np.argsort(people["score"])[::-1]
    scores, positive = people["score"][order], people["income"][order] == ">50K"
    last = np.append(np.diff(scores) != 0, True)  # equal scores are accepted together
    errors = np.cumsum(~positive) + positive.sum() - np.cumsum(positive)
    return float(min(errors[last].min(), positive.sum()) / len(scores))


def _fit(curves: Curves, method: str, seed: int) -> Policy:
    return mitigate(
        curves, limits={METRIC: LIMIT}, method=method, min_support=1, alpha=ALPHA, beta=BETA, seed=seed
    )


def _decisions(policies: Mapping[str, Policy], curves: Curves) -> dict[str, Counts]:
    """Expected counts of every set of decisions, baselines first.

    The one without limits takes the best thresholds; `randomize`, which sees no scores, has another optimum.
    """
    reference = policies["threshold"]
    sample = read_like(reference, curves, {})
    accepted = {GIVEN: sample.given, UNCONSTRAINED: sample.followed(reference, reference.unconstrained)}
    accepted |= {method: sample.followed(policy) for method, policy in policies.items()}
    return {name: expected_counts(curves, chances) for name, chances in accepted.items()}


def _measure(counts: Counts, estimator: Estimator, seed: int) -> Audit:
    return run_audit(counts, Settings(estimator, level=LEVEL, min_support=1, seed=seed), METRIC)


def _certificate(method: str, policy: Policy) -> Row:
    certificate = policy.certificate
    assert certificate is not None  # a repair always has one
    return {
        "method": method,
        "objective": float(certificate.objective),
        "bound": float(certificate.bound),
        "gap": round(float(certificate.gap), 12),  # below that is rounding
        "status": certificate.status.name.lower(),
    }


def _seconds(method: str, policy: Policy) -> Row:
    return {"method": method, "seconds": policy.certificate.seconds if policy.certificate else None}


def _performance(split: str, decisions: str, counts: Counts) -> Row:
    n = counts.n.sum(axis=0)
    return {
        "split": split,
        "decisions": decisions,
        "tpr": float(n[1, 1] / n[1].sum()),
        "fpr": float(n[0, 1] / n[0].sum()),
        "loss": float((n[0, 1] + n[1, 0]) / n.sum()),
    }


def _interval(split: str, decisions: str, estimator: str, audit: Audit) -> Row:
    finding = audit[METRIC]
    return {
        "split": split,
        "decisions": decisions,
        "estimator": estimator,
        "epsilon": finding.epsilon,
        "low": finding.low,
        "high": finding.high,
        "within": None if finding.draws is None else float(np.mean(finding.draws <= LIMIT)),
    }


def _flips(policy: Policy) -> list[Row]:
    """Probabilities of flipping a prediction of 0 and of 1, cell by cell."""
    cells = policy.cells.values
    positions = np.arange(len(cells))
    accepted = [policy.acceptance_at(positions, np.full(len(cells), score)) for score in (0.0, 1.0)]
    return [
        {"cell": list(cell), "rejected": float(flip), "accepted": float(1 - keep)}
        for cell, flip, keep in zip(cells, *accepted)
    ]


def _cells(given: Counts, repaired: Counts) -> list[Row]:
    """Each cell's share of wrong decisions before and after, and its positive predictions, right and all."""
    wrong = [counts.n[:, 0, 1] + counts.n[:, 1, 0] for counts in (given, repaired)]
    return [
        {
            "cell": list(cell),
            "records": float(table.sum()),
            "given": float(before / table.sum()),
            "repaired": float(after / table.sum()),
            "predicted": float(table[:, 1].sum()),
            "right": float(table[1, 1]),
        }
        for cell, table, before, after in zip(given.cells.values, given.n, *wrong)
    ]
