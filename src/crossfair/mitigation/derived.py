"""`derived`: the acceptance probability as any non-decreasing function of the score, or as any function at all.

What a cell can attain is then a convex polygon, so this is a linear program over the corners of all cells.
It is solved in the space of levels, where the cells separate: a convex problem with one variable per limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crossfair.mitigation.answer import Answer
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.certificate import Status
from crossfair.mitigation.convex import PRECISION, Cuts, minimise
from crossfair.mitigation.decode import acceptance_of_steps, mixture, steps_to_acceptance
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.oracle import Oracle
from crossfair.mitigation.polygons import Polygons, polygons
from crossfair.mitigation.problem import Problem


@dataclass(eq=False)
class Derived:
    """The solver, with what it keeps between limits on the same rates: the polygons and the cuts."""

    problem: Problem
    shapes: Polygons = field(init=False)
    cuts: Cuts = field(default_factory=Cuts)

    def __post_init__(self) -> None:
        problem = self.problem
        self.shapes = polygons(problem.offsets, problem.mass, monotone=problem.monotone)

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`, which is this solver's own but for its limits on ε."""
        levels, weight = Levels(problem), problem.totals.sum()
        cost, gain = problem.loss.false_positive / weight, problem.loss.false_negative / weight
        oracle = Oracle(self.shapes, cost, gain, levels.slack)
        base = gain * problem.totals[:, 1].sum()
        best = minimise(levels, oracle, base, budget, cuts=self.cuts)
        parts = mixture(self.shapes, best.points.x, best.points.y)
        chosen = acceptance_of_steps(problem.offsets, self.shapes.order, parts)
        accepted = np.stack(
            [np.bincount(problem.cell_of_step, chosen * problem.mass[:, k], problem.cells) for k in (0, 1)], axis=1
        )
        objective = problem.expected_loss(accepted)
        proven = budget.met(best.value, best.bound, PRECISION)
        status = Status.TIME_LIMIT if not proven else Status.OPTIMAL
        if proven and best.value - best.bound > PRECISION:
            status = Status.GAP_REACHED
        acceptance = steps_to_acceptance(problem.offsets, problem.scores, chosen)
        return Answer(acceptance, accepted, objective, min(best.bound, objective), best.evaluations, status)
