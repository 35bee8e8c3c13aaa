"""The paper's theorem and propositions, each as a test against sums over records or enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import crossfair as cf
from crossfair.mitigation.limits import read_limits
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.solve import solve

DATA_METRICS = ["elift", "impact_ratio"]
MODEL_METRICS = ["statistical_parity", "tpr_parity", "fpr_parity", "equalized_odds"]
LEVELS = {"sex": ["F", "M"], "old": [False, True], "race": ["A", "B", "C"]}
CELLS = list(itertools.product(*LEVELS.values()))
SUBSETS = [list(by) for size in (1, 2, 3) for by in itertools.combinations(LEVELS, size)]

# Records over [cell, label, prediction].
tables = (
    st.lists(st.integers(0, 6), min_size=4 * len(CELLS), max_size=4 * len(CELLS))
    .filter(any)
    .map(lambda n: np.array(n).reshape(len(CELLS), 2, 2))
)
costs = st.floats(0.05, 0.95)


def counts_of(n, by=tuple(LEVELS), cells=CELLS):
    rows = [(*cell, y, p, n[i, y, p]) for i, cell in enumerate(cells) for y in (0, 1) for p in (0, 1)]
    table = dict(zip([*by, "label", "prediction", "n"], map(list, zip(*rows))))
    return cf.Counts.from_table(table, by=list(by), label="label", prediction="prediction")


def epsilons(counts, by, alpha=0.0):
    audit = cf.audit(counts, by=by, estimator=cf.Smoothed(alpha, alpha))
    return {name: audit[name].epsilon for name in DATA_METRICS + MODEL_METRICS}


@given(n=tables)
@settings(max_examples=15)
def test_theorem_1_a_subset_of_the_attributes_is_as_fair_as_their_intersection(n):
    counts = counts_of(n)
    whole = epsilons(counts, list(LEVELS))
    for by in SUBSETS:
        for name, epsilon in epsilons(counts, by).items():
            assert epsilon <= whole[name] + 1e-9, (name, by)


def test_theorem_1_does_not_hold_for_smoothed_rates():
    cells = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    labels = [(1, 0), (1, 0), (1, 1), (1, 1)]  # records of either label
    rows = [(*cell, y, n[y]) for cell, n in zip(cells, labels) for y in (0, 1)]
    table = dict(zip(["first", "second", "label", "n"], map(list, zip(*rows))))
    counts = cf.Counts.from_table(table, by=["first", "second"], label="label")
    found = [
        cf.audit(counts, by=by, estimator=cf.Smoothed(0.5, 0.5))["impact_ratio"].epsilon
        for by in (["first", "second"], ["first"])
    ]
    assert found == pytest.approx([math.log(2), math.log(3)])


# A truth with all rates strictly between 0 and 1, as probabilities over [cell, label, prediction].
TRUTH = np.random.default_rng(8).dirichlet(np.full(16, 2.0)).reshape(4, 2, 2)
QUARTERS = [("F", False), ("F", True), ("M", False), ("M", True)]


def true_epsilons():
    base, chosen = TRUTH.sum(axis=2)[:, 1] / TRUTH.sum(axis=(1, 2)), TRUTH[:, :, 1]
    rates = {
        "impact_ratio": base,
        "statistical_parity": chosen.sum(axis=1) / TRUTH.sum(axis=(1, 2)),
        "tpr_parity": chosen[:, 1] / TRUTH.sum(axis=2)[:, 1],
        "fpr_parity": chosen[:, 0] / TRUTH.sum(axis=2)[:, 0],
    }
    found = {name: math.log(rate.max() / rate.min()) for name, rate in rates.items()}
    found["elift"] = np.abs(np.log(base / TRUTH[:, 1].sum())).max()
    return found | {"equalized_odds": max(found["tpr_parity"], found["fpr_parity"])}


def worst_error(estimator, records, seed):
    """The largest |ε − truth| over all metrics on one data set of so many records."""
    n = np.random.default_rng([seed, records]).multinomial(records, TRUTH.ravel()).reshape(4, 2, 2)
    audit = cf.audit(counts_of(n, ("sex", "old"), QUARTERS), estimator=estimator, seed=seed)
    return max(abs(audit[name].epsilon - truth) for name, truth in true_epsilons().items())


def assert_consistent(estimator):
    errors = [np.mean([worst_error(estimator, 10**k, seed) for seed in range(8)]) for k in (3, 5, 7)]
    assert errors[2] < 0.01
    # Errors fall with the square root of the records, at least: by ten for each hundredfold, less noise.
    assert errors[1] < errors[0] / 3
    assert errors[2] < errors[1] / 3


@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.0), (0.01, 0.01), (5.0, 0.0), (0.0, 5.0), (3.0, 20.0)])
def test_proposition_1_the_smoothed_estimate_is_consistent(alpha, beta):
    assert_consistent(cf.Smoothed(alpha, beta))


@pytest.mark.parametrize(("alpha", "beta"), [(1 / 3, 1 / 3), (0.01, 0.01), (5.0, 1.0), (3.0, 20.0)])
def test_proposition_2_the_bayesian_estimate_is_consistent(alpha, beta):
    assert_consistent(cf.Bayes(alpha, beta, draws=400))


def flipped(n, keep, flip):
    """Expected records over [label, decision], predictions of 1 kept and of 0 flipped with probabilities."""
    accepted = n[:, :, 1] * keep[:, None] + n[:, :, 0] * flip[:, None]
    return np.stack([n.sum(axis=2) - accepted, accepted], axis=2).sum(axis=0)


probabilities = st.lists(st.floats(0, 1), min_size=2 * len(CELLS), max_size=2 * len(CELLS)).map(
    lambda p: np.array(p).reshape(2, -1)
)


@given(n=tables, p=probabilities, q=probabilities, c=costs)
def test_proposition_3_immediate_utility_is_a_loss(n, p, q, c):
    problem = Problem.from_counts(n, (), cf.Loss.utility(c))

    def utility(joint):  # E[YỸ − cỸ] record by record
        return (joint[1, 1] - c * joint[:, 1].sum()) / n.sum()

    def loss(keep, flip):
        accepted = n[:, :, 1] * keep[:, None] + n[:, :, 0] * flip[:, None]
        return problem.expected_loss(accepted)

    gained = utility(flipped(n, *p)) - utility(flipped(n, *q))
    assert gained == pytest.approx(loss(*q) - loss(*p), abs=1e-12)


@given(n=tables, p=probabilities, false_positive=costs, false_negative=costs)
def test_proposition_4_the_loss_is_a_weighted_sum_of_fpr_and_fnr(n, p, false_positive, false_negative):
    joint = flipped(n, *p)
    assume((joint.sum(axis=1) > 0).all())
    positive = joint[1].sum() / joint.sum()
    fpr, fnr = joint[0, 1] / joint[0].sum(), joint[1, 0] / joint[1].sum()
    problem = Problem.from_counts(n, (), cf.Loss(false_positive, false_negative))
    accepted = n[:, :, 1] * p[0][:, None] + n[:, :, 0] * p[1][:, None]
    weighted = fpr * (1 - positive) * false_positive + fnr * positive * false_negative
    assert problem.expected_loss(accepted) == pytest.approx(weighted, abs=1e-12)


def pairwise_program(n, rates, epsilon, loss, alpha):
    """The paper's linear program: a row for each pair of cells and rate, in the variables p1 and p0."""
    cells = len(n)
    wrong, missed = n[:, 0], n[:, 1]
    cost = loss.false_positive * wrong - loss.false_negative * missed  # by prediction 0, 1
    objective = np.concatenate([cost[:, 1], cost[:, 0]]) / n.sum()
    rows, bounds = [], []
    for labels in rates:
        part = n[:, labels].sum(axis=1)
        whole = part.sum(axis=1) + 2 * alpha
        rate = np.zeros((cells, 2 * cells))
        rate[range(cells), range(cells)] = part[:, 1] / whole
        rate[range(cells), range(cells, 2 * cells)] = part[:, 0] / whole
        for s, other in itertools.permutations(range(cells), 2):
            rows.append(rate[s] - math.exp(epsilon) * rate[other])
            bounds.append(math.exp(epsilon) * alpha / whole[other] - alpha / whole[s])
    found = linprog(objective, A_ub=np.array(rows), b_ub=bounds, bounds=(0, 1))
    return found.fun + loss.false_negative * missed.sum() / n.sum()


