"""Guaranteed bounds: exact intervals, coverage in simulations, the tightest box."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import crossfair as cf
from core_strategies import count_arrays, counts_of
from crossfair.epsilon import Extremes, epsilon
from crossfair.errors import InputError
from crossfair.estimators.guaranteed import Guaranteed, _between, clopper_pearson

SIMULATIONS = 400


@given(st.integers(1, 60), st.data(), st.sampled_from([0.5, 0.05, 1e-4]))
def test_the_interval_is_the_exact_one(trials: int, data: st.DataObject, error: float) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(np.array([float(successes)]), np.array([float(trials)]), error)
    exact = stats.binomtest(successes, trials).proportion_ci(1 - error, "exact")
    assert (low[0], high[0]) == (pytest.approx(exact.low, abs=1e-9), pytest.approx(exact.high, abs=1e-9))


def test_no_trials_say_nothing() -> None:
    low, high = clopper_pearson(np.zeros(1), np.zeros(1), 0.05)
    assert (low[0], high[0]) == (0.0, 1.0)


def test_expected_counts_have_wider_intervals_than_the_whole_ones_beside_them() -> None:
    low, high = clopper_pearson(np.array([2.5, 2.0, 3.0]), np.full(3, 10.0), 0.05)
    assert low[0] == low[1]
    assert high[0] == high[2]


@pytest.mark.parametrize("metric", ["impact_ratio", "elift", "equalized_odds"])
@pytest.mark.parametrize("cells", [2, 16, 64])
def test_the_bounds_cover_the_truth_in_19_of_20_simulations(cells: int, metric: str) -> None:
    """The guarantee is at least 95 %, whatever the rates; with shared errors the share is 97 % and more."""
    rng = np.random.default_rng([cells, len(metric)])
    covered = 0
    for _ in range(SIMULATIONS):
        sizes = 1 + rng.multinomial(50 * cells, rng.dirichlet(np.full(cells, 2.0)))
        joint = rng.dirichlet(np.full(4, 1.5), size=cells)  # the true table of each cell
        n = rng.multinomial(sizes, joint).reshape(cells, 2, 2)
        audit = cf.audit(counts_of(n), estimator=Guaranteed(), metrics=metric)[metric]
        truth = true_epsilon(joint.reshape(cells, 2, 2), sizes, n, metric)
        covered += audit.low <= truth <= audit.high
        assert audit.low <= audit.epsilon <= audit.high
    assert covered >= 0.95 * SIMULATIONS


def true_epsilon(table: Any, sizes: Any, n: Any, metric: str) -> float:
    """ε of the true rates of the cells whose rate was observed at all."""
    base = table[:, 1].sum(1)
    if metric == "elift":
        return float(epsilon(Extremes.of(base[None], float(base @ sizes / sizes.sum())), "population")[0])
    if metric == "impact_ratio":
        return float(epsilon(Extremes.of(base[None], 0.0), "between")[0])
    rates = [(table[:, y, 1] / table[:, y].sum(1))[n[:, y].sum(1) > 0] for y in (0, 1)]
    return max(float(epsilon(Extremes.of(rate[None], 0.0), "between")[0]) for rate in rates)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=5))
def test_the_bounds_are_the_least_and_largest_epsilon_of_the_box(ends: list[tuple[float, float]]) -> None:
    box = [sorted(pair) for pair in ends]
    low, high = np.array(box).T
    least, most = _between(low, high)
    corners = np.array(list(itertools.product(*box)))
    found = epsilon(Extremes.of(corners, 0.0), "between")
    assert most == pytest.approx(found.max())
    # The least is attained where all rates lie as near to a common level as they can, an end of the box.
    levels = np.concatenate([np.linspace(0.0, 1.0, 301), low, high])[:, None]
    inside = epsilon(Extremes.of(np.clip(levels, low, high), 0.0), "between")
    assert least == pytest.approx(inside.min())


@given(count_arrays(least_cells=2))
def test_bounds_hold_the_raw_epsilon_and_narrow_with_less_confidence(n: Any) -> None:
    audit = cf.audit(counts_of(n), estimator=Guaranteed())
    for finding in audit.findings.values():
        if not finding.evidence.enough:
            continue
        assert finding.low <= finding.epsilon <= finding.high
        low, high = audit.measurement.bounds(finding, 0.5)
        assert finding.low <= low <= finding.epsilon <= high <= finding.high


def test_what_the_data_cannot_exclude_is_infinite() -> None:
    finding = cf.audit(counts_of([[[0, 0], [20, 0]], [[0, 0], [0, 20]]]), estimator=Guaranteed())[
        "tpr_parity"
    ]
    assert finding.epsilon == math.inf
    assert finding.high == math.inf
    assert 0 < finding.low < math.inf


def test_a_rate_and_its_complement_share_their_error() -> None:
    counts = counts_of(np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]]]))
    both = cf.audit(counts, estimator=Guaranteed(), metrics="impact_ratio", outcomes="all")["impact_ratio"]
    one = cf.audit(counts, estimator=Guaranteed(), metrics="impact_ratio")["impact_ratio"]
    assert both.high >= one.high
    low, high = clopper_pearson(np.array([50.0, 35.0]), np.array([150.0, 78.0]), 0.05 / 2)
    assert both.high == pytest.approx(max(math.log(high[1] / low[0]), math.log((1 - low[0]) / (1 - high[1]))))


def test_the_error_is_shared_among_the_supported_cells_of_all_rates() -> None:
    n = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]], [[3, 3], [0, 0]]])
    finding = cf.audit(counts_of(n), estimator=Guaranteed(), metrics="equalized_odds")["equalized_odds"]
    fpr = clopper_pearson(n[:, 0, 1].astype(float), n[:, 0].sum(1).astype(float), 0.05 / 5)
    tpr = clopper_pearson(n[:2, 1, 1].astype(float), n[:2, 1].sum(1).astype(float), 0.05 / 5)
    assert finding.high == pytest.approx(max(_between(*fpr)[1], _between(*tpr)[1]))


def test_weights_are_refused_with_what_to_use_instead() -> None:
    table = {"a": ["x"], "y": [1], "n": [2], "w": [2.0], "w2": [2.0]}
    counts = cf.Counts.from_table(table, by="a", label="y", weight="w", weight_squared="w2")
    message = (
        r"estimator: Guaranteed needs records that count once each; got weighted counts\. Use Hierarchical"
    )
    with pytest.raises(InputError, match=message):
        cf.audit(counts, estimator=Guaranteed())
