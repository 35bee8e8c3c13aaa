"""Where rounding could break a limit, a proof or a solver: rates near 0, and limits of next to nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crossfair.errors import InputError
from crossfair.mitigation.answer import ended
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.certificate import Status
from crossfair.mitigation.limits import read_limits
from crossfair.mitigation.problem import Loss, Problem
from crossfair.mitigation.solve import METHODS, solve
from repair_problems import binary, random_problem


def problem_of(cells: list[list[tuple[float, float]]], limits: dict[str, float], **options) -> Problem:
    """Cells with the weight of negatives and positives at each step; steps of equal number share a score."""
    offsets = np.cumsum([0, *map(len, cells)])
    mass = np.array([step for cell in cells for step in cell], dtype=float)
    given = {"loss": Loss(), "group": np.arange(len(cells)), "min_support": 1, **options}
    return Problem(
        offsets=offsets,
        scores=np.concatenate([np.linspace(0.9, 0.1, len(cell)) for cell in cells]),
        mass=mass,
        records=np.ceil(np.add.reduceat(mass, offsets[:-1])).astype(np.int64),
        limits=read_limits(limits),
        **given,
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_certificate_holds_plain_numbers(method):
    problem = random_problem(3, 3, 6, limits={"equalized_odds": 0.5}, alpha=0.01, beta=0.01)
    found = solve(binary(problem) if method == "randomize" else problem, method).certificate
    kinds = {type(one) for one in (found.objective, found.bound, found.gap, found.seconds)}
    assert (kinds, type(found.nodes)) == ({float}, int)


@pytest.mark.parametrize("method", ["derived", "sequential"])
def test_equal_rates_of_shared_policies_are_no_contradiction(method):
    """Two rows that say the same but for the last bits must not make the program infeasible."""
    cells = [[(2446, 55)], [(8413, 717)], [(53923, 832)], [(2658, 133)], [(42800, 1903)], [(463001, 6277)]]
    limits = {"fpr_parity": 0.0, "tnr_parity": 0.5, "tpr_parity": 0.01}
    prior = {"alpha": 1e-4, "beta": 1e-4, "loss": Loss(1, 100), "group": np.zeros(6, int)}
    found = solve(problem_of(cells, limits, **prior), method).certificate
    assert found.status is Status.OPTIMAL
    assert found.gap < 1e-6


def test_shared_policies_may_accept_everyone_where_the_solver_only_nears_it():
    cells = [[(1, 0), (0, 1), (4, 0), (0, 3), (1, 0)], [(2.37, 0)], [(10, 11), (4, 9), (1, 1), (4, 12)]]
    limits = {"fpr_parity": 0.3, "statistical_parity": 1e-6, "tnr_parity": 19.9}
    options = {"monotone": False, "alpha": 0.0, "beta": 0.0, "group": np.zeros(3, int)}
    found = solve(problem_of(cells, limits, loss=Loss(0, 1), **options), "derived")
    assert found.objective == found.certificate.gap == 0


def test_cuts_that_rounding_makes_parallel_are_survived():
    cells = [[(5.0, 1.0)], [(1.0, 0.0)], [(21.0, 0.0)]]
    limits = {"fpr_parity": 0.0, "statistical_parity": 3.0, "tpr_parity": 0.3}
    problem = problem_of(cells, limits, loss=Loss(1e-9, 1), alpha=0.0, beta=0.0)
    assert solve(problem, "sequential").certificate.status is Status.OPTIMAL


def test_the_smaller_prior_is_the_measure_of_what_is_next_to_nothing():
    cells = [[(6.0, 0.0), (5.0, 0.0)], [(2.0, 0.0)], [(1.0, 0.0), (2.0, 6.0)]]
    limits = {"tnr_parity": 1.0, "equalized_odds": 0.0}
    problem = problem_of(cells, limits, loss=Loss(3, 1), alpha=1e-6, beta=1000.0)
    assert solve(replace(problem, monotone=False), "derived").certificate.status is Status.OPTIMAL


def test_limits_that_rounding_cannot_keep_are_refused_and_alpha_and_beta_named():
    problem = problem_of([[(0, 1)], [(7, 11), (15, 20)]], {"fnr_parity": 1e-12}, loss=Loss(0, 1))
    problem = replace(problem, alpha=1e-6, beta=1e-6)
    message = "alpha, beta: cannot be so small that fnr within ε ≤ 1e-12.*got 1e-06 and 1e-06. Choose larger"
    with pytest.raises(InputError, match=message):
        solve(problem, "derived")


def test_a_gap_that_time_did_not_leave_is_not_said_to_need_time():
    assert ended(1e-7, Budget(), 1e-8) is Status.ROUNDING
    assert ended(1e-7, Budget(time_limit=1e-12), 1e-8) is Status.TIME_LIMIT
    assert "rounding" in Status.ROUNDING.value
    assert not Status.ROUNDING.proven
