"""The reference repairs of the Adult training data, through the public names: losses, rates, limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import crossfair as cf

READ = {"by": ["sex", "age_over_50", "race_4"], "label": "income", "positive": ">50K"}
LIMIT = 8.14 - math.log(400)
OPTIONS = {"limits": {"equalized_odds": LIMIT}, "min_support": 1}
EXACT = 1e-9
DIGITS = 5e-7  # six decimals

METHODS = {
    "randomize": ({}, 0.143561),
    "threshold": ({}, 0.140141),
    "sequential": ({}, 0.139889),
    "overall": ({}, 0.139705),
    "derived": ({}, 0.139575),
    "derived, any acceptance": ({"monotone": False}, 0.137010),
}


@pytest.fixture(scope="module")
def train() -> dict[str, Any]:
    return cf.datasets.adult("train")


@pytest.fixture(scope="module", params=METHODS)
def repaired(request, train) -> tuple[cf.Policy, float]:
    options, loss = METHODS[request.param]
    method = request.param.partition(",")[0]
    return cf.mitigate(train, **READ, score="score", method=method, **OPTIONS, **options), loss


def test_the_loss_is_that_of_the_reference_and_proven(repaired):
    policy, loss = repaired
    assert policy.certificate.objective == pytest.approx(loss, abs=DIGITS)
    assert policy.certificate.status.name == "OPTIMAL"
    assert 0 <= policy.certificate.gap < EXACT
    assert policy.expected["repaired"].loss == pytest.approx(policy.certificate.objective, abs=EXACT)
    assert policy.expected["repaired"].epsilon["equalized_odds"] <= LIMIT + EXACT


def test_the_policy_does_to_its_rows_what_it_states(repaired, train):
    policy, _ = repaired
    accepted, positive = policy.acceptance(train), train["income"] == ">50K"
    stated = policy.expected["repaired"]
    assert accepted[positive].mean() == pytest.approx(stated.tpr, abs=EXACT)
    assert accepted[~positive].mean() == pytest.approx(stated.fpr, abs=EXACT)
    assert np.abs(accepted - positive).mean() == pytest.approx(stated.loss, abs=EXACT)
    decided = policy.decide({**train, "id": np.arange(len(positive))}, key="id")
    sure = (accepted == 0) | (accepted == 1)
    assert np.array_equal(decided[sure], accepted[sure])
    spread = math.sqrt((accepted * (1 - accepted)).sum())
    assert abs(decided.sum() - accepted.sum()) <= 4 * spread


def test_the_smoothed_audit_of_the_expected_counts_is_within_the_limit(repaired, train):
    policy, _ = repaired
    audit = policy.evaluate(train, estimator=cf.Smoothed(0.01, 0.01))["repaired"].audit
    assert audit["equalized_odds"].epsilon <= LIMIT + EXACT
    assert audit["equalized_odds"].epsilon == pytest.approx(
        policy.expected["repaired"].epsilon["equalized_odds"], abs=EXACT
    )


def test_the_given_and_the_unconstrained_decisions(train):
    policy = cf.mitigate(train, **READ, score="score", **OPTIONS)
    given, free = policy.expected["given"], policy.expected["unconstrained"]
    assert given.loss == pytest.approx(0.142936, abs=DIGITS)
    assert [given.tpr, given.fpr] == pytest.approx([0.5425, 0.0432], abs=5e-5)
    assert free.loss == pytest.approx(0.139343, abs=DIGITS)


def test_randomize_takes_the_prediction_itself_or_the_score_cut_in_two(train):
    binary = cf.mitigate(train, **READ, prediction="prediction", **OPTIONS)
    by_score = cf.mitigate(train, **READ, score="score", method="randomize", **OPTIONS)
    assert binary.method == "randomize"
    assert binary.certificate.objective == by_score.certificate.objective
    assert binary.certificate.objective == pytest.approx(0.143561, abs=DIGITS)
    assert np.array_equal(by_score.acceptance(train), binary.acceptance(train))
