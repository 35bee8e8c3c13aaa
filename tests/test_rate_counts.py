"""Successes and trials per cell of each rate, against the definitions applied to single records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import brute_force
from core_strategies import counted, counts, counts_of, records
from crossfair.counts import Counts
from crossfair.metrics import RATES
from crossfair.rate_counts import RateCounts


def rates(part: RateCounts) -> list[float | None]:
    direct = part.direct(part.observed)
    return [None if np.isnan(rate) else float(rate) for rate in direct]


def check_all(made: Counts) -> None:
    everyone = brute_force.records_of(made)
    for outcome in made.outcomes.values:
        for name, rate in RATES.items():
            part = RateCounts.of(made, rate, outcome)
            expected = [
                brute_force.rate([r for r in everyone if r.cell == cell], name, outcome)
                for cell in made.cells.values
            ]
            assert rates(part) == [
                None if r is None else pytest.approx(float(r), abs=1e-12) for r in expected
            ]
            overall = brute_force.rate(everyone, name, outcome)
            if overall is not None:
                assert part.overall == pytest.approx(float(overall), abs=1e-12)
            assert np.array_equal(part.records, part.trials)
            assert np.array_equal(part.effective, part.records)


@given(counts())
def test_rates_of_both_outcomes_are_the_definitions(made: Counts) -> None:
    check_all(made)


@given(records(outcomes=3, most=15))
def test_rates_of_each_of_three_outcomes_are_the_definitions(table: dict[str, list[object]]) -> None:
    check_all(counted(table, outcomes=("a", "b", "c"), positive=None))


def test_rates_do_not_depend_on_which_outcome_sorts_first() -> None:
    n = np.arange(1, 13).reshape(3, 2, 2)
    made = counts_of(n)
    turned = counts_of(n[:, ::-1, ::-1]).towards(0)
    for rate in RATES.values():
        one, other = RateCounts.of(made, rate, 1), RateCounts.of(turned, rate, 0)
        assert np.array_equal(one.successes, other.successes)
        assert np.array_equal(one.trials, other.trials)
        assert one.flipped == other.flipped


@pytest.mark.parametrize(
    ("rate", "outcome", "same_as"),
    [
        ("tnr", 1, "fpr"),
        ("fnr", 1, "tpr"),
        ("base", 0, "base"),
        ("selection", 0, "selection"),
        ("tpr", 0, "fpr"),
        ("fpr", 0, "tpr"),
        ("accuracy", 0, "accuracy"),
        ("ppv", 0, "npv"),
        ("npv", 0, "ppv"),
    ],
)
def test_a_rate_and_its_complement_are_one_quantity(rate: str, outcome: int, same_as: str) -> None:
    made = counts_of(np.arange(1, 13).reshape(3, 2, 2))
    part, reference = RateCounts.of(made, RATES[rate], outcome), RateCounts.of(made, RATES[same_as], 1)
    assert part.key == reference.key
    assert np.array_equal(part.successes, reference.successes)


def test_different_quantities_have_different_keys() -> None:
    made = counts_of(np.arange(1, 13).reshape(3, 2, 2))
    drawn = ["base", "selection", "tpr", "fpr", "ppv", "npv", "accuracy"]
    assert len({RateCounts.of(made, RATES[name], 1).key for name in drawn}) == len(drawn)


@given(records())
def test_weights_make_rates_of_their_sums_and_an_effective_number(table: dict[str, list[object]]) -> None:
    made = counted(table, weighted=True)
    part = RateCounts.of(made, RATES["tpr"], 1)
    rows = list(zip(zip(table["a0"], table["a1"]), table["label"], table["prediction"], table["weight"]))
    for position, cell in enumerate(made.cells.values):
        weights = [(Fraction(w), p) for c, y, p, w in rows if c == cell and y == 1]  # type: ignore[arg-type]
        total, squares = sum(w for w, _ in weights), sum(w * w for w, _ in weights)
        assert part.records[position] == len(weights)
        assert part.trials[position] == pytest.approx(float(total))
        assert part.successes[position] == pytest.approx(float(sum(w for w, p in weights if p)))
        assert part.effective[position] == pytest.approx(float(total * total / squares) if weights else 0.0)
        assert part.effective[position] <= part.records[position] * (1 + 1e-9)


def test_support_is_records_not_weight() -> None:
    table = {
        "a": ["x", "x", "y"],
        "y": [0, 1, 1],
        "n": [4, 1, 3],
        "w": [0.0, 0.0, 6.0],
        "w2": [0.0, 0.0, 12.0],
    }
    made = Counts.from_table(table, by="a", label="y", weight="w", weight_squared="w2")
    part = RateCounts.of(made, RATES["base"], 1)
    assert part.records.tolist() == [5, 3]
    assert part.supported(5, prior=True).tolist() == [True, False]
    assert part.supported(4, prior=False).tolist() == [False, False]  # no weight, no rate without a prior
    assert part.shares.tolist() == [0.0, 1.0]


def test_an_empty_cell_is_supported_only_where_asked_and_a_prior_gives_it_a_rate() -> None:
    part = RateCounts.of(counts_of([[[0, 0], [0, 0]], [[1, 1], [1, 1]]]), RATES["tpr"], 1)
    assert part.supported(1, prior=True).tolist() == [False, True]
    assert part.supported(0, prior=True).tolist() == [True, True]
    assert part.supported(0, prior=False).tolist() == [False, True]


def test_nobody_has_no_share() -> None:
    part = RateCounts.of(counts_of([[[3, 2], [0, 0]]]), RATES["tpr"], 1)
    assert part.share == 0.0
    assert part.shares.tolist() == [0.0]
    assert np.isnan(part.observed).all()
