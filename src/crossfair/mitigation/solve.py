"""One way through every repair: set exempt cells aside, solve, put them back, certify, re-check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import InputError, choose, invalid
from crossfair.mitigation import derived, overall, randomize, sequential, thresholds
from crossfair.mitigation.answer import Answer
from crossfair.mitigation.best_threshold import pooled_threshold
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.certificate import Certificate
from crossfair.mitigation.convex import Known, known_bound
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.problem import SMALLEST_COST, Loss, Problem
from crossfair.mitigation.recheck import excess, expected_table, recheck
from crossfair.mitigation.sharing import shares
from crossfair.mitigation.solution import Acceptance, Solution
from crossfair.ragged import take_runs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


Policy = tuple[Floats, Floats]

RANGE = 1e11
ROUNDING = 1e-6  # by how much in ε rounding may miss a limit; more than that is a defect
NOBODY: Policy = (np.zeros(0), np.zeros(1))


class Solver(Protocol):
    """What each method offers: to be built once per problem, and solved for any limits on the same rates.

    `cuts` are what it has learnt of the loss under any limits.
    """

    cuts: Known

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`."""
        ...


METHODS: dict[str, Callable[[Problem], Solver]] = {
    "derived": derived.polygon_solver,
    "randomize": randomize.binary_solver,
    "overall": overall.Overall,
    "sequential": sequential.Sequential,
    "threshold": thresholds.Threshold,
}


class Repair:
    """A problem and a method; solves for any limits on the same rates, keeping what it has learnt.

    >>> from crossfair.mitigation.limits import read_limits
    >>> n = np.array([[[50, 10], [10, 30]], [[60, 5], [20, 15]]])  # [cell, label, prediction]
    >>> problem = Problem.from_counts(n, read_limits({"equalized_odds": 0.1}))
    >>> repair = Repair(problem, "randomize")
    >>> repair.solve().certificate.status.name
    'OPTIMAL'
    """

    def __init__(self, problem: Problem, method: str) -> None:
        self.method = choose("method", method, METHODS)
        _check_labels(problem)
        _check_range(problem)
        self.problem = problem
        self.kept = np.flatnonzero(~problem.free)
        if not len(self.kept):
            raise invalid(
                "min_support",
                "every cell has too few records, so no limit binds any",
                got=problem.min_support,
                hint="Lower min_support, or use fewer attributes.",
            )
        self.unit = max(problem.loss.false_positive, problem.loss.false_negative)
        self.core = _subset(problem, self.kept).asking(loss=_scaled(problem.loss, 1 / self.unit))
        self.pooled = pooled_threshold(problem) if problem.free.any() else NOBODY
        self.solver = METHODS[method](self.core)
        self.share = float(self.unit * self.core.totals.sum() / problem.totals.sum())
        self.base = -np.inf

    def solve(self, epsilons: list[float] | None = None, budget: Budget | None = None) -> Solution:
        """Solve, under other limits on the same rates if given, and re-check the answer."""
        budget = budget or Budget()
        problem = self.problem if epsilons is None else self.problem.with_epsilons(epsilons)
        solution = self._solve(problem, budget)
        table = expected_table(problem, solution.acceptance)
        over = excess(problem, table)
        if 0 < over <= ROUNDING:  # rates near 0 have few digits left; a limit tighter by these is kept
            tighter = [max(limit.epsilon - 4 * over, 0.0) for limit in problem.limits]
            again = self._solve(problem.with_epsilons(tighter), budget)
            bound = min(solution.certificate.bound, again.objective)
            solution = replace(again, certificate=replace(again.certificate, bound=bound))
            table = expected_table(problem, solution.acceptance)
            if 0 < excess(problem, table) <= ROUNDING:
                raise _too_near_0(problem)
        recheck(problem, solution, table)
        return solution

    def bound(self, epsilons: list[float]) -> float:
        """A bound on the loss under other limits by what is known from earlier solves; −∞ if nothing is."""
        core = self.core.asking(limits=self.problem.with_epsilons(epsilons).limits)
        return self.base + self.share * known_bound(self.solver.cuts, Levels(core))

    def _solve(self, problem: Problem, budget: Budget) -> Solution:
        core = self.core.asking(limits=problem.limits)
        answer = self.solver.solve(core, budget.scaled(self.share))
        acceptance = _by_group(problem, core, self.kept, answer.acceptance, self.pooled)
        accepted = answer.accepted
        if core.cells < problem.cells:
            accepted = expected_table(problem, acceptance)[:, :, 1]
        objective = problem.expected_loss(accepted)
        self.base = objective - self.share * answer.objective  # the loss in cells set aside
        certificate = Certificate(
            objective,
            min(objective - self.share * (answer.objective - answer.bound), objective),
            answer.status,
            budget.seconds,
            answer.nodes,
            _exempt(problem),
            tuple(np.flatnonzero(problem.free).tolist()),
        )
        return Solution(acceptance, accepted, certificate)


