"""Policies on arrays: lookup, unseen cells, decisions; and what may not be built."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossfair.cells import Cells
from crossfair.errors import InputError
from crossfair.mitigation.certificate import Certificate, Status
from crossfair.performance import Performance
from crossfair.steps import Steps
from crossfair.terms import Source, Terms
from policies import policies, small_policy

POOLED = Steps.of([([0.5], [0.0, 1.0])])


def test_cells_are_found_by_value_and_text_meets_typed_values():
    policy = small_policy(cells=Cells.of(["old"], [(False,), (True,)]), decide_by=("old",))
    assert policy.find([("true",), (False,), (None,)]).tolist() == [1, 0, -1]


def test_only_the_deciding_attributes_are_looked_at():
    cells = Cells.of(["sex", "race"], [(s, r) for s in "FM" for r in "ab"])
    policy = small_policy(cells=cells)
    assert policy.deciding_cells.values == (("F",), ("M",))
    everyone = small_policy(cells=cells, decide_by=(), steps=POOLED, certificate=None)
    assert everyone.acceptance_at(everyone.find([()]), np.array([0.7])).tolist() == [1.0]


def test_unseen_cells_are_refused_or_take_the_fallback():
    position, score = np.array([0, -1, -1]), np.array([0.4, 0.4, 0.5])
    with pytest.raises(InputError, match=r"unseen='error' refuses the others; got 2 of 3 records in unseen"):
        small_policy().acceptance_at(position, score)
    pooled = small_policy(unseen="pooled", fallback=POOLED)
    assert pooled.acceptance_at(position, score).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_must_be_finite(bad):
    with pytest.raises(InputError, match=r"score: must be finite numbers; got NaN or infinity in 2 of 3"):
        small_policy().acceptance_at(np.zeros(3, int), np.array([0.5, bad, bad]))


def test_cells_and_scores_come_in_pairs():
    with pytest.raises(InputError, match=r"scores: must be as many as cells; got \(3,\) and \(2,\)"):
        small_policy().acceptance_at(np.zeros(2, int), np.zeros(3))


def test_whether_coins_are_needed():
    assert small_policy().needs_coins
    sure = Steps.of([([0.4], [0.0, 1.0]), ([], [0.0])])
    assert not small_policy(steps=sure).needs_coins
    assert small_policy(steps=sure, unseen="pooled", fallback=Steps.of([([], [0.5])])).needs_coins


@settings(max_examples=40)
@given(policies(), st.data())
def test_decisions_do_not_depend_on_batch_or_order(policy, data):
    size = len(policy.deciding_cells)
    records = data.draw(
        st.lists(st.tuples(st.integers(0, size - 1), st.floats(-1e3, 1e3), st.integers()), max_size=30)
    )
    order = data.draw(st.permutations(range(len(records))))
    cut = data.draw(st.integers(0, len(records)))

    def decide(rows):
        positions, scores, keys = ([row[i] for row in rows] for i in range(3))
        return policy.decide_at(np.array(positions, int), np.array(scores, float), keys).tolist()

    whole = decide(records)
    assert decide([records[i] for i in order]) == [whole[i] for i in order]
    assert decide(records[:cut]) + decide(records[cut:]) == whole


@settings(max_examples=40)
@given(policies(), st.data())
def test_a_policy_does_what_its_steps_say(policy, data):
    position = data.draw(st.integers(0, len(policy.deciding_cells) - 1))
    breaks, probabilities = policy.steps.row(position)
    for i, edge in enumerate(breaks):
        below = np.nextafter(edge, -np.inf)
        found = policy.acceptance_at(np.array([position] * 2), np.array([below, edge]))
        assert found.tolist() == probabilities[i : i + 2] or below in breaks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unseen": "pool"}, "unseen: must be one of .* got pool. Did you mean 'pooled'"),
        ({"unseen": "pooled"}, "a policy for unseen cells has one row, none with 'error'; got pooled"),
        ({"fallback": POOLED}, "a policy for unseen cells has one row, none with 'error'; got error"),
        ({"salt": ""}, "salt: must be a text that is not empty"),
        ({"steps": POOLED}, "steps: must have one row per deciding cell; got 1 rows. sex: 2 cells."),
        ({"decide_by": ("sx",)}, "by: must be one of 'sex'; got sx. Did you mean 'sex'"),
        ({"steps": Steps.of([([], [1.2]), ([], [1.0])])}, r"between 0 and 1; got 1\.2 in F"),
        ({"expected": {"best": Performance(0.1, None, None, {})}}, "expected: must be one of"),
        (
            {"certificate": Certificate(0.1, 0.1, Status.OPTIMAL, 0, 0, pooled=(2,))},
            "must be cells of the policy",
        ),
    ],
)
def test_policies_that_contradict_themselves_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        small_policy(**changes)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Source("scores", "p", 0.5, None), "kind: must be one of 'score', 'prediction'; got scores"),
        (lambda: Source("score", "p", float("nan"), None), "threshold: must be a finite number; got nan"),
        (lambda: Source("score", "p", 0.5, None, missing="keep"), "missing: must be one of"),
        (lambda: Terms("derived", {"tpr_party": 1.0}), "Did you mean 'tpr_parity'"),
        (
            lambda: Terms("derived", {"tpr_parity": -1.0}),
            "the limit on ε must be a number, 0 or more; got -1.0",
        ),
    ],
)
def test_sources_and_terms_are_checked(build, message):
    with pytest.raises(InputError, match=message):
        build()
