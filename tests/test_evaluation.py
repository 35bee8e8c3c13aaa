"""Policies on data they were not fitted to: the same table, with intervals and verdicts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crossfair.cells import Cells
from crossfair.curve import Curves
from crossfair.errors import InputError
from crossfair.estimators.guaranteed import Guaranteed
from crossfair.estimators.smoothed import Smoothed
from crossfair.steps import Steps
from crossfair.terms import Terms
from policies import small_policy
from samples import hiring_counts

CELLS = Cells.of(["sex"], [("F",), ("M",)])
OTHER = Cells.of(["age"], [("x",), ("y",)])


def holdout(records=2000, cells=CELLS):
    generator = np.random.default_rng(3)
    cell, label = generator.integers(0, 2, records), generator.random(records) < 0.4
    score = np.clip(generator.normal(0.4 + 0.2 * label, 0.2), 0, 1)
    return Curves.from_table(cells, cell, score, label, np.ones(records, int))


def policy(limit=0.2, **changes):
    terms = Terms("derived", {"statistical_parity": limit}, min_support=1)
    return small_policy(terms=terms, unconstrained=Steps.of([([0.5], [0.0, 1.0])] * 2), **changes)


def test_the_table_has_every_set_of_decisions_and_every_limit():
    found = policy().evaluate(holdout())
    rows = found.rows()
    assert [row["decisions"] for row in rows] == ["given", "unconstrained", "repaired"]
    assert {row["metric"] for row in rows} == {"statistical_parity"}
    assert all(row["low"] <= row["epsilon"] <= row["high"] for row in rows)
    assert found.table()["loss"] == [row["loss"] for row in rows]
    assert found.records == 2000


def test_expected_counts_are_what_is_audited():
    curves = holdout()
    found = policy().evaluate(curves, estimator=Smoothed(0, 0))
    accepted = found["repaired"].audit.counts.n[:, :, 1].sum(axis=1) / curves.records.sum(axis=1)
    n = curves.n.sum(axis=1)
    female, male = ((curves.cell_of_step == cell) for cell in (0, 1))
    plain = [n[female & (curves.scores >= 0.4)].sum(), 0.5 * n[male & (curves.scores >= 0.6)].sum()]
    assert np.allclose(accepted, np.array(plain) / curves.records.sum(axis=1))
    assert found["repaired"].audit["statistical_parity"].epsilon == pytest.approx(
        np.log(accepted[0] / accepted[1])
    )


@pytest.mark.parametrize(
    ("limit", "verdict", "code"), [(9.0, "pass", 0), (0.01, "fail", 1), (float("inf"), "pass", 0)]
)
def test_verdicts_and_exit_codes(limit, verdict, code):
    found = policy(limit).evaluate(holdout())
    assert found.verdicts["statistical_parity"].verdict == verdict
    assert found.exit_code == code


def test_what_the_data_cannot_say_is_undecided():
    found = policy(1.5).evaluate(holdout(40))
    assert found.verdicts["statistical_parity"].verdict == "undecided"
    assert found.exit_code == 3


def test_any_estimator_level_and_seed():
    first, again = (policy().evaluate(holdout(), seed=5) for _ in range(2))
    assert first.to_json() == again.to_json()
    sure = policy(9.0).evaluate(holdout(), estimator=Guaranteed())["repaired"].audit["statistical_parity"]
    wide, narrow = (
        policy().evaluate(holdout(), level=level)["repaired"].audit["statistical_parity"]
        for level in (0.99, 0.5)
    )
    assert sure.high >= wide.high >= narrow.high


def test_json_says_what_was_found():
    document = json.loads(policy().evaluate(holdout()).to_json())
    assert document["format"] == "crossfair/evaluation/1"
    assert document["exit_code"] == 1
    assert len(document["rows"]) == 3
    assert document["verdicts"][0]["verdict"] == "fail"


def test_words_speak_of_the_population_not_of_the_certificate():
    shown = repr(policy().evaluate(holdout()))
    assert "on 2,000 records, of the population they come from: statistical_parity ≤ 0.2: fail" in shown
    assert "on the data fitted to" in repr(policy())


def test_the_policy_decides_by_its_own_attributes_only():
    cells = Cells.of(["sex", "race"], [("F", "a"), ("M", "b")])
    found = policy().evaluate(holdout(cells=cells))
    assert found.rows()[0]["loss"] == policy().evaluate(holdout()).rows()[0]["loss"]


def test_unseen_cells_follow_the_policy():
    cells = Cells.of(["sex"], [("F",), ("X",)])
    with pytest.raises(InputError, match="unseen='error' refuses the others"):
        policy().evaluate(holdout(cells=cells))
    pooled = policy(unseen="pooled", fallback=Steps.of([([], [1.0])]))
    accepted = pooled.evaluate(holdout(cells=cells))["repaired"].audit.counts.n[1]
    assert accepted[:, 0].sum() == 0


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (hiring_counts(), {}, "data: the policy decides by a score; got a prediction"),
        (
            holdout(cells=Cells.of(["age"], [("x",), ("y",)])),
            {},
            r"by: must hold the attributes sex; got \('age',\)",
        ),
        (holdout(), {"label": "y"}, "label: says how to read records, but the data are counted already"),
        (holdout(), {"scores": "y"}, "option: must be one of .* Did you mean 'score'"),
        (holdout(), {"level": 95}, "level: must lie strictly between 0 and 1"),
        (holdout(), {"confidence": 0}, "confidence: must lie strictly between 0 and 1"),
    ],
)
def test_bad_input(data, options, message):
    with pytest.raises(InputError, match=message):
        policy().evaluate(data, **options)
