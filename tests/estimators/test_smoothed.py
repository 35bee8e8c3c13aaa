"""Smoothed empirical estimation against its closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossfair as cf
from core_strategies import count_arrays, counts_of
from crossfair.errors import InputError
from crossfair.estimators.smoothed import Smoothed, smooth

smoothing = st.sampled_from([0.01, 1 / 3, 0.5, 1.0, 2.5])

# Successes and trials from an array (cells, [label], [prediction]), written out metric by metric.
PARTS = {
    "impact_ratio": [(lambda n: n[:, 1].sum(1), lambda n: n.sum((1, 2)))],
    "statistical_parity": [(lambda n: n[:, :, 1].sum(1), lambda n: n.sum((1, 2)))],
    "tpr_parity": [(lambda n: n[:, 1, 1], lambda n: n[:, 1].sum(1))],
    "fpr_parity": [(lambda n: n[:, 0, 1], lambda n: n[:, 0].sum(1))],
    "ppv_parity": [(lambda n: n[:, 1, 1], lambda n: n[:, :, 1].sum(1))],
    "npv_parity": [(lambda n: n[:, 0, 0], lambda n: n[:, :, 0].sum(1))],
    "accuracy_parity": [(lambda n: n[:, 0, 0] + n[:, 1, 1], lambda n: n.sum((1, 2)))],
}
PARTS["equalized_odds"] = PARTS["tpr_parity"] + PARTS["fpr_parity"]


@given(count_arrays(), smoothing, smoothing)
def test_epsilon_is_the_closed_form(n: Any, alpha: float, beta: float) -> None:
    audit = cf.audit(counts_of(n), estimator=Smoothed(alpha, beta))
    for name, parts in PARTS.items():
        expected = [0.0]
        for successes, trials in parts:
            kept = trials(n) > 0
            rates = (successes(n)[kept] + alpha) / (trials(n)[kept] + alpha + beta)
            expected += [math.log(rates.max() / rates.min())] if kept.any() else []
        assert audit[name].epsilon == pytest.approx(max(expected), abs=1e-12)


@given(count_arrays(), smoothing, smoothing)
def test_a_complement_is_one_minus_the_smoothed_rate(n: Any, alpha: float, beta: float) -> None:
    audit = cf.audit(counts_of(n), estimator=Smoothed(alpha, beta), metrics=["fnr_parity", "tnr_parity"])
    for name, label in (("fnr_parity", 1), ("tnr_parity", 0)):
        trials = n[:, label].sum(1)
        rates = 1 - (n[:, label, 1] + alpha) / (trials + alpha + beta)
        rates = rates[trials > 0]
        expected = math.log(rates.max() / rates.min()) if len(rates) else 0.0
        assert audit[name].epsilon == pytest.approx(expected, abs=1e-9)


@given(count_arrays(), smoothing, smoothing)
def test_elift_compares_with_the_unsmoothed_population(n: Any, alpha: float, beta: float) -> None:
    found = cf.audit(counts_of(n), estimator=Smoothed(alpha, beta), metrics="elift")["elift"].epsilon
    records = n.sum((1, 2))
    rates = ((n[:, 1].sum(1) + alpha) / (records + alpha + beta))[records > 0]
    overall = n[:, 1].sum() / n.sum()
    assert found == pytest.approx(max(abs(np.log(rates / overall))) if overall else 0.0, abs=1e-12)


def test_the_smoothed_counterexample_to_the_marginal_theorem() -> None:
    # Rates (a,1) = 0/1, (a,2) = 0/1, (b,1) = 1/2, (b,2) = 1/2. With α = β = ½ the intersection has
    # rates ¼ and ½, so ε = ln 2; the first attribute alone has ½/3 and 2½/5, so ε = ln 3.
    table = {
        "first": ["a", "a", "b", "b", "b", "b"],
        "second": [1, 2, 1, 1, 2, 2],
        "y": [0, 0, 0, 1, 0, 1],
        "n": [1, 1, 1, 1, 1, 1],
    }
    counts = cf.Counts.from_table(table, by=["first", "second"], label="y")
    whole = cf.audit(counts, estimator=Smoothed(0.5, 0.5), metrics="impact_ratio")
    first = cf.audit(counts.marginal("first"), estimator=Smoothed(0.5, 0.5), metrics="impact_ratio")
    assert whole["impact_ratio"].epsilon == pytest.approx(math.log(2))
    assert first["impact_ratio"].epsilon == pytest.approx(math.log(3))


def test_there_is_a_point_and_no_interval() -> None:
    finding = cf.audit(counts_of(np.ones((2, 2, 2), int)), estimator=Smoothed())["tpr_parity"]
    assert (finding.low, finding.high, finding.draws) == (None, None, None)
    assert finding.evidence.prior == "smoothed rates (k + 0.01) / (n + 0.02)"
    assert Smoothed(0, 0).words() == "raw rates k / n"


def test_nothing_of_nothing_has_no_rate_without_smoothing() -> None:
    assert np.isnan(smooth(np.zeros(1), np.zeros(1), 0.0, 0.0)).all()


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "1", None, True, 10**400])
def test_smoothing_must_be_a_finite_number_of_at_least_0(bad: Any) -> None:
    for argument in ("alpha", "beta"):
        rule = f"{argument}: must be a finite number of at least 0; got {bad!r}"
        with pytest.raises(InputError, match=rule):
            Smoothed(**{argument: bad})
