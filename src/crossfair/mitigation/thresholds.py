"""`threshold`: one threshold per cell and no coins, to proven optimality by branch and bound on the levels.

For fixed levels the cells separate, and since every limited rate is monotone in the threshold, a cell's
admissible thresholds are one contiguous range, whose cheapest member is a range-minimum query. For a box of
levels the loosest bounds give a lower bound on the loss, and any levels inside give a policy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import InfeasibleError, UnfinishedError
from crossfair.mitigation.answer import Answer, ended
from crossfair.mitigation.box_search import BoxSearch
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.certificate import Status
from crossfair.mitigation.convex import Known
from crossfair.mitigation.decode import accept_first
from crossfair.mitigation.levels import NEGATIVES, POSITIVES, Levels
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.threshold_grid import Grid

Ints = NDArray[np.int64]


class Threshold:
    """The solver, with what it keeps between limits on the same rates: the grid and its range minima."""

    def __init__(self, problem: Problem) -> None:
        self.grid = Grid(problem)
        self.cuts: Known = {}  # there are none where the loss is not convex in the levels

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`, which is this solver's own but for its limits on ε."""
        search = BoxSearch(self.grid, Levels(problem))
        weight = float(problem.totals.sum())
        search.run(budget, 1 / weight)
        if search.best is None:
            raise _infeasible(problem, proven=search.finished)
        accepted = search.best.accepted[[NEGATIVES, POSITIVES]].T
        objective = problem.expected_loss(accepted)
        gap = (search.best.cost - search.bound) / weight
        steps = problem if self.grid.merged is None else self.grid.merged
        return Answer(
            accept_first(steps.offsets, steps.scores, search.best.taken),
            accepted,
            objective,
            objective - gap,
            search.nodes,
            self._status(search.best.taken, gap, budget),
        )

    def _status(self, taken: Ints, gap: float, budget: Budget) -> Status:
        status = ended(gap, budget, 0.0)
        forced = self.grid.constant(taken) and not self.grid.constant(self.grid.unlimited)
        return Status.CONSTANT if forced and status is Status.OPTIMAL else status


def _infeasible(problem: Problem, *, proven: bool) -> InfeasibleError:
    limits = ", ".join(f"{limit.rate.name} within ε ≤ {limit.epsilon:g}" for limit in problem.limits)
    if proven:
        return InfeasibleError(
            f"limits: no choice of one threshold per cell keeps {limits}. Coins can: "
            "use method='derived', or allow a larger ε, or raise min_support."
        )
    return UnfinishedError(
        f"time_limit: no thresholds that keep {limits} were found in time, nor proven impossible. "
        "Allow more time, or use method='derived', which always finds a policy."
    )