RATES = {
    "statistical_parity": [[0, 1]],
    "tpr_parity": [[1]],
    "fpr_parity": [[0]],
    "equalized_odds": [[0], [1]],
}


@given(
    n=st.lists(st.integers(1, 30), min_size=16, max_size=16).map(lambda n: np.array(n).reshape(4, 2, 2)),
    name=st.sampled_from(MODEL_METRICS),
    epsilon=st.floats(0.0, 1.5),
    loss=st.builds(cf.Loss, costs, costs),
    alpha=st.sampled_from([0.0, 0.01]),
)
def test_proposition_5_flipping_within_a_limit_is_a_linear_program(n, name, epsilon, loss, alpha):
    problem = Problem.from_counts(
        n, read_limits({name: epsilon}), loss, min_support=1, alpha=alpha, beta=alpha
    )
    expected = pairwise_program(n.astype(float), RATES[name], epsilon, loss, alpha)
    assert solve(problem, "randomize").certificate.objective == pytest.approx(expected, abs=2e-7)


def flips(steps):
    """Loss of each threshold of a cell with each pair (p0, p1) of 0 and 1: the loss is linear in either.

    `steps` are (positives, negatives), highest score first; a threshold accepts the first k of them.
    """
    above = np.concatenate([[[0, 0]], np.cumsum(steps, axis=0)])
    found = {}
    for k, (tp, fp) in enumerate(above):
        fn, tn = above[-1] - above[k]
        for p0, p1 in itertools.product((0, 1), repeat=2):
            found[k, p0, p1] = p1 * fp + p0 * tn + (1 - p1) * tp + (1 - p0) * fn
    return found


