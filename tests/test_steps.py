"""Step functions, against a plain loop over records."""

from __future__ import annotations

import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossfair.errors import FormatError, InputError
from crossfair.steps import BLOCK, Steps
from policies import step_rows

rows = st.lists(step_rows(), min_size=1, max_size=5)


@given(rows, st.data())
def test_each_record_takes_the_probability_of_its_own_row_and_score(given_rows, data):
    record = st.tuples(st.integers(0, len(given_rows) - 1), st.floats(-2e3, 2e3))
    records = data.draw(st.lists(record, max_size=20))
    records += [(i, edge) for i, (breaks, _) in enumerate(given_rows) for edge in breaks]
    found = Steps.of(given_rows).at(np.array([r for r, _ in records], int), np.array([s for _, s in records]))
    plain = [given_rows[r][1][bisect.bisect_right(given_rows[r][0], s)] for r, s in records]
    assert found.tolist() == plain


def test_blocks_do_not_show():
    generator = np.random.default_rng(0)
    steps = Steps.of([([0.2, 0.5, 0.9], [0.0, 0.1, 0.2, 1.0]), ([], [0.3])])
    row, score = generator.integers(0, 2, 2 * BLOCK + 1), generator.random(2 * BLOCK + 1)
    whole = steps.at(row, score)
    one_by_one = [steps.at(row[i : i + 1], score[i : i + 1])[0] for i in (0, BLOCK - 1, BLOCK, 2 * BLOCK)]
    assert whole[[0, BLOCK - 1, BLOCK, 2 * BLOCK]].tolist() == one_by_one


@given(rows, rows)
def test_joined_rows_follow_each_other(first, second):
    joined = Steps.of(first).joined(Steps.of(second))
    assert list(joined) == first + second


@given(rows)
def test_json_keeps_every_bit(given_rows):
    steps = Steps.of(given_rows)
    assert list(Steps.from_json(steps.to_json(), "text")) == given_rows


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (([0.5], [0.0, 1.2]), r"probabilities must lie between 0 and 1; got 1\.2 in row 1"),
        (([0.5], [float("nan"), 1.0]), "got nan in row 1"),
        (([0.5, 0.4], [0.0, 0.5, 1.0]), r"breaks must be finite and increasing; got \[0\.5, 0\.4\] in row 1"),
        (([0.5, 0.5], [0.0, 0.5, 1.0]), "breaks must be finite and increasing"),
        (([float("inf")], [0.0, 1.0]), "breaks must be finite and increasing"),
    ],
)
def test_bad_steps_are_named(row, message):
    steps = Steps.of([([], [0.5]), row])
    with pytest.raises(InputError, match=message):
        steps.check(lambda i: f"row {i}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "its steps must be a list; got dict"),
        ([{"breaks": []}], "must have breaks and acceptance"),
        ([{"breaks": [0.1], "acceptance": [1.0]}], "one probability more than breaks; got 1 breaks and 1"),
        ([{"breaks": ["a"], "acceptance": [0, 1]}], "lists of finite numbers"),
        ([{"breaks": [True], "acceptance": [0, 1]}], "lists of finite numbers"),
        ([{"breaks": [10**400], "acceptance": [0, 1]}], "lists of finite numbers"),
        ([{"breaks": None, "acceptance": [1]}], "lists of finite numbers"),
    ],
)
def test_json_of_another_shape_is_refused(data, message):
    with pytest.raises(FormatError, match=message):
        Steps.from_json(data, "policy.json")
