"""Rates → ε: the inequalities over all pairs, the 0/0 rule, the driving pair."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force import least_epsilon
from crossfair.epsilon import Extremes, driving, epsilon, log_ratio

fractions = st.fractions(0, 1, max_denominator=60)
some_rates = st.lists(fractions, min_size=1, max_size=8)


def as_floats(rates: list[Fraction]) -> np.ndarray:
    return np.array([[float(rate) for rate in rates]])


@given(some_rates)
def test_between_cells_it_is_the_least_that_holds_for_all_pairs(rates: list[Fraction]) -> None:
    expected = max(least_epsilon(one, other) for one, other in itertools.product(rates, rates))
    assert epsilon(Extremes.of(as_floats(rates), 0.5), "between")[0] == pytest.approx(expected)


@given(some_rates, st.data())
def test_against_the_population_it_is_the_least_that_holds_for_all_cells(
    rates: list[Fraction], data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 50), min_size=len(rates), max_size=len(rates)))
    overall = sum((size * rate for size, rate in zip(sizes, rates)), Fraction(0)) / sum(sizes)
    expected = max(least_epsilon(rate, overall) for rate in rates)
    found = epsilon(Extremes.of(as_floats(rates), float(overall)), "population")[0]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("comparison", ["between", "population"])
@pytest.mark.parametrize(
    ("rates", "overall", "expected"),
    [
        ([0.0, 0.0], 0.0, 0.0),
        ([0.0, 0.5], 0.25, math.inf),
        ([0.5], 0.5, 0.0),
        ([], 0.5, 0.0),
        ([math.nan, 0.5], 0.5, 0.0),
        ([math.nan], 0.0, 0.0),
        ([1.0, 1.0], 1.0, 0.0),
    ],
)
def test_zero_rates_and_no_rates(
    comparison: str, rates: list[float], overall: float, expected: float
) -> None:
    found = epsilon(Extremes.of(np.array([rates]), overall), comparison)  # type: ignore[arg-type]
    assert found.tolist() == [expected]


def test_where_nobody_has_the_outcome_smoothed_rates_are_not_infinitely_far_from_the_population() -> None:
    assert epsilon(Extremes.of(np.array([[0.01, 0.2]]), 0.0), "population").tolist() == [0.0]


@given(some_rates)
def test_the_extremes_of_the_complement_are_those_of_one_minus_the_rates(rates: list[Fraction]) -> None:
    turned = Extremes.of(as_floats(rates), 0.25).complement()
    directly = Extremes.of(1.0 - as_floats(rates), 0.75)
    assert (turned.highest, turned.lowest, turned.overall) == (
        directly.highest,
        directly.lowest,
        directly.overall,
    )


def test_what_is_left_to_one_can_be_given_more_precisely() -> None:
    rest = Extremes.of(np.array([[1e-20, 0.5]]), 0.25)
    turned = Extremes.of(np.array([[1.0, 0.5]]), 0.75, rest).complement()
    assert epsilon(turned, "between")[0] == pytest.approx(math.log(0.5e20))


@given(some_rates, some_rates)
def test_blocks_of_cells_merge(left: list[Fraction], right: list[Fraction]) -> None:
    parts = [
        Extremes.of(as_floats(rates), 0.25, Extremes.of(1 - as_floats(rates), 0.75))
        for rates in (left, right)
    ]
    merged, whole = parts[0].merge(parts[1]), Extremes.of(as_floats(left + right), 0.5)
    assert (merged.highest, merged.lowest, merged.overall) == (whole.highest, whole.lowest, whole.overall)
    assert merged.complement().lowest == 1 - whole.highest


def test_a_block_without_supported_cells_changes_nothing() -> None:
    merged = Extremes.of(np.empty((2, 0)), 0.1).merge(Extremes.of(np.array([[0.2, 0.4], [0.1, 0.3]]), 0.2))
    assert merged.highest.tolist() == [0.4, 0.3]
    assert merged.lowest.tolist() == [0.2, 0.1]


def test_nan_is_no_rate_and_never_an_answer() -> None:
    ratios = log_ratio(np.array([np.nan, 0.5, np.nan]), np.array([0.5, np.nan, np.nan]))
    assert ratios.tolist() == [0.0, 0.0, 0.0]


@given(some_rates, st.data())
def test_the_driving_pair_sets_epsilon(rates: list[Fraction], data: st.DataObject) -> None:
    size = len(rates)
    supported = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    column, overall = as_floats(rates)[0], 0.25
    for comparison in ("between", "population"):
        pair = driving(column, supported, overall, comparison)  # type: ignore[arg-type]
        if not supported.any():
            assert pair == (-1, -1)
            continue
        high, low = (overall if cell < 0 else column[cell] for cell in pair)
        assert all(cell < 0 or supported[cell] for cell in pair)
        found = epsilon(Extremes.of(column[None, supported], overall), comparison)[0]  # type: ignore[arg-type]
        assert max(0.0, log_ratio(np.array([high]), np.array([low]))[0]) == found


def test_ties_go_to_the_first_cell_in_canonical_order() -> None:
    everyone = np.ones(4, dtype=bool)
    assert driving(np.array([0.5, 0.2, 0.5, 0.2]), everyone, 0.3, "between") == (0, 1)
    assert driving(np.array([0.2, 0.2]), everyone[:2], 0.2, "population") == (0, -1)