def condition(steps, k):
    """The paper's inequalities at a threshold, for unit costs, with nothing divided by."""
    (tp, fp), (positives, negatives) = np.sum(steps[:k], axis=0) if k else (0, 0), np.sum(steps, axis=0)
    fn, tn = positives - tp, negatives - fp
    return tn > fn and tp > fp


def inner(steps):
    """Thresholds that accept some and reject some."""
    return range(1, len(steps))


steps_of_a_cell = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=2, max_size=6
).map(np.array)


@given(steps=steps_of_a_cell)
def test_proposition_6_without_flips_where_its_condition_holds_at_every_threshold(steps):
    """Sufficiency: p1 = 1 and p0 = 0 are best at each threshold that meets it, so at all if all do."""
    found = flips(steps)
    for k in inner(steps):
        if condition(steps, k):
            assert found[k, 0, 1] == min(found[k, p0, p1] for p0 in (0, 1) for p1 in (0, 1))
    if all(condition(steps, k) for k in inner(steps)):
        assert min(found.values()) == min(found[k, 0, 1] for k in range(len(steps) + 1))


def test_proposition_6_is_no_equivalence():
    """Its condition holds at the best threshold, yet flipping at another one halves the loss."""
    steps = np.array([(2, 0), (0, 8), (8, 2)])
    found = flips(steps)
    plain = {k: found[k, 0, 1] for k in range(4)}
    best = min(plain, key=plain.get)
    assert condition(steps, best)
    assert plain[best] == 8
    assert min(found.values()) == found[2, 1, 0] == 4
