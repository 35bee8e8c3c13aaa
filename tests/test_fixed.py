"""Sums of weights in fixed point."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossfair.errors import InputError
from crossfair.fixed import SCALE, Fixed, Weights, check_overflow, check_resolution

weights = st.floats(0, 2.0**31) | st.floats(0, 2) | st.integers(0, 100).map(float)


def exact(value: float) -> Fraction:
    """The multiple of 2⁻³² nearest to a value, half up."""
    return Fraction(math.floor(Fraction(value) * SCALE + Fraction(1, 2)), SCALE)


def held(sums: Fixed) -> list[Fraction]:
    pairs = zip(sums.whole.ravel().tolist(), sums.fraction.ravel().tolist())
    return [Fraction(whole) + Fraction(fraction, SCALE) for whole, fraction in pairs]


def pair(values: list[float]) -> Weights:
    column = np.array(values, dtype=np.float64)
    return Weights(Fixed.from_floats(column), Fixed.from_floats(column**2))


@given(st.lists(weights, max_size=8))
def test_each_value_is_rounded_to_the_nearest_multiple(values: list[float]) -> None:
    rounded = Fixed.from_floats(np.array(values, dtype=np.float64))
    assert held(rounded) == [exact(value) for value in values]
    assert ((rounded.fraction >= 0) & (rounded.fraction < SCALE)).all()


@given(
    st.lists(st.tuples(weights, st.integers(0, 3)), min_size=1, max_size=20),
    st.randoms(use_true_random=False),
)
def test_sums_are_exact_in_any_order_and_any_shards(rows: list[tuple[float, int]], random: object) -> None:
    expected = [sum((exact(value) for value, group in rows if group == g), Fraction(0)) for g in range(4)]
    random.shuffle(rows)  # type: ignore[attr-defined]
    values = Fixed.from_floats(np.array([value for value, _ in rows]))
    groups = np.array([group for _, group in rows])
    assert held(values.gather(groups, 4)) == expected
    cut = len(rows) // 2
    parts = [values[rows_].gather(groups[rows_], 4) for rows_ in (slice(cut), slice(cut, None))]
    assert parts[0] + parts[1] == values.gather(groups, 4) == parts[1] + parts[0]
    assert held(values.sum()) == [sum(expected)]


@given(st.lists(weights, min_size=1, max_size=5))
def test_floats_are_the_nearest_to_the_sums(values: list[float]) -> None:
    total = Fixed.from_floats(np.array(values)).sum()
    assert float(total.floats) == float(held(total)[0])


def test_a_fraction_that_rounds_up_is_carried() -> None:
    assert held(Fixed.from_floats(np.array([1 - 2.0**-40]))) == [1]


def test_sums_of_different_shape_or_kind_are_not_equal() -> None:
    assert Fixed.zeros(2) != Fixed.zeros(3)
    assert Fixed.zeros(2) != 0


def test_weights_that_might_overflow_are_refused() -> None:
    check_overflow(2**30, 2.0**15)
    with pytest.raises(
        InputError, match=r"weight: weights are too large .* got a largest weight of 2\.14\d+e\+09 over"
    ):
        check_overflow(2, 2.0**31)


def test_sums_that_would_overflow_when_added_are_refused_never_wrapped() -> None:
    large = pair([2.0**30.4])
    both = large + large
    with pytest.raises(
        InputError, match=r"weight: weights are too large .* Divide all weights by a constant"
    ):
        both + both
    with pytest.raises(InputError, match="weight: weights are too large"):
        pair([2.0**30.4] * 3).gather(np.zeros(3, np.int64), 1)


def test_weights_too_small_for_their_squares_are_refused() -> None:
    # Survey weights that sum to 1 are usual; their squares would all round to 0, and with them the evidence.
    with pytest.raises(
        InputError, match=r"weight: weights are too small .* Multiply all weights by a constant"
    ):
        check_resolution(100_000, pair([1e-5] * 100_000))
    check_resolution(1000, pair([0.01] * 1000))
    check_resolution(3, pair([0.0] * 3))


@given(st.lists(st.floats(0.01, 1e4), min_size=1, max_size=10))
def test_sums_of_real_weights_are_possible(values: list[float]) -> None:
    sums = pair(values)
    whole = Weights(sums.total.sum(), sums.squares.sum())
    assert not whole.impossible(np.array(len(values))).any()


def test_sums_that_no_weights_have_are_impossible() -> None:
    four = Weights(Fixed.from_floats(np.array([4.0])), Fixed.from_floats(np.array([4.0])))
    assert four.impossible(np.array([3])).tolist() == [True]
    assert four.impossible(np.array([4])).tolist() == [False]
    assert four.impossible(np.array([0])).tolist() == [True]
    negative = Weights(Fixed(np.array([-1]), np.array([0])), Fixed.zeros(1))
    assert negative.impossible(np.array([1])).tolist() == [True]
