"""Repairs for tests of charts and pages: small samples with their policies, frontiers and evaluations."""

from __future__ import annotations

from typing import Any

import numpy as np

import audits
from crossfair.evaluation import Evaluation
from crossfair.frontiers import Frontier, frontier
from crossfair.policy import Policy
from crossfair.repair import mitigate

NAMES = ("F", "M", "X")


def people(names: tuple[str, ...] = NAMES, seed: int = 0, records: int = 300) -> dict[str, list[Any]]:
    """Records with a score that favours the later names."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, len(names), size=records)
    repaid = rng.random(records) < 0.4 + 0.1 * (who == 0)
    score = np.round(np.clip(0.25 * repaid + 0.1 * who / len(names) + 0.6 * rng.random(records), 0, 1), 2)
    return {
        "<b>sex</b>": [names[i] for i in who],
        "repaid": repaid.astype(int).tolist(),
        "score": score.tolist(),
        "said": (score >= 0.5).astype(int).tolist(),
    }


READ: dict[str, Any] = {"by": ["<b>sex</b>"], "label": "repaid", "score": "score"}
LIMITS = {"equalized_odds": 0.2}


def repaired(method: str = "derived", names: tuple[str, ...] = NAMES, **options: Any) -> Policy:
    """A policy for these records."""
    given = {"limits": LIMITS, **options}
    return mitigate(people(names), **READ, method=method, **given)


def by_prediction() -> Policy:
    """A policy on a binary prediction."""
    read = {"by": ["<b>sex</b>"], "label": "repaid", "prediction": "said"}
    return mitigate(people(), **read, limits=LIMITS)


def explored(names: tuple[str, ...] = NAMES) -> Frontier:
    """A frontier of the same limit."""
    return frontier(people(names), **READ, limits="equalized_odds", epsilons=[0, 0.1, 0.5, 1])


def held_out(policy: Policy, names: tuple[str, ...] = NAMES) -> Evaluation:
    """The policy on other records."""
    return policy.evaluate(people(names, seed=1))


def hostile() -> dict[str, Any]:
    """A policy, and what its page can show, for values that would be markup or code if they were not text."""
    policy = repaired(names=audits.HOSTILE)
    return {
        "policy": policy,
        "data": people(audits.HOSTILE),
        "evaluation": held_out(policy, audits.HOSTILE),
        "frontier": explored(audits.HOSTILE),
    }
