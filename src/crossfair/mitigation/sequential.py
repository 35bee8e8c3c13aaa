"""`sequential`: the best thresholds without limits first, then the two probabilities p0 and p1 in each cell.

The thresholds turn the scores into a binary prediction; what remains is the linear program of `randomize`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crossfair.mitigation.answer import Answer
from crossfair.mitigation.best_threshold import best_cuts
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.derived import Derived
from crossfair.mitigation.problem import Problem


class Sequential:
    """The solver, with the two steps that each cell's best threshold leaves."""

    def __init__(self, problem: Problem) -> None:
        self.taken = best_cuts(problem.offsets, problem.mass, problem.loss)
        self.inner = Derived(_two_steps(problem, self.taken))

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`."""
        return self.inner.solve(replace(self.inner.problem, limits=problem.limits), budget)


def _two_steps(problem: Problem, taken: np.ndarray) -> Problem:
    """The problem of the prediction score ≥ threshold; a cell that rejects everyone is one step, as one that accepts."""
    lengths = np.diff(problem.offsets)
    taken = np.where(taken > 0, taken, lengths)
    cell = problem.cell_of_step
    below = np.arange(len(cell)) - problem.offsets[cell] >= taken[cell]
    steps = 2 * problem.cells
    mass = [np.bincount(2 * cell + below, problem.mass[:, label], steps) for label in (0, 1)]
    scores = np.full(steps, -np.inf)
    has = lengths > 0
    scores[::2][has] = problem.scores[(problem.offsets[:-1] + taken - 1)[has]]
    return replace(
        problem, offsets=2 * np.arange(problem.cells + 1), scores=scores, mass=np.stack(mass, axis=1)
    )
