"""The best threshold when no limit binds: per cell, and one for the whole population."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.decode import accept_first
from crossfair.mitigation.problem import Loss, Problem
from crossfair.mitigation.sharing import merge_groups, shares
from crossfair.mitigation.solution import Acceptance
from crossfair.ragged import running_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def best_cuts(offsets: Ints, mass: Floats, loss: Loss) -> Ints:
    """Return per run how many of its steps the cheapest threshold accepts; ties go to the fewest."""
    bounds = offsets + np.arange(len(offsets))
    negatives, positives = (running_sums(mass[:, label], offsets) for label in (0, 1))
    cost = loss.false_positive * negatives - loss.false_negative * positives
    runs = itertools.pairwise(bounds.tolist())
    return np.array([cost[start:end].argmin() for start, end in runs], dtype=np.int64)


def best_thresholds(problem: Problem) -> Acceptance:
    """The best threshold of every policy; ties go to the highest."""
    steps = merge_groups(problem) if shares(problem) else problem
    return accept_first(steps.offsets, steps.scores, best_cuts(steps.offsets, steps.mass, problem.loss))


def pooled_threshold(problem: Problem) -> tuple[Floats, Floats]:
    """Return breaks and probabilities of the best single threshold of the whole population.

    Ties go to the highest threshold; no break at all means that everyone gets the same.
    """
    order = np.argsort(-problem.scores, kind="stable")
    scores = problem.scores[order]
    starts = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    mass = np.add.reduceat(problem.mass[order], starts, axis=0)
    taken = int(best_cuts(np.array([0, len(mass)]), mass, problem.loss)[0])
    if taken in (0, len(mass)):
        return np.zeros(0), np.array([float(taken > 0)])
    return np.array([scores[starts[taken - 1]]]), np.array([0.0, 1.0])
