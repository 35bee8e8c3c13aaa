"""Repairs end to end: reference losses, what the policy states against what it does, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossfair as cf
from crossfair.datasets import adult
from crossfair.errors import InputError
from crossfair.mitigation.problem import Loss
from crossfair.outcomes import Outcomes
from crossfair.policy import Policy
from crossfair.read_sample import read_sample
from crossfair.repair import mitigate
from crossfair.sample import expected_counts
from crossfair.terms import Source
from samples import curves, curves_of, hiring_counts

READ = {"by": ["sex", "age_over_50", "race_4"], "label": "income", "positive": ">50K"}
LIMIT = 8.14 - math.log(400)
SCORE_METHODS = ("derived", "sequential", "overall", "threshold")


@pytest.fixture(scope="module")
def train():
    return adult("train")


def test_what_may_be_believed_of_the_population_is_another_question(train):
    policy = mitigate(train, **READ, score="score", limits={"equalized_odds": LIMIT})
    found = policy.evaluate(adult("test"))
    assert found.records == 16281
    assert [trial.audit.settings.min_support for trial in found.trials.values()] == [10, 10, 10]
    assert found.exit_code in (1, 3)


@settings(max_examples=30)
@given(curves(), st.sampled_from(SCORE_METHODS), st.floats(0, 2), st.booleans())
def test_the_audit_of_its_own_expected_counts_meets_the_limit(sample, method, epsilon, tpr_only):
    limits = {"tpr_parity": epsilon} if tpr_only else {"equalized_odds": epsilon}
    try:
        policy = mitigate(sample, limits=limits, method=method, min_support=1)
    except cf.InfeasibleError:
        return
    read = read_sample(sample, {})
    counts = expected_counts(sample, read.followed(policy))
    audit = cf.audit(counts, metrics=list(limits), estimator=cf.Smoothed(0.01, 0.01))
    # In counts, sums of weights are in units of 2⁻³², which beside α = .01 is more than a repair is off.
    slack = 1e-9 if sample.weights is None else 2**-32 / 0.01
    assert audit[next(iter(limits))].epsilon <= epsilon + slack
    stated = policy.expected["repaired"].epsilon[next(iter(limits))]
    assert stated <= epsilon + 1e-9
    assert stated == pytest.approx(audit[next(iter(limits))].epsilon, abs=slack)
    assert policy.certificate.bound <= policy.certificate.objective
    assert policy.expected["repaired"].loss == pytest.approx(policy.certificate.objective, abs=1e-8)
    assert Policy.from_json(policy.to_json()) == policy


@settings(max_examples=30)
@given(curves(weighted=False), st.floats(0, 2))
def test_limits_that_the_unconstrained_optimum_meets_change_nothing(sample, epsilon):
    policy = mitigate(sample, limits={"statistical_parity": epsilon}, min_support=1)
    free = policy.expected["unconstrained"]
    if free.epsilon["statistical_parity"] <= epsilon:
        assert policy.certificate.objective == pytest.approx(free.loss, abs=1e-9)
    assert policy.certificate.objective >= free.loss - 1e-9


@settings(max_examples=20)
@given(curves(), st.floats(0, 2))
def test_one_policy_for_everyone_is_never_better(sample, epsilon):
    limits = {"statistical_parity": epsilon}
    one = mitigate(sample, limits=limits, decide_by=[], min_support=1)
    assert len(one.steps) == 1
    assert one.expected["repaired"].epsilon["statistical_parity"] <= epsilon + 1e-9
    assert (
        one.certificate.objective
        >= mitigate(sample, limits=limits, min_support=1).certificate.objective - 1e-9
    )


@pytest.mark.parametrize("form", ["indicator", "hinge"])
def test_a_penalty_is_a_price_on_exceeding_the_limits(form):
    limits = {"statistical_parity": 0.05}
    strict = mitigate(UNEQUAL, limits=limits).certificate.objective
    free, dear, fair = (
        mitigate(UNEQUAL, limits=limits, penalty=penalty, penalty_form=form) for penalty in (0.0, 100.0, 0.05)
    )
    assert free.certificate.objective == pytest.approx(free.expected["unconstrained"].loss)
    assert dear.certificate.objective == pytest.approx(strict, abs=1e-4)
    repaired = fair.expected["repaired"]
    over = max(repaired.epsilon["statistical_parity"] - 0.05, 0.0)
    price = 0.05 * (over if form == "hinge" else over > 1e-9)
    assert fair.certificate.objective == pytest.approx(repaired.loss + price, abs=1e-8)
    assert fair.certificate.bound <= fair.certificate.objective <= strict + 1e-9
    assert (fair.terms.penalty, fair.terms.penalty_form) == (0.05, form)


def test_performance_by_hand():
    limits = {"tpr_parity": 1.0}
    policy = mitigate(COUNTS, limits=limits, loss=Loss(2, 3), alpha=0, beta=0)
    found = policy.expected["given"]
    assert found.loss == pytest.approx((25 * 2 + 35 * 3) / 200)
    assert [found.tpr, found.fpr] == pytest.approx([40 / 75, 25 / 125])
    assert found.epsilon["tpr_parity"] == pytest.approx(math.log((30 / 40) / (10 / 35)))


@pytest.mark.parametrize("c", [0.2, 0.5, 0.7])
def test_the_least_loss_is_the_most_utility(c):
    """Proposition 3: E[YỸ − cỸ], over all thresholds of either cell within the limit."""
    sample = curves_of(
        [(s, t / 4, y, 1 + (3 * s + 2 * t + y) % 5) for s in (0, 1) for t in range(5) for y in (0, 1)]
    )
    limits = {"statistical_parity": 0.3}
    policy = mitigate(sample, limits=limits, loss=Loss.utility(c), method="threshold", min_support=1)

    def utility(counts):
        accepted = counts.n[:, :, 1].sum(axis=0)
        return accepted[1] - c * accepted.sum()

    rivals = []
    for cuts in np.ndindex(6, 6):
        p = (sample.scores >= np.array(cuts)[sample.cell_of_step] / 4).astype(float)
        counts = expected_counts(sample, p)
        audit = cf.audit(counts, metrics=list(limits), estimator=cf.Smoothed(0.01, 0.01))
        if audit["statistical_parity"].epsilon <= 0.3:
            rivals.append(utility(counts))
    own = utility(expected_counts(sample, read_sample(sample, {}).followed(policy)))
    assert own == pytest.approx(max(rivals))


def test_the_same_seed_gives_the_same_bytes_but_for_the_seconds():
    first, again = (mitigate(hiring_counts(), limits={"tpr_parity": 0.1}) for _ in range(2))
    assert first.salt == again.salt
    lines = [policy.to_json().splitlines() for policy in (first, again)]
    assert [x for x, y in zip(*lines) if x != y and "seconds" not in x] == []
    assert mitigate(hiring_counts(), limits={"tpr_parity": 0.1}, seed=1).salt != first.salt
    assert mitigate(hiring_counts(), limits={"tpr_parity": 0.1}, salt="pepper").salt == "pepper"


@pytest.mark.parametrize(("unseen", "edge"), [("given", 0.5), ("pooled", 0.75)])
def test_unseen_cells_get_what_was_chosen(unseen, edge):
    sample = curves_of([(s, t / 4, t >= 3, 5) for s in (0, 1) for t in range(5)])
    policy = mitigate(sample, limits={"fpr_parity": 1.0}, unseen=unseen)
    assert list(policy.fallback) == [([edge], [0.0, 1.0])]


def test_cells_without_support_are_exempt_and_listed():
    sample = curves_of([(s, t / 4, t >= 2, 20) for s in (0, 1) for t in range(5)] + [(2, 0.1, True, 2)])
    policy = mitigate(sample, limits={"equalized_odds": 0.1})
    assert policy.certificate.exempt == {"tpr": (2,), "fpr": (2,)}
    assert policy.certificate.pooled == (2,)


def test_the_source_is_kept(train):
    policy = mitigate(train, **READ, prediction="prediction", limits={"tpr_parity": 1.0})
    known = Outcomes(("<=50K", ">50K"), ">50K")
    assert policy.source == Source("prediction", "prediction", 1.0, known, label="income")


def test_counts_can_be_seen_otherwise():
    table = {
        "sex": ["F", "F", "M", "M"] * 2,
        "old": [0, 1] * 4,
        "y": [0] * 4 + [1] * 4,
        "n": list(range(20, 28)),
    }
    counts = cf.Counts.from_table(
        {**table, "yhat": [0, 1, 1, 0] * 2}, by=["sex", "old"], label="y", prediction="yhat"
    )
    policy = mitigate(counts, limits={"statistical_parity": 0.2}, by="sex", positive=0)
    assert policy.by == ("sex",)
    assert policy.source.outcomes.positive == 0
    assert policy.evaluate(counts, by="sex", positive=0).records == counts.records


COUNTS = hiring_counts()
NEGATIVES = hiring_counts(n=[60, 5, 0, 0, 40, 20, 0, 0])
CURVES = curves_of([(s, t / 4, t >= 2, 20) for s in (0, 1) for t in range(5)])
UNEQUAL = curves_of([(s, t / 8, t >= 2 + 2 * s, 20 + t) for s in (0, 1) for t in range(8)])
PEOPLE = {"sex": ["F", "M"], "good": [0, 1], "hired": [0, 1], "p": [0.1, 0.9]}
ODDS = {"equalized_odds": 0.2}


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            COUNTS,
            {"limits": {"equalised_odds": 0.2}},
            "limits: .* Did you mean 'equalized_odds'",
        ),
        (COUNTS, {"limits": {}}, r"limits: must map metrics to the largest ε allowed; got \{\}"),
        (COUNTS, {"limits": 0.2}, r"limits: must map metrics to the largest ε allowed; got 0\.2"),
        (COUNTS, {"limits": {"tpr_parity": -0.1}}, "must be a number of at least 0; got -0.1"),
        (COUNTS, {"limits": {"tpr_parity": math.nan}}, "must be a number of at least 0; got nan"),
        (COUNTS, {"limits": {"tpr_parity": 1.0, "equal_opportunity": 2.0}}, "'tpr_parity' has one limit"),
        (COUNTS, {"limits": {"ppv_parity": 0.2}}, "not linear in the policy"),
        (COUNTS, {"limits": {"npv_parity": 0.2}}, "not linear in the policy"),
        (COUNTS, {"limits": {"elift": 0.2}}, "depends on the labels alone, so no policy can change it"),
        (COUNTS, {"limits": {"impact_ratio": 0.2}}, "depends on the labels alone"),
        (
            COUNTS,
            {"limits": ODDS, "method": "derived"},
            "method: 'derived' needs a score, but the data",
        ),
        (
            COUNTS,
            {"limits": ODDS, "method": "randomise"},
            "method: .* Did you mean 'randomize'",
        ),
        (COUNTS, {"limits": ODDS, "min_support": 1000}, "too few records"),
        (COUNTS, {"limits": ODDS, "min_support": -1}, "min_support: must be an integer of at least 0"),
        (COUNTS, {"limits": ODDS, "alpha": -1}, "alpha: must be a finite number of at least 0; got -1"),
        (COUNTS, {"limits": ODDS, "beta": math.nan}, "beta: must be a finite number of at least 0; got nan"),
        (COUNTS, {"limits": ODDS, "unseen": "pool"}, "unseen: must be one of .* Did you mean 'pooled'"),
        (COUNTS, {"limits": ODDS, "salt": ""}, "salt: must be a text that is not empty"),
        (COUNTS, {"limits": ODDS, "seed": -1}, "seed: must be an integer of at least 0"),
        (COUNTS, {"limits": ODDS, "decide_by": ["sexx"]}, "decide_by: must be one of 'sex'; got sexx"),
        (COUNTS, {"limits": ODDS, "time_limit": 0}, "time_limit: must be a number of seconds above 0"),
        (COUNTS, {"limits": ODDS, "gap": -1}, "gap: must be a finite number, 0 or more"),
        (
            COUNTS,
            {"limits": ODDS, "label": "good"},
            "label: says how to read records, but the",
        ),
        (COUNTS.marginal(["sex"]), {"limits": ODDS, "score": "p"}, "score: says how to read records"),
        (
            NEGATIVES,
            {"limits": ODDS},
            "records of both labels; got no positive one",
        ),
        (
            PEOPLE,
            {"limits": ODDS, "by": "sex", "score": "p"},
            "label: a repair needs the column",
        ),
        (
            PEOPLE,
            {"limits": ODDS, "by": "sex", "label": "good"},
            "score, prediction: a repair needs the column",
        ),
        (PEOPLE, {"limits": ODDS, "label": "good", "score": "p"}, "by: must"),
        (
            PEOPLE,
            {"limits": ODDS, "by": "sex", "label": "good", "score": "p", "prediction": "hired"},
            "prediction, score: give one of them",
        ),
        (CURVES, {"limits": ODDS, "penalty": -1.0}, "penalty: must be a finite number of at least 0"),
        (CURVES, {"limits": ODDS, "penalty": 1.0, "penalty_form": "hing"}, "Did you mean 'hinge'"),
        (CURVES, {"limits": ODDS, "weight": "w"}, "weight: says how to read records"),
        (CURVES, {"limits": ODDS, "monotone": False, "method": "threshold"}, "monotone"),
        (CURVES, {"limits": ODDS, "monotone": "yes"}, "monotone: must be True, False or None; got yes"),
        (CURVES, {"limits": {"tpr_parity": 10**400}}, "'tpr_parity' must be a number of at least 0"),
        (CURVES, {"limits": ODDS, "time_limit": "5"}, "time_limit: must be a number of seconds above 0"),
        (CURVES, {"limits": ODDS, "gap": None}, "gap: must be a finite number, 0 or more; got None"),
        (CURVES, {"limits": ODDS, "alpha": "x"}, "alpha: must be a finite number of at least 0; got 'x'"),
        (CURVES, {"limits": ODDS, "penalty": True}, "penalty: must be a finite number of at least 0; got T"),
        (CURVES, {"limits": ODDS, "loss": (1, 5)}, r"loss: must be a cf.Loss, such as .*; got \(1, 5\)"),
        (CURVES, {"limits": ODDS, "decide_by": 5}, r"decide_by: must name attributes of `by`.*; got 5"),
    ],
)
def test_bad_input(data, options, message):
    with pytest.raises(InputError, match=message):
        mitigate(data, **options)


@pytest.mark.parametrize(
    "costs", [(-1, 1), (1, -1), (0, 0), (math.nan, 1), (1e200, 1), (1, 1e-200), ("1", 1), (1, None)]
)
def test_costs_are_checked(costs):
    with pytest.raises(InputError, match="loss"):
        Loss(*costs)


def test_numbers_of_numpy_are_saved_like_plain_ones():
    one = np.float32(0.5)
    policy = mitigate(
        CURVES, limits={"tpr_parity": one}, loss=Loss(one, one), alpha=one, beta=one, penalty=one, gap=one
    )
    assert Policy.from_json(policy.to_json()) == policy


@pytest.mark.parametrize("costs", [(0, 1), (1, 0), (3, 1)])
def test_costs_of_zero_are_legal(costs):
    policy = mitigate(CURVES, limits=ODDS, loss=Loss(*costs))
    assert policy.certificate.gap < 1e-9
    assert (policy.terms.false_positive, policy.terms.false_negative) == costs


def test_four_fifths():
    policy = mitigate(CURVES, limits={"statistical_parity": cf.four_fifths})
    audit = policy.evaluate(CURVES, estimator=cf.Smoothed(0.01, 0.01))["repaired"].audit
    assert audit["statistical_parity"].ratio <= 1.25 * (1 + 1e-9)
