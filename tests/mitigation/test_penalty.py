"""Prices on exceeding the limits: against all relaxations, enumeration, and with few solves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from crossfair.errors import InfeasibleError
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.penalty import Penalty, solve_penalised
from crossfair.mitigation.problem import Loss, Problem
from crossfair.mitigation.recheck import excess, expected_table
from crossfair.mitigation.solve import Repair
from repair_problems import loss_of, pairwise, points, random_problem

EXACT = 1e-9


def beyond(problem: Problem, accepted: np.ndarray) -> float:
    """By how much in ε the rates of the worst pair of cells exceed their limit."""
    worst = 0.0
    for rates in pairwise(problem):
        values = [max(rates.value(cell, accepted[cell]), 0.0) for cell in rates.cells]
        for one, other in itertools.permutations(values, 2):
            if one > 1e-14:
                worst = max(worst, (math.log(one / other) if other > 1e-14 else math.inf) - rates.epsilon)
    return worst


@pytest.mark.parametrize("method", ["derived", "threshold"])
@pytest.mark.parametrize("form", ["indicator", "hinge"])
@pytest.mark.parametrize("seed", range(2))
def test_no_relaxation_of_the_limits_beats_a_penalty(seed, form, method):
    problem = random_problem(seed, 3, 6, limits={"equalized_odds": 0.1}, loss=Loss(), alpha=0.01, beta=0.01)
    penalty = Penalty(0.1 * (seed + 1), form)
    found = solve_penalised(problem, method, penalty).certificate
    repair = Repair(problem, method)
    rivals = []
    for over in [*np.linspace(0.0, 3.0, 31), math.inf]:
        try:
            solution = repair.solve([0.1 + over] * 2)
        except InfeasibleError:
            continue
        broken = excess(problem, expected_table(problem, solution.acceptance))
        rivals.append(solution.objective + penalty(broken))
    assert found.bound <= min(rivals) + EXACT
    assert found.objective <= min(rivals) + 1e-5
    assert found.status.proven


def test_a_penalised_solve_that_is_stopped_has_an_honest_bound():
    problem = random_problem(21, 4, 5, limits={"equalized_odds": 0.15}, loss=Loss())
    for penalty in (Penalty(0.02), Penalty(0.05, "hinge")):
        full = solve_penalised(problem, "threshold", penalty).certificate
        stopped = solve_penalised(problem, "threshold", penalty, Budget(time_limit=1e-9)).certificate
        assert stopped.bound <= full.objective + EXACT
        assert stopped.objective >= full.bound - EXACT


@pytest.mark.parametrize("weight", [0.001, 0.02, 0.5])
@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(8))
def test_the_hinge_is_the_best_of_all_combinations_of_thresholds(seed, alpha, weight):
    problem = random_problem(seed, 3, 6, limits={"equalized_odds": 0.1}, alpha=alpha, beta=alpha)
    found = solve_penalised(problem, "threshold", Penalty(weight, "hinge")).certificate
    choices = (np.array(choice) for choice in itertools.product(*(points(problem, c) for c in range(3))))
    best = min(loss_of(problem, one) + weight * max(beyond(problem, one), 0.0) for one in choices)
    assert found.bound - EXACT <= best <= found.objective + EXACT
    assert found.gap <= 1e-5
    assert found.status.proven


@pytest.mark.parametrize("method", ["derived", "sequential", "threshold"])
@pytest.mark.parametrize("seed", range(16))
def test_a_hinge_takes_tens_of_solves(seed, method, monkeypatch):
    """However slowly the loss falls with the relaxation, and where only a rate of 0 is beyond them all."""
    solves = []
    solve = Repair.solve
    monkeypatch.setattr(Repair, "solve", lambda *given: solves.append(1) or solve(*given))
    prior = 0.0 if seed % 2 else 0.01
    options = {"limits": {"equalized_odds": 0.1}, "alpha": prior, "beta": prior, "loss": Loss()}
    penalty = Penalty([0.001, 0.01, 0.1, 1.0][seed % 4], "hinge")
    found = solve_penalised(random_problem(seed, 3, 14, records=300, **options), method, penalty).certificate
    assert found.gap <= 1e-5
    assert len(solves) <= 40
