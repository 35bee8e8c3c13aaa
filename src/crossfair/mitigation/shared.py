"""Cells that share a policy (`decide_by`): the acceptance per score as one sparse linear program, by HiGHS.

The levels no longer separate such cells, so they are variables beside the acceptance. What the solver
returns is not trusted: its multipliers are turned into a bound that rounding cannot break, and its policy
is brought inside the limits by mixing in the least share of a constant policy, whose rates are all equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crossfair.mitigation.answer import Answer, ended
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.decode import steps_to_acceptance
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.shared_program import SharedProgram
from crossfair.mitigation.sharing import merge_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PRECISION = 1e-8
KEPT = 1e-10
SMALLEST = 1e-7


class Shared:
    """The solver: acceptance per step of each policy, and the levels, as the variables of one program."""

    def __init__(self, problem: Problem) -> None:
        self.merged = merge_groups(problem)
        steps = len(self.merged.scores)
        first = self.merged.offsets[problem.group]
        column = first[problem.cell_of_step] + self.merged.place - 1
        shape = (problem.cells, steps)
        self.mass = [
            sparse.csr_array((problem.mass[:, label], (problem.cell_of_step, column)), shape=shape)
            for label in (0, 1)
        ]

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`, which is this solver's own but for its limits on ε."""
        levels = Levels(problem)
        program = SharedProgram(problem, levels, self.merged.offsets, self.mass)
        run = program.run(np.ones(levels.size), budget)
        if (run.levels < 0.1).any() and not budget.spent:  # near 0 the tolerances must be those of the levels
            run = program.run(np.clip(run.levels, SMALLEST, 1.0), budget)
        chosen = self._inside(levels, run.chosen)
        accepted = np.stack(self._accepted(chosen), axis=1)
        objective = problem.expected_loss(accepted)
        acceptance = steps_to_acceptance(self.merged.offsets, self.merged.scores, chosen)
        bound = min(run.bound, objective)
        status = ended(objective - bound, budget, PRECISION)
        return Answer(acceptance, accepted, objective, bound, run.iterations, status)

    def _accepted(self, chosen: Floats) -> list[Floats]:
        return [np.asarray(table @ chosen, dtype=np.float64) for table in self.mass]

    def _inside(self, levels: Levels, chosen: Floats) -> Floats:
        """Mix in the least share of the policy with equal smoothed rates that keeps every limit."""
        if not levels.size:
            return chosen
        negatives, positives = self._accepted(chosen)
        least, most = levels.rate_range(np.stack([negatives, positives, negatives + positives]))
        least, most = least.min(axis=1), most.max(axis=1)
        over = most - levels.factors * least
        slack = levels.equal * (levels.factors - 1)
        broken = (over > KEPT * levels.factors * least) & (slack > 0)
        share = np.max(over[broken] / (over[broken] + slack[broken]), initial=0.0)
        return np.asarray((1 - share) * chosen + share * levels.constant)
