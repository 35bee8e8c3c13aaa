"""The one independent re-check of every answer: from the steps of the policy, trusting no solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import SolverError
from crossfair.mitigation.problem import Limit, Problem
from crossfair.mitigation.solution import Acceptance, Solution

Floats = NDArray[np.float64]

TOLERANCE = 1e-9


def acceptance_per_step(problem: Problem, acceptance: Acceptance) -> Floats:
    """The probability with which each step is accepted: that of the last break at or below its score."""
    chosen = np.empty(len(problem.scores))
    for cell in range(problem.cells):
        start, end = problem.offsets[cell], problem.offsets[cell + 1]
        breaks, probabilities = acceptance.of(int(problem.group[cell]))
        chosen[start:end] = probabilities[np.searchsorted(breaks, problem.scores[start:end], side="right")]
    return chosen


def expected_table(problem: Problem, acceptance: Acceptance) -> Floats:
    """Expected weight over [cell, label, decision] when the policy decides."""
    chosen = acceptance_per_step(problem, acceptance)
    table = np.zeros((problem.cells, 2, 2))
    for label in (0, 1):
        for decision, probability in enumerate((1 - chosen, chosen)):
            weight = problem.mass[:, label] * probability
            table[:, label, decision] = np.bincount(problem.cell_of_step, weight, problem.cells)
    return table


def smoothed_rates(problem: Problem, limit: Limit, table: Floats) -> Floats:
    """The limited rate per cell, from its masks; that of rejection is one minus that of acceptance."""
    numerator = (table * limit.rate.numerator).sum(axis=(1, 2))
    denominator = (table * limit.rate.denominator).sum(axis=(1, 2))
    prior = problem.beta if limit.rejection else problem.alpha
    size = denominator + problem.alpha + problem.beta
    return np.asarray(np.divide(numerator + prior, size, out=np.zeros(problem.cells), where=size > 0))


def epsilons(problem: Problem, table: Floats) -> list[float]:
    """ε of every limited rate over the cells that it binds: log(max/min); 0/0 is 0, positive/0 is ∞."""
    found = []
    for limit, exempt in zip(problem.limits, problem.exempt):
        rates = smoothed_rates(problem, limit, table)[~exempt]
        highest, lowest = rates.max(initial=0.0), rates.min(initial=np.inf)
        if highest <= 0 or len(rates) == 0:
            found.append(0.0)
        else:
            found.append(float(np.log(highest / lowest)) if lowest > 0 else np.inf)
    return found


def excess(problem: Problem, table: Floats) -> float:
    """By how much the worst limit is exceeded in ε; 0 when all are kept, up to the tolerance."""
    over = [epsilon - limit.epsilon for limit, epsilon in zip(problem.limits, epsilons(problem, table))]
    worst = max((0.0 if np.isnan(one) else one for one in over), default=0.0)  # ∞ − ∞ keeps a limit of ∞
    return worst if worst > TOLERANCE else 0.0


def recheck(problem: Problem, solution: Solution, penalty: Callable[[float], float] | None = None) -> None:
    """Raise unless the solution is a policy that keeps every limit, with the loss and the bound it states.

    With a `penalty` the limits may be exceeded, and the objective must hold the penalty for it.
    """
    _check_steps(solution.acceptance)
    table = expected_table(problem, solution.acceptance)
    over = excess(problem, table)
    if penalty is None and over > 0:
        raise SolverError(_failed(f"a limit is exceeded by {over!r} in ε"))
    size = np.maximum(problem.totals, 1.0)
    if not (np.abs(table[:, :, 1] - solution.accepted) <= TOLERANCE * size).all():
        raise SolverError(_failed("the policy does not accept what the solution states"))
    objective = problem.expected_loss(table[:, :, 1]) + (penalty(over) if penalty else 0.0)
    slack = TOLERANCE * max(problem.loss.false_positive, problem.loss.false_negative)
    if not abs(objective - solution.objective) <= slack:
        raise SolverError(_failed(f"the objective is {objective!r}, not {solution.objective!r}"))
    if not solution.certificate.bound <= solution.objective:
        raise SolverError(_failed(f"the bound {solution.certificate.bound!r} is above the objective"))


def _check_steps(acceptance: Acceptance) -> None:
    for group in range(acceptance.groups):
        breaks, probabilities = acceptance.of(group)
        rising = bool((np.diff(breaks) > 0).all()) and bool(np.isfinite(breaks).all())
        if not rising or not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise SolverError(_failed(f"policy {group} is no step function with values in [0, 1]"))


def _failed(what: str) -> str:
    return (
        f"re-check of the solution: {what}. This is a defect of crossfair; please report it with the problem."
    )
