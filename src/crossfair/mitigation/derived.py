"""`derived`: the acceptance probability as any non-decreasing function of the score, or as any function.

What a cell can attain is then a convex polygon, so this is a linear program over the corners of all cells.
It is solved in the space of levels, where the cells separate: a convex problem with one variable per limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.answer import Answer, ended
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.convex import Cuts, Known, Optimum, minimise
from crossfair.mitigation.decode import acceptance_of_steps, mixture, steps_to_acceptance
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.oracle import Oracle
from crossfair.mitigation.polygons import Polygons, polygons
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.shared import Shared
from crossfair.mitigation.sharing import shares
from crossfair.ragged import weighted_sums

Floats = NDArray[np.float64]

PROVEN = 1e-9  # where rounding alone may end a search, far below what any loss is stated to


@dataclass(eq=False)
class Derived:
    """The solver, with what it keeps between limits on the same rates: the polygons and the cuts."""

    problem: Problem
    shapes: Polygons = field(init=False)
    cuts: Known = field(default_factory=dict)

    def __post_init__(self) -> None:
        problem = self.problem
        self.shapes = polygons(problem.offsets, problem.mass, monotone=problem.monotone)

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`, which is this solver's own but for its limits on ε."""
        levels = Levels(problem)
        oracle = linear_oracle(problem, self.shapes, levels.slack)
        cuts = self.cuts.setdefault(tuple(levels.active), Cuts())
        best = minimise(levels, oracle, budget, cuts=cuts)
        return to_answer(problem, self.shapes, best, levels.rounding, budget)


def polygon_solver(problem: Problem) -> Derived | Shared:
    """The solver for cells of their own, or for cells that share policies."""
    return Shared(problem) if shares(problem) else Derived(problem)


def linear_oracle(problem: Problem, shapes: Polygons, slack: Floats) -> Oracle:
    """The oracle of a problem's loss on some polygons."""
    weight = float(problem.totals.sum())
    cost, gain = problem.loss.false_positive / weight, problem.loss.false_negative / weight
    return Oracle(shapes, cost, gain, base=gain * float(problem.totals[:, 1].sum()), slack=slack)


def to_answer(problem: Problem, shapes: Polygons, best: Optimum, rounding: Floats, budget: Budget) -> Answer:
    """The policy at the points of an optimum, with its loss and status."""
    parts = mixture(shapes, best.points.x, best.points.y, rounding)
    chosen = acceptance_of_steps(problem.offsets, shapes.order, parts)
    accepted = weighted_sums(problem.mass, chosen, problem.offsets)
    objective = problem.expected_loss(accepted)
    return Answer(
        steps_to_acceptance(problem.offsets, problem.scores, chosen),
        accepted,
        objective,
        min(best.bound, objective),
        best.evaluations,
        ended(best.value - best.bound, budget, PROVEN),
    )
