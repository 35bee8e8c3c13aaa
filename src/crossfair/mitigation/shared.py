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
from crossfair.mitigation.convex import Known
from crossfair.mitigation.decode import steps_to_acceptance
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.shared_program import SharedProgram, snapped
from crossfair.mitigation.sharing import merge_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PRECISION = 1e-8
KEPT = 1e-10
SMALLEST = 1e-7
ROUNDING = 1e-14


class Shared:
    """The solver: acceptance per step of each policy, and the levels, as the variables of one program."""

    def __init__(self, problem: Problem) -> None:
        self.merged = merge_groups(problem)
        self.cuts: Known = {}  # the levels do not separate these cells
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
        runs = [program.run(np.ones(levels.size), budget)]
        if (runs[0].levels < 0.1).any() and not budget.spent:  # near 0 tolerances must be those of the levels
            runs.append(program.run(np.clip(runs[0].levels, SMALLEST, 1.0), budget))
        made = [chosen for run in runs for chosen in (snapped(run.chosen), run.chosen)]
        made += [np.full_like(runs[0].chosen, everyone) for everyone in (0.0, 1.0)]
        found = [self._inside(levels, chosen) for chosen in made]
        chosen = min(found, key=lambda one: self._rank(problem, levels, one))
        accepted = np.stack(self._accepted(chosen), axis=1)
        objective = problem.expected_loss(accepted)
        acceptance = steps_to_acceptance(self.merged.offsets, self.merged.scores, chosen)
        bound = min(max(run.bound for run in runs), objective)
        status = ended(objective - bound, budget, PRECISION)
        return Answer(acceptance, accepted, objective, bound, sum(run.iterations for run in runs), status)

    def _rank(self, problem: Problem, levels: Levels, chosen: Floats) -> tuple[bool, float]:
        """Better is what keeps the limits, then what loses less."""
        accepted = self._accepted(chosen)
        over, least = self._over(levels, accepted)
        return bool((over > KEPT * least).any()), problem.expected_loss(np.stack(accepted, axis=1))

    def _accepted(self, chosen: Floats) -> list[Floats]:
        return [np.asarray(table @ chosen, dtype=np.float64) for table in self.mass]

    def _inside(self, levels: Levels, chosen: Floats) -> Floats:
        """Mix in the least share of the policy with equal smoothed rates that keeps every limit."""
        over, least = self._over(levels, self._accepted(chosen))
        slack = levels.equal * (levels.factors - 1)
        broken = over > KEPT * least  # without slack, where all rates are to be equal, by that policy alone
        share = np.max(over[broken] / (over[broken] + slack[broken]), initial=0.0)
        mixed = (1 - share) * chosen + share * levels.constant
        return np.where(mixed > 1 - ROUNDING, 1.0, mixed)

    def _over(self, levels: Levels, accepted: list[Floats]) -> tuple[Floats, Floats]:
        """By how much each limit's highest rate exceeds e^ε times its lowest, and that product."""
        negatives, positives = accepted
        least, most = levels.rate_range(np.stack([negatives, positives, negatives + positives]))
        allowed = levels.factors * least.min(axis=1)
        return most.max(axis=1) - allowed, allowed
