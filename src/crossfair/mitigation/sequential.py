"""`sequential`: the best thresholds without limits first, then the two probabilities p0 and p1 per policy.

The thresholds turn the scores into a binary prediction; what remains is the linear program of `randomize`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.answer import Answer
from crossfair.mitigation.best_threshold import best_cuts
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.derived import polygon_solver
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.sharing import merge_groups

Floats = NDArray[np.float64]


class Sequential:
    """The solver, with the two steps that the best thresholds leave."""

    def __init__(self, problem: Problem) -> None:
        self.two_steps = _two_steps(problem)
        self.inner = polygon_solver(self.two_steps)
        self.cuts = self.inner.cuts

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`, which is this solver's own but for its limits on ε."""
        return self.inner.solve(replace(self.two_steps, limits=problem.limits), budget)


def _two_steps(problem: Problem) -> Problem:
    """The problem of the prediction score ≥ threshold, which has two steps per cell."""
    cell = problem.cell_of_step
    threshold = _thresholds(problem)[problem.group]
    below = problem.scores < threshold[cell]
    mass = [np.bincount(2 * cell + below, problem.mass[:, label], 2 * problem.cells) for label in (0, 1)]
    scores = np.full((problem.cells, 2), -np.inf)
    scores[:, 0] = threshold
    return replace(
        problem,
        offsets=2 * np.arange(problem.cells + 1),
        scores=scores.ravel(),
        mass=np.stack(mass, axis=1),
    )


def _thresholds(problem: Problem) -> Floats:
    """The best threshold of each policy; one that would reject everyone accepts everyone instead.

    Either way the prediction is the same for all, so p0 and p1 reach the same decisions.
    """
    merged = merge_groups(problem)
    taken = best_cuts(merged.offsets, merged.mass, problem.loss)
    taken = np.where(taken > 0, taken, np.diff(merged.offsets))
    return np.asarray(merged.scores[merged.offsets[:-1] + taken - 1])
