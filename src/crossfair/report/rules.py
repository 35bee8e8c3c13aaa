"""The rule of a group in words: from which score on it accepts, and where a coin decides."""

from __future__ import annotations

import numpy as np

from crossfair.numerals import percent
from crossfair.policy import Policy

MOST_STEPS = 4


def rule(policy: Policy, row: int) -> str:
    """Return the rule of one deciding cell; −1 is a cell that the policy has not seen."""
    if row < 0:
        return f"not seen: {policy.unseen}"
    if policy.source.kind == "prediction":
        return _by_prediction(policy, row)
    breaks, probabilities = policy.steps.row(row)
    return in_words(breaks, probabilities)


def in_words(breaks: list[float], probabilities: list[float]) -> str:
    """Return a step function of the score in words.

    >>> in_words([0.4, 0.6], [0.0, 0.25, 1.0])
    '25.0 % of scores from 0.4; all from 0.6'
    >>> in_words([], [0.3]), in_words([0.5], [0.0, 1.0])
    ('30.0 % of all', 'all from 0.5')
    """
    if not breaks:
        return {0.0: "none", 1.0: "all"}.get(probabilities[0], f"{percent(probabilities[0])} of all")
    steps = [(edge, p) for edge, p in zip(["", *(f"{edge:.4g}" for edge in breaks)], probabilities)]
    if len(steps) > MOST_STEPS:
        return f"{len(steps)} steps between {breaks[0]:.4g} and {breaks[-1]:.4g}"
    said = [_step(edge, p) for edge, p in steps if edge or p > 0]
    return "; ".join(said)


def _step(edge: str, accepted: float) -> str:
    where = f"from {edge}" if edge else "of the lowest scores"
    if accepted in (0.0, 1.0):
        return f"{'all' if accepted else 'none'} {where}"
    return f"{percent(accepted)} of scores {where}" if edge else f"{percent(accepted)} {where}"


def _by_prediction(policy: Policy, row: int) -> str:
    negative, positive = policy.steps.at(np.array([row, row]), np.array([0.0, 1.0])).tolist()
    return f"{percent(positive)} of those predicted positive, {percent(negative)} of the others"
