"""Single records: the decisions of whole frames, and explanations from which they can be recomputed."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossfair.cells import Cells
from crossfair.errors import InputError
from crossfair.outcomes import Outcomes
from crossfair.steps import Steps
from crossfair.terms import Source
from policies import policies, small_policy

RECORDS = [("F", 0.4, 11), ("M", 0.5, 12), ("M", 0.6, 13), ("M", 0.7, 17), ("F", 0.3, "15")]


def test_a_record_is_decided_as_in_a_frame():
    policy = small_policy()
    sex, score, key = zip(*RECORDS)
    frame = policy.decide({"sex": sex, "p": score, "id": np.array(key, dtype=object)}, key="id")
    single = [policy.decide_one({"sex": s, "other": 1}, score=p, key=k) for s, p, k in RECORDS]
    assert single == frame.tolist()
    assert all(type(decision) is int for decision in single)
    assert single == [
        policy.decide_one({"gender": s}, score=p, key=k, columns={"sex": "gender"}) for s, p, k in RECORDS
    ]


@given(policies(), st.data())
def test_any_policy_decides_one_record_as_it_decides_an_array(policy, data):
    cells = policy.deciding_cells
    place = data.draw(st.integers(0, len(cells) - 1))
    record = dict(zip(cells.by, cells.values[place]))
    edges = [edge for breaks, _ in policy.steps for edge in breaks]
    score = data.draw(st.sampled_from(edges) | st.floats(-1e4, 1e4) if edges else st.floats(-1e4, 1e4))
    key = data.draw(st.integers() | st.text())
    if policy.source.kind == "prediction":
        score = float(data.draw(st.booleans()))
        given_input = {"prediction": int(score)}
    else:
        given_input = {"score": score}
    expected = int(policy.decide_at(np.array([place]), np.array([score]), [key])[0])
    assert policy.decide_one(record, **given_input, key=key) == expected
    told = policy.explain_one(record, **given_input, key=key)
    assert (told.decision, told.cell, told.seen) == (expected, cells.values[place], True)
    assert told.acceptance == policy.acceptance_at(np.array([place]), np.array([score]))[0]
    assert told.at_least is None or told.at_least <= score
    assert told.below is None or score < told.below


def test_a_policy_that_has_decided_travels_to_other_processes():
    policy = small_policy()
    record = {"sex": "F"}
    decision = policy.decide_one(record, score=0.5, key=7)
    again = pickle.loads(pickle.dumps(policy))
    assert again == policy
    assert again.decide_one(record, score=0.5, key=7) == decision


def test_a_decision_can_be_recomputed_by_hand():
    told = small_policy().explain_one({"sex": "M"}, score=0.7, key=17)
    assert (told.cell, told.at_least, told.below, told.acceptance) == (("M",), 0.6, None, 0.5)
    digits = hashlib.md5(told.hashed.encode()).hexdigest()[:13]
    assert told.coin == int(digits, 16) / 16**13
    assert told.decision == (told.coin < told.acceptance)
    assert json.loads(json.dumps(told.to_json()))["cell"] == ["M"]
    assert str(small_policy().explain_one({"sex": "F"}, score=0.2)) == (
        "cell:        F\nscore:       0.2, which is below 0.4\nacceptance:  0.0\ndecision:    0, for sure"
    )


VALUES = {
    "text": [("O'Brien", "O'Brien"), ('"', '"'), ("", ""), ("é", "é"), ("; drop table", "; drop table")],
    "integers": [(1, 1), (1, 1.0), (1, "1"), (1, np.int8(1)), (1, decimal.Decimal(1)), ("7", 7)],
    "booleans": [(True, True), (True, "TRUE"), (True, "true"), ("True", True), (False, np.False_)],
    "dates": [
        (datetime.date(2020, 1, 2), "2020-01-02"),
        ("2020-01-02", datetime.date(2020, 1, 2)),
        (datetime.date(2020, 1, 2), np.datetime64("2020-01-02")),
        (datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2)),
    ],
    "missing": [(None, None), (None, float("nan"))],
}


@pytest.mark.parametrize(("known", "raw"), [pair for pairs in VALUES.values() for pair in pairs])
def test_values_meet_whatever_their_type(known, raw):
    steps = Steps.of([([], [1.0])])
    policy = small_policy(cells=Cells.of(["a"], [(known,)]), decide_by=("a",), steps=steps, certificate=None)
    assert policy.decide_one({"a": raw}, score=0.5) == 1


def test_equal_values_of_different_kind_are_not_confused():
    cells = Cells.of(["a"], [(1,), (2,)])
    policy = small_policy(cells=cells, decide_by=("a",), steps=Steps.of([([], [1.0]), ([], [0.0])]))
    assert policy.decide_one({"a": 1}, score=0.5) == 1
    with pytest.raises(InputError, match="booleans and integers in one column read alike"):
        policy.decide_one({"a": True}, score=0.5)
    with pytest.raises(InputError, match="two values read alike but are spelt differently; got '01' and 1"):
        policy.decide_one({"a": "01"}, score=0.5)


@pytest.mark.parametrize(
    "age",
    [30, 31, 50, 50.5, None, float("nan"), float("inf"), "40", np.float32(30.5), decimal.Decimal("30.5")],
)
def test_numbers_are_cut_as_in_a_frame(age):
    cells = Cells.of(["age"], [("≤ 30",), ("(30, 50]",), ("> 50",), (None,)], {"age": (30.0, 50.0)})
    steps = Steps.of([([], [p]) for p in (0.1, 0.2, 0.3, 0.4)])
    policy = small_policy(cells=cells, decide_by=("age",), steps=steps, certificate=None)
    one = policy.explain_one({"age": age}, score=0.5, key=1).acceptance
    assert one == policy.acceptance({"age": [age], "p": [0.5]})[0]


def binary_policy(**changes):
    return small_policy(
        source=Source("prediction", "yhat", 1.0, Outcomes(("no", "yes"), "yes")),
        steps=Steps.of([([1.0], [0.0, 1.0]), ([1.0], [0.0, 1.0])]),
        **changes,
    )


@pytest.mark.parametrize(
    ("prediction", "decision"), [("no", 0), ("yes", 1), (0, 0), (1, 1), (True, 1), ("false", 0), (1.0, 1)]
)
def test_a_prediction_is_an_outcome_or_a_flag(prediction, decision):
    assert binary_policy().decide_one({"sex": "F"}, prediction=prediction) == decision
    table = {"sex": ["F"], "yhat": [prediction]}
    assert binary_policy().decide(table).tolist() == [decision]


def test_a_prediction_means_the_same_in_any_batch():
    """With the outcomes 1 and 2, a 1 is the first of them and never a flag, whatever else a batch holds."""
    policy = binary_policy()
    policy = small_policy(source=Source("prediction", "yhat", 1.0, Outcomes((1, 2), 2)), steps=policy.steps)
    assert policy.decide({"sex": ["F", "F"], "yhat": [1, 2]}).tolist() == [0, 1]
    for column in ([0, 1], [0]):
        with pytest.raises(
            InputError, match="must hold the outcomes that the policy knows, 1, 2, or 0/1; got 0"
        ):
            policy.decide({"sex": ["F"] * len(column), "yhat": column})
    with pytest.raises(InputError, match="the policy knows, 1, 2, or 0/1; got 0"):
        policy.decide_one({"sex": "F"}, prediction=0)


def test_unseen_cells_take_the_fallback():
    fallback = Steps.of([([0.5], [0.0, 1.0])])
    policy = small_policy(unseen="pooled", fallback=fallback)
    assert [policy.decide_one({"sex": sex}, score=0.45) for sex in ("X", None, "F")] == [0, 0, 1]
    told = policy.explain_one({"sex": "X"}, score=0.6)
    assert (told.cell, told.seen, told.at_least, told.decision) == (("X",), False, 0.5, 1)
    assert "cell:        X (not seen when the policy was fitted)" in str(told)


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        ({}, {}, "record: has no 'sex'; got an empty record. A value that is missing is given as None"),
        (["F"], {}, r"record: must map names of attributes to values; got \['F'\]"),
        (None, {}, "record: must map names of attributes to values; got None"),
        ({"Sex": "F"}, {}, "record: has no 'sex'; got Sex. Did you mean 'Sex'"),
        ({"sex": "X"}, {}, r"record: the policy has not seen every cell, .*; got the cell \('X',\). Fit it"),
        ({"sex": ["F"]}, {}, r"sex: values must be text, integers, .* got \['F'\] of type list"),
        ({"sex": 1.5}, {}, "sex: values must be text, integers, booleans, dates or missing; got 1.5"),
        ({}, {"columns": {"sex": "gender"}}, "record: has no 'gender'"),
        ({"sex": "F"}, {"score": None}, "score: must be given: the policy decides by a score; got None"),
        ({"sex": "F"}, {"score": float("nan")}, "score: must be a finite number; got nan"),
        ({"sex": "F"}, {"score": "high"}, "score: must be a finite number; got 'high'"),
        ({"sex": "F"}, {"prediction": 1}, "prediction: is not what the policy reads: it decides by a score"),
        ({"sex": "M"}, {"key": None}, "key: this decision needs a coin, so it needs a key"),
        ({"sex": "M"}, {"key": 1.0}, "key: must be integers or text; got 1.0 of type float"),
        ({"sex": "M"}, {"key": True}, "got True of type bool"),
    ],
)
def test_bad_input(record, options, message):
    for method in (small_policy().decide_one, small_policy().explain_one):
        with pytest.raises(InputError, match=message):
            method(record, **{"score": 0.7, "key": 1, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prediction": "maybe"}, "the policy knows, 'no', 'yes', or 0/1; got 'maybe'"),
        ({"prediction": None}, "prediction: must be given: the policy decides by a prediction"),
        ({"score": 0.5}, "score: is not what the policy reads: it decides by a prediction; got 0.5"),
    ],
)
def test_bad_predictions(options, message):
    with pytest.raises(InputError, match=message):
        binary_policy().decide_one({"sex": "F"}, **options)
