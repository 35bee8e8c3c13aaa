"""The frontier: certified points, a loss that never grows, and the price of determinism."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossfair.datasets import adult
from crossfair.errors import InputError
from crossfair.frontiers import frontier
from crossfair.repair import mitigate
from samples import curves, curves_of, hiring_counts

READ = {"by": ["sex", "age_over_50", "race_4"], "label": "income", "positive": ">50K"}
METHODS = ("derived", "sequential")
CURVES = curves_of([(s, t / 8, t >= 2 + s, 20 + t) for s in (0, 1) for t in range(8)])


def test_adult_from_equal_rates_to_no_limit():
    found = frontier(adult("train"), **READ, score="score", limits="equalized_odds", min_support=1)
    table = found.table()
    assert len(found) == 21
    assert table["epsilon"][0] == 0.0
    assert np.all(np.diff(table["epsilon"]) > 0)
    assert np.all(np.diff(table["loss"]) <= 1e-9)
    assert table["loss"][-1] == pytest.approx(0.139343, abs=1e-6)
    assert max(table["gap"]) < 1e-9
    assert min(price for price in table["price_of_determinism"] if price is not None) >= -1e-9


@settings(max_examples=15)
@given(
    curves(), st.lists(st.floats(0, 2), min_size=1, max_size=4), st.sampled_from(["derived", "sequential"])
)
def test_each_point_is_the_repair_at_its_epsilon(sample, epsilons, method):
    options = {"method": method, "min_support": 1, "salt": "pepper"}
    found = frontier(sample, limits="fpr_parity", epsilons=epsilons, **options)
    assert [point.epsilon for point in found] == sorted(set(epsilons))
    losses = [point.policy.certificate.objective for point in found]
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(losses))
    for point in found:
        alone = mitigate(sample, limits={"fpr_parity": point.epsilon}, **options)
        assert point.policy.certificate.objective == pytest.approx(alone.certificate.objective, abs=1e-9)
        assert point.policy.terms == alone.terms


def test_the_price_of_determinism_is_the_difference_of_two_repairs():
    point = frontier(CURVES, limits="statistical_parity", epsilons=0.15).points[0]
    losses = [
        mitigate(CURVES, limits={"statistical_parity": 0.15}, method=method).certificate.objective
        for method in ("threshold", "derived")
    ]
    assert point.price_of_determinism == pytest.approx(losses[0] - losses[1])
    assert point.price_of_determinism > 0


def test_a_binary_prediction_has_no_thresholds():
    found = frontier(hiring_counts(), limits=["tpr_parity", "fpr_parity"], epsilons=[0.1, 0.5])
    assert found.metrics == ("tpr_parity", "fpr_parity")
    assert found.table()["price_of_determinism"] == [None, None]
    assert found.policies[1].limits == {"tpr_parity": 0.5, "fpr_parity": 0.5}


def test_points_without_a_policy_say_so():
    sample = curves_of([(0, 0.1, False, 7), (0, 0.2, True, 9), (1, 0.1, True, 50), (1, 0.2, False, 20)])
    found = frontier(sample, limits="tpr_parity", epsilons=[0.0, 0.5], method="threshold", min_support=1)
    table = found.table()
    if None in found.policies:
        place = found.policies.index(None)
        assert (table["status"][place], table["loss"][place]) == ("infeasible", None)
    assert table["status"][1] != "infeasible"


def test_an_infinite_epsilon_without_limits_ends_the_grid_at_a_thousandfold():
    sample = curves_of([(0, 0.9, False, 5), (0, 0.95, True, 20), (1, 0.1, False, 20), (1, 0.9, True, 20)])
    found = frontier(sample, limits="fpr_parity", alpha=0.0, beta=0.0, min_support=1)
    assert found.points[-1].epsilon <= math.log(1000)


def test_the_table_is_of_the_library_of_the_data():
    frame = adult("test").to_pandas()
    found = frontier(frame, **READ, score="score", limits="tpr_parity", epsilons=[0.5, 1.0])
    assert list(found.table().columns)[:2] == ["epsilon", "loss"]
    assert type(found.table()).__module__.startswith("pandas")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limits": {"tpr_parity": 1.0}}, "limits: must name the metrics to limit, all by the same ε"),
        ({"limits": []}, r"limits: must name the metrics to limit, all by the same ε; got \[\]"),
        ({"limits": "tpr_party"}, "Did you mean 'tpr_parity'"),
        ({"limits": "elift"}, "depends on the labels alone"),
        ({"limits": "tpr_parity", "epsilons": []}, "epsilons: must hold at least one ε"),
        (
            {"limits": "tpr_parity", "epsilons": [-0.1]},
            "epsilons: must be numbers of at least 0; got -0.1",
        ),
        ({"limits": "tpr_parity", "epsilons": [math.nan]}, "epsilons: must be numbers of at least 0"),
        ({"limits": "tpr_parity", "epsilons": ["low"]}, "epsilons: must be numbers of at least 0"),
        ({"limits": "tpr_parity", "unseen": "no"}, "unseen: must be one of"),
        ({"limits": "tpr_parity", "method": "best"}, "method: must be one of"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        frontier(CURVES, **options)
