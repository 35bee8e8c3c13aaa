"""Verdicts by draws, by guaranteed bounds and by a point; exit codes; limits that are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossfair as cf
from core_strategies import counts_of
from crossfair.errors import InputError
from crossfair.verdicts import Verdict, Verdicts

N = np.array([[[90, 10], [30, 20]], [[40, 8], [10, 25]]])
METRIC = "fpr_parity"


def audit(estimator: Any, n: Any = N, **options: Any) -> cf.Audit:
    return cf.audit(counts_of(n), estimator=estimator, metrics=METRIC, **options)


@pytest.mark.parametrize("estimator", ["bayes", "bootstrap"])
def test_with_draws_a_verdict_is_as_sure_as_it_is_asked_to_be(estimator: str) -> None:
    found = audit(estimator)
    draws = found[METRIC].draws
    for share, confidence, expected in (
        (0.96, 0.95, "pass"),
        (0.94, 0.95, "undecided"),
        (0.94, 0.90, "pass"),
        (0.06, 0.95, "undecided"),
        (0.04, 0.95, "fail"),
    ):
        limit = float(np.quantile(draws, share, method="inverted_cdf"))
        verdict = found.check({METRIC: limit}, confidence=confidence)[METRIC]
        assert verdict.verdict == expected
        assert verdict.probability == np.mean(draws <= limit)
        assert f"P(ε ≤ {limit:.4g})" in verdict.reason


@given(st.floats(0, 3), st.floats(0, 3), st.floats(0.5, 0.99))
def test_a_larger_limit_is_never_judged_worse(one: float, other: float, confidence: float) -> None:
    order = ["fail", "undecided", "pass"]
    small, large = sorted((one, other))
    for estimator in ("bayes", "guaranteed", "smoothed"):
        words = [found.check({METRIC: limit}, confidence=confidence)[METRIC].verdict
                 for found in [FOUND[estimator]] for limit in (small, large)]  # fmt: skip
        assert order.index(words[0]) <= order.index(words[1])


FOUND = {name: audit(name) for name in ("bayes", "guaranteed", "smoothed")}


def test_guaranteed_bounds_are_computed_anew_at_the_confidence_asked_for() -> None:
    found = audit(cf.Guaranteed(), level=0.95)
    low, high = found[METRIC].low, found[METRIC].high
    assert found.check({METRIC: high})[METRIC].verdict == "pass"
    assert found.check({METRIC: high}, confidence=0.99)[METRIC].verdict == "undecided"
    assert found.check({METRIC: (low + high) / 2})[METRIC].verdict == "undecided"
    assert found.check({METRIC: low * 0.999})[METRIC].verdict == ("fail" if low > 0 else "undecided")
    other = audit(cf.Guaranteed(), level=0.99)[METRIC]
    verdict = found.check({METRIC: 1.0}, confidence=0.99)[METRIC]
    assert f"[{other.low:.4g}, {other.high:.4g}] with confidence 0.99" in verdict.reason


def test_a_point_is_judged_by_itself_and_says_so() -> None:
    found = audit(cf.Smoothed(0, 0))
    epsilon = found[METRIC].epsilon
    assert found.check({METRIC: epsilon})[METRIC].verdict == "pass"
    below = found.check({METRIC: np.nextafter(epsilon, 0)})[METRIC]
    assert (below.verdict, below.probability) == ("fail", None)
    assert below.reason.endswith("a point without an interval")


def test_infinity_is_within_the_limit_of_infinity_alone() -> None:
    n = [[[5, 0], [1, 1]], [[5, 5], [1, 1]]]
    found = audit(cf.Smoothed(0, 0), n)
    assert found[METRIC].epsilon == math.inf
    assert found.check({METRIC: 1e300})[METRIC].verdict == "fail"
    assert found.check({METRIC: math.inf})[METRIC].verdict == "pass"


@pytest.mark.parametrize("estimator", ["smoothed", "bayes", "bootstrap", "hierarchical", "guaranteed"])
@pytest.mark.parametrize("n", [N[:1], [[[5, 5], [1, 1]], [[0, 0], [3, 3]]]])
def test_one_cell_or_one_with_support_is_undecided_never_a_pass(estimator: str, n: Any) -> None:
    verdicts = cf.audit(
        counts_of(n), estimator=estimator, metrics=["fpr_parity", "equalized_odds"], min_support=1
    ).check({"fpr_parity": 50.0, "equalized_odds": 50.0})
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "undecided"]
    assert verdicts.exit_code == 3
    assert "cells have enough records; two are needed" in verdicts["fpr_parity"].reason


@pytest.mark.parametrize(
    ("words", "code"),
    [([], 0), (["pass"], 0), (["pass", "undecided"], 3), (["undecided", "fail"], 1), (["pass", "fail"], 1)],
)
def test_any_failure_outweighs_doubt_and_doubt_a_pass(words: list[Any], code: int) -> None:
    judged = tuple(Verdict(f"m{i}", 1.0, word, None, "") for i, word in enumerate(words))
    assert Verdicts(judged, 0.95).exit_code == code


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({METRIC: -0.1}, r"limits: the limit on 'fpr_parity' must be a number of at least 0; got -0.1"),
        ({METRIC: math.nan}, r"limits: the limit on 'fpr_parity' must be a number of at least 0; got nan"),
        ({METRIC: "1"}, r"limits: the limit on 'fpr_parity' must be a number of at least 0; got '1'"),
        ({METRIC: True}, r"limits: the limit on 'fpr_parity' must be a number of at least 0; got True"),
        ({"fpr": 1}, r"limits: must be one of .*; got fpr\. Did you mean 'fpr_parity'\?"),
        (
            {"tpr_parity": 1, "equal_opportunity": 2},
            r"limits: 'tpr_parity' has one limit; got a second one, as 'equal_opportunity'",
        ),
    ],
)
def test_limits_that_are_none_are_refused(limits: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        audit("smoothed").check(limits)


def test_the_confidence_is_a_probability() -> None:
    with pytest.raises(InputError, match=r"confidence: must lie strictly between 0 and 1; got 1"):
        audit("smoothed").check({METRIC: 1.0}, confidence=1)
