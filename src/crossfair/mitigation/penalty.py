"""Penalties instead of limits: loss + t·1{a limit is exceeded}, or loss + t·(by how much, in ε).

Both come down to certified solutions under limits: of the problem itself and without limits for the
indicator, and for the hinge under all limits relaxed by a common δ, where the loss falls as δ grows.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from typing import Literal

from crossfair import checks
from crossfair.errors import InfeasibleError, UnfinishedError, choose, invalid
from crossfair.mitigation.answer import ended
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.problem import LARGEST_EPSILON, Problem
from crossfair.mitigation.recheck import excess, expected_table, recheck
from crossfair.mitigation.solution import Solution
from crossfair.mitigation.solve import Repair

Form = Literal["indicator", "hinge"]

HINGE_GAP = 1e-5
PRECISION = 1e-8


@dataclass(frozen=True)
class Penalty:
    """A weight t and a form.

    >>> Penalty(2.0, "hinge")(0.5), Penalty(2.0)(0.5), Penalty(2.0)(0.0)
    (1.0, 2.0, 0.0)
    """

    weight: float
    form: Form = "indicator"

    def __post_init__(self) -> None:
        choose("penalty_form", self.form, ("indicator", "hinge"))
        if not (checks.real(self.weight) and 0 <= self.weight < math.inf):
            raise invalid("penalty", "must be a finite number, 0 or more", got=self.weight)

    def __call__(self, over: float) -> float:
        """The penalty for exceeding the limits by `over` in ε."""
        if over <= 0 or self.weight == 0:
            return 0.0
        return self.weight if self.form == "indicator" else self.weight * over


@dataclass(frozen=True)
class Tried:
    """A solution under relaxed limits, its excess over the true ones, and its loss with the penalty."""

    solution: Solution
    over: float
    objective: float

    @property
    def loss_bound(self) -> float:
        """No policy under these relaxed limits has a lower loss."""
        return self.solution.certificate.bound


@dataclass(order=True, frozen=True)
class Interval:
    """Relaxations δ between two ends: `loss` bounds the loss under all of them, `bound` also the penalty.

    The loss falls as δ grows, so a bound at the end is one in all of the interval.
    """

    bound: float
    start: float
    end: float
    loss: float


def solve_penalised(
    problem: Problem, method: str, penalty: Penalty, budget: Budget | None = None
) -> Solution:
    """Minimise loss + penalty; the limits are exceeded where that pays.

    The hinge form is solved to a gap of 1e-5 in units of the loss, unless a larger one is asked for.
    """
    search = _Search(Repair(problem, method), penalty, budget or Budget())
    bound = search.indicator() if penalty.form == "indicator" else search.hinge()
    best = min(search.tried, key=lambda one: one.objective)
    bound = min(bound, best.objective)
    certificate = replace(
        best.solution.certificate,
        objective=best.objective,
        bound=bound,
        status=ended(best.objective - bound, search.budget, PRECISION),
        nodes=sum(one.solution.certificate.nodes for one in search.tried),
        seconds=search.budget.seconds,
    )
    solution = replace(best.solution, certificate=certificate)
    recheck(problem, solution, expected_table(problem, solution.acceptance), penalty)
    return solution


class _Search:
    """Solutions under relaxed limits; each search returns the bound that they prove."""

    def __init__(self, repair: Repair, penalty: Penalty, budget: Budget) -> None:
        self.repair, self.penalty = repair, penalty
        self.budget = self.each = budget
        if penalty.form == "hinge":
            self.budget = replace(budget, gap=max(budget.gap, HINGE_GAP))
            self.each = replace(budget, gap=self.budget.gap / 4)
        self.tried: list[Tried] = []
        self.open: list[Interval] = []
        self.settled = math.inf  # the least bound outside the open intervals
        self._at(math.inf)

    def _at(self, relaxation: float) -> float:
        """Solve with all limits relaxed; the bound on the loss, ∞ where no policy of the kind keeps these."""
        problem = self.repair.problem
        try:
            found = self.repair.solve(self._epsilons(relaxation), self.each)
        except UnfinishedError:
            return self.tried[0].loss_bound
        except InfeasibleError:
            return math.inf
        over = excess(problem, expected_table(problem, found.acceptance))
        self.tried.append(Tried(found, over, found.objective + self.penalty(over)))
        return self.tried[-1].loss_bound

    def _epsilons(self, relaxation: float) -> list[float]:
        return [_relaxed(one.epsilon, relaxation) for one in self.repair.problem.limits]

    def indicator(self) -> float:
        """Either within the limits, or as if there were none, whichever costs less."""
        free = self.tried[0]
        if free.over == 0:
            return free.loss_bound
        return min(self._at(0.0), free.loss_bound + self.penalty.weight)

    def hinge(self) -> float:
        """Halve the intervals of the relaxation δ in which something might still beat the best so far."""
        free = self.tried[0]
        if free.over == 0 or self.penalty.weight == 0:
            return free.loss_bound
        self._at(0.0)
        self._outset()
        while self.open:
            bound = min(self.settled, self.open[0].bound)
            best = min(one.objective for one in self.tried)
            self.budget.report(best, bound, len(self.tried))
            if self.budget.met(best, bound) or self.budget.spent:
                return bound
            self._halve(heapq.heappop(self.open))
        return self.settled

    def _outset(self) -> None:
        """Enter the relaxations that can be stated and pay; those too large to be stated are bounded."""
        free, weight = self.tried[0], self.penalty.weight
        finite = [one.epsilon for one in self.repair.problem.limits if one.epsilon < math.inf]
        top = LARGEST_EPSILON - max(finite)
        largest, loss = self._largest(), free.loss_bound
        if largest > top:
            loss = self._at(top)
            beyond = loss if self._stated() else free.loss_bound
            self.settled = beyond + weight * top
            largest = min(self._largest(), top)
        self._enter(0.0, largest, loss)

    def _enter(self, start: float, end: float, loss: float) -> None:
        heapq.heappush(self.open, Interval(loss + self.penalty.weight * start, start, end, loss))

    def _halve(self, whole: Interval) -> None:
        """Bound the loss in the middle by what is known; solve there if that might beat the best so far."""
        middle = (whole.start + whole.end) / 2
        self._enter(middle, whole.end, whole.loss)
        loss = self.repair.bound(self._epsilons(middle))
        best = min(one.objective for one in self.tried)
        if loss + self.penalty.weight * middle >= best - self.budget.gap / 2:
            self._enter(whole.start, middle, loss)
        else:
            self._solve_before(middle, whole.start)

    def _solve_before(self, end: float, start: float) -> None:
        """Solve; from its own excess on, the solution is the best for every δ up to there."""
        known = len(self.tried)
        loss = self._at(end)
        if loss == math.inf:
            return
        own = min([end, *(one.over for one in self.tried[known:])])
        if own > start:
            self._enter(start, own, loss)
        self.settled = min(self.settled, loss + self.penalty.weight * max(own, start))

    def _largest(self) -> float:
        """A relaxation beyond which the penalty alone outweighs what the limits can cost."""
        relaxation = 1.0
        while math.isinf(min(one.objective for one in self.tried)):
            self._at(relaxation)
            relaxation *= 2
        saved = min(one.objective for one in self.tried) - self.tried[0].loss_bound
        return min(saved / self.penalty.weight, self.tried[0].over)

    def _stated(self) -> bool:
        """Whether a limit that can be stated admits all thresholds but those with a rate of 0."""
        return self.repair.method == "threshold" and self.repair.problem.steepest <= LARGEST_EPSILON


def _relaxed(epsilon: float, by: float) -> float:
    """A relaxed limit; one that is too large to be stated is none, which relaxes it further."""
    relaxed = epsilon + by
    return relaxed if relaxed <= LARGEST_EPSILON else math.inf
