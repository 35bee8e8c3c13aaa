"""The one independent re-check of every answer: from the steps of the policy, trusting no solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import SolverError
from crossfair.mitigation.problem import Limit, Problem
from crossfair.mitigation.solution import Acceptance, Solution
from crossfair.ragged import search, take_runs, upto, weighted_sums

Floats = NDArray[np.float64]

TOLERANCE = 1e-9


def acceptance_per_step(problem: Problem, acceptance: Acceptance) -> Floats:
    """The probability with which each step is accepted: that of the last break at or below its score."""
    group = problem.group[::-1]  # all laid out backwards, since scores fall and breaks rise
    taken, bounds = take_runs(acceptance.offsets, group)
    cell = np.repeat(np.arange(problem.cells)[::-1], np.diff(bounds))
    rising, start, end = -problem.scores, problem.offsets[:-1], problem.offsets[1:]
    edges = search(rising, start[cell], end[cell], upto(-acceptance.breaks[taken]))
    edges = np.insert(edges, bounds[:-1], end[::-1])  # each cell from its end over its breaks …
    edges = np.append(edges, 0)  # … to the end of the cell before
    taken, _ = take_runs(acceptance.offsets + np.arange(acceptance.groups + 1), group)
    return np.repeat(acceptance.probabilities[taken], -np.diff(edges))[::-1]


def expected_table(problem: Problem, acceptance: Acceptance) -> Floats:
    """Expected weight over [cell, label, decision] when the policy decides."""
    chosen = acceptance_per_step(problem, acceptance)
    sides = (1 - chosen, chosen)
    return np.stack([weighted_sums(problem.mass, side, problem.offsets) for side in sides], axis=2)


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


def recheck(
    problem: Problem,
    solution: Solution,
    table: Floats,
    penalty: Callable[[float], float] | None = None,
) -> None:
    """Raise unless the solution is a policy that keeps every limit, with the loss and the bound it states.

    `table` is what `expected_table` finds for it. With a `penalty` the limits may be exceeded, and the
    objective must hold the penalty for it.
    """
    _check_steps(solution.acceptance)
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
    breaks, first = acceptance.breaks, np.zeros(len(acceptance.breaks) + 1, np.bool_)
    first[acceptance.offsets] = True
    rising = (np.diff(breaks) > 0) | first[1:-1]
    chances = (acceptance.probabilities >= 0) & (acceptance.probabilities <= 1)
    if not (rising.all() and np.isfinite(breaks).all() and chances.all()):
        raise SolverError(_failed("a policy is no step function with values in [0, 1]"))


def _failed(what: str) -> str:
    return (
        f"re-check of the solution: {what}. This is a defect of crossfair; please report it with the problem."
    )