def solve(problem: Problem, method: str, budget: Budget | None = None) -> Solution:
    """Solve a problem by a method; see `Repair` to solve it under several limits.

    >>> from crossfair.mitigation.limits import read_limits
    >>> n = np.array([[[50, 10], [10, 30]], [[60, 5], [20, 15]]])
    >>> problem = Problem.from_counts(n, read_limits({"tpr_parity": 0.1}))
    >>> round(solve(problem, "randomize").objective, 4)
    0.2618
    """
    return Repair(problem, method).solve(budget=budget)


def _check_labels(problem: Problem) -> None:
    for label, words in enumerate(("negative", "positive")):
        if not problem.totals[:, label].sum() > 0:
            raise invalid(
                "label",
                "a repair needs records of both labels",
                got=f"no {words} one",
                hint="Check `positive`.",
            )


def _check_range(problem: Problem) -> None:
    """Weights and priors must be so close that the rounding of sums cannot break a limit."""
    smallest = min([problem.lightest, *(prior for prior in (problem.alpha, problem.beta) if prior > 0)])
    largest = max(float(problem.totals.max()), problem.alpha, problem.beta)
    if largest > RANGE * smallest:
        raise invalid(
            "weight, alpha, beta",
            f"the largest sum of weights in a cell must be within {RANGE:g} times the least weight and prior",
            got=f"{largest:g} and {smallest:g}",
            hint="Drop records of next to no weight, or choose alpha and beta that are 0 or larger.",
        )


def _too_near_0(problem: Problem) -> InputError:
    """The error for limits that the digits of a floating-point number do not tell apart from broken ones."""
    limits = ", ".join(f"{limit.rate.name} within ε ≤ {limit.epsilon:g}" for limit in problem.limits)
    return invalid(
        "alpha, beta",
        f"cannot be so small that {limits} leaves rates which rounding cannot tell apart",
        got=f"{problem.alpha:g} and {problem.beta:g}",
        hint="Choose larger ones, or allow an ε of at least 1e-6.",
    )


def _scaled(loss: Loss, factor: float) -> Loss:
    """The loss in other units; next to the larger cost, one below the smallest is nothing either way."""
    costs = (loss.false_positive, loss.false_negative)
    return Loss(*(max(cost * factor, SMALLEST_COST) if cost > 0 else 0.0 for cost in costs))


def _exempt(problem: Problem) -> dict[str, tuple[int, ...]]:
    return {
        limit.rate.name: tuple(np.flatnonzero(row).tolist())
        for limit, row in zip(problem.limits, problem.exempt)
        if row.any()
    }


def _subset(problem: Problem, cells: Ints) -> Problem:
    if len(cells) == problem.cells:
        return problem
    steps, offsets = take_runs(problem.offsets, cells)
    return replace(
        problem,
        offsets=offsets,
        scores=problem.scores[steps],
        mass=problem.mass[steps],
        records=problem.records[cells],
        group=np.unique(problem.group[cells], return_inverse=True)[1].astype(np.int64),
    )


def _by_group(problem: Problem, core: Problem, kept: Ints, solved: Acceptance, pooled: Policy) -> Acceptance:
    """The policies of all groups: those solved for (by cell, unless cells share), else the pooled one."""
    own = core.group if shares(core) else np.arange(core.cells)
    policies = [pooled] * (int(problem.group.max()) + 1)
    for group, number in zip(problem.group[kept].tolist(), own.tolist()):
        policies[group] = solved.of(number)
    return Acceptance.join(policies)
