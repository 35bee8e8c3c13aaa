"""Two audits side by side: the factor between their biases, and its interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import crossfair as cf
from core_strategies import counts_of
from crossfair.errors import InputError

DATA = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]]])
MODEL = np.array([[[80, 20], [35, 15]], [[42, 1], [5, 30]]])


def audit(n: Any, estimator: Any, **options: Any) -> cf.Audit:
    return cf.audit(counts_of(n), estimator=estimator, **options)


def test_amplification_is_the_ratio_of_the_ratios() -> None:
    one, other = audit(DATA, cf.Smoothed(0, 0)), audit(MODEL, cf.Smoothed(0, 0))
    compared = cf.compare(one, other)
    assert len(compared) == 11
    for row in compared:
        assert row.amplification == pytest.approx(other[row.metric].ratio / one[row.metric].ratio)
        assert (row.low, row.high) == (None, None)


def test_the_interval_is_that_of_the_difference_of_independent_draws() -> None:
    one, other = audit(DATA, cf.Bayes(draws=20_000), seed=1), audit(MODEL, cf.Bayes(draws=20_000), seed=2)
    row = cf.compare(one, other)["fpr_parity"]
    rng = np.random.default_rng(3)

    def epsilons(n: Any) -> Any:
        rates = [rng.beta(c[0][1] + 1 / 3, c[0][0] + 1 / 3, 20_000) for c in n]
        return abs(np.log(rates[0] / rates[1]))

    factors = np.exp(epsilons(MODEL) - epsilons(DATA))
    # The share of an independent sample beyond each end is 2.5 %: 20,000 draws of it, 5 standard errors.
    error = 5 * math.sqrt(2 * 0.025 * 0.975 / 20_000)
    assert abs(np.mean(factors < row.low) - 0.025) < error
    assert abs(np.mean(factors > row.high) - 0.025) < error
    assert stats.percentileofscore(factors, row.amplification) > 1


def test_equal_infinities_are_no_amplification() -> None:
    n = [[[5, 0], [1, 1]], [[5, 5], [1, 1]]]
    raw = audit(n, cf.Smoothed(0, 0))
    assert cf.compare(raw, raw)["fpr_parity"].amplification == 1.0
    assert cf.compare(audit(DATA, cf.Smoothed(0, 0)), raw)["fpr_parity"].amplification == math.inf


def test_what_both_hold_is_compared_and_nothing_in_common_is_an_error() -> None:
    one = audit(DATA, "smoothed", metrics=["elift", "tpr_parity"])
    assert [row.metric for row in cf.compare(one, audit(MODEL, "smoothed"))] == ["elift", "tpr_parity"]
    with pytest.raises(
        InputError, match=r"audits: must share at least one metric; got elift, tpr_parity and fp"
    ):
        cf.compare(one, audit(MODEL, "smoothed", metrics="fpr_parity"))


def test_intervals_of_two_levels_are_not_compared() -> None:
    with pytest.raises(InputError, match=r"audits: must have the same level; got 0.95 and 0.9"):
        cf.compare(audit(DATA, "bayes"), audit(MODEL, "bayes", level=0.9))
