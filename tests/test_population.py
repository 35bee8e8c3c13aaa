"""How far a population has moved: the distances by enumeration, the bounds by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossfair import api
from crossfair.population import Population, radius, shift_of_base_rates, shift_of_shares

numbers = st.lists(st.tuples(st.integers(0, 50), st.floats(0, 1)), min_size=1, max_size=6)


def population(rows):
    mass = np.array([n for n, _ in rows], dtype=float)
    mass[0] += 1
    return Population.of(mass, np.floor(mass * np.array([share for _, share in rows])))


@given(numbers, st.data())
def test_the_distances_are_those_of_the_definitions(rows, data):
    then = population(rows)
    now = population(data.draw(st.lists(st.sampled_from(rows), min_size=len(rows), max_size=len(rows))))
    found = shift_of_shares(then, now, 0.9)
    p, q = then.mass / then.mass.sum(), now.mass / now.mass.sum()
    sets = itertools.product([0, 1], repeat=len(p))
    assert found.value == pytest.approx(max(float((q - p) @ np.array(chosen)) for chosen in sets))
    assert 0 <= found.low <= found.value <= found.high <= 1
    rates = shift_of_base_rates(then, now, 0.9)
    both = [i for i in range(len(p)) if then.mass[i] and now.mass[i]]
    people = sum(now.mass[i] for i in both)
    expected = sum(
        now.mass[i] / people * abs(now.positives[i] / now.mass[i] - then.positives[i] / then.mass[i])
        for i in both
    )
    assert rates.value == pytest.approx(expected)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_bounds_hold_as_often_as_they_say(confidence):
    """Far more often, since they hold for all shares; and they close on the truth as records grow."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(8), size=2)
    rates = rng.random((2, 8))
    true_shares = np.abs(shares[1] - shares[0]).sum() / 2
    covered = [0, 0]
    for size in (50, 5000):
        for _ in range(200):
            counts = [rng.multinomial(size, share) for share in shares]
            drawn = [Population.of(n, rng.binomial(n, rate)) for n, rate in zip(counts, rates)]
            found, base = shift_of_shares(*drawn, confidence), shift_of_base_rates(*drawn, confidence)
            both = (counts[0] > 0) & (counts[1] > 0)
            true_rates = np.abs(rates[1] - rates[0])[both] @ counts[1][both] / counts[1][both].sum()
            covered[0] += found.low <= true_shares <= found.high
            covered[1] += base.low <= true_rates <= base.high
    assert min(covered) >= 400 * confidence
    assert found.high - found.low < 0.15


@given(st.integers(1, 12), st.floats(0.001, 0.5), st.integers(1, 10**6))
def test_the_radius_is_hoeffdings_for_each_set(cells, error, records):
    assert 2**cells * math.exp(-2 * records * radius(cells, error, 1 / records) ** 2) == pytest.approx(error)


def test_weights_count_by_their_effective_number():
    then = Population.of([100, 100], [50, 50])
    weighted = Population.of([200, 200], [100, 100], [400, 400])  # a hundred records of weight 2 each
    assert shift_of_shares(then, weighted, 0.9).high == shift_of_shares(then, then, 0.9).high
    assert shift_of_base_rates(then, weighted, 0.9).high == shift_of_base_rates(then, then, 0.9).high


def test_cells_that_either_lacks_have_no_shift_of_base_rates():
    then, now = Population.of([10, 0, 5], [1, 0, 5]), Population.of([10, 7, 0], [2, 7, 0])
    found = shift_of_base_rates(then, now, 0.9)
    assert found.value == pytest.approx(0.1)
    assert np.isnan(found.by_cell[1:]).all()
    assert shift_of_base_rates(Population.of([1, 0], [1, 0]), Population.of([0, 1], [0, 1]), 0.9) is None
    assert shift_of_base_rates(then, Population.of([10, 7, 1]), 0.9) is None


def test_curves_and_counts_know_the_same_people():
    people = {
        "sex": ["F", "M", "M", "F", "M"],
        "y": [1, 0, 1, 0, 0],
        "p": [0.1, 0.5, 0.5, 0.9, 0.2],
        "w": [1.0, 2.0, 0.5, 0.25, 4.0],
    }
    for weight in (None, "w"):
        curves = api.curves(people, by="sex", label="y", score="p", weight=weight)
        counts = api.count(people, by="sex", label="y", score="p", weight=weight)
        one, other = Population.of_curves(curves), Population.of_counts(counts)
        assert one.to_json() == other.to_json()
    assert one.to_json() == {"mass": [1.25, 6.5], "squares": [1.0625, 20.25], "positives": [1, 0.5]}
