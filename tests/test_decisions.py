"""Decisions on tables of records: every library, typed and untyped, gives the decisions of the arrays."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import require
from crossfair.cells import Cells
from crossfair.decisions import walk
from crossfair.errors import InputError
from crossfair.outcomes import Outcomes
from crossfair.policy import Policy
from crossfair.steps import Steps
from crossfair.terms import Source
from policies import any_cells, small_policy

RECORDS = {
    "sex": ["F", "M", "M", "M", "F"],
    "p": [0.4, 0.5, 0.6, 0.7, 0.3],
    "id": [11, 12, 13, 17, 15],
}


def frames_of(columns):
    pandas, polars, pyarrow = require("pandas"), require("polars"), require("pyarrow")
    return [
        columns,
        pandas.DataFrame(columns),
        polars.DataFrame(columns),
        pyarrow.table(columns),
    ]


@pytest.mark.parametrize("place", range(4))
def test_every_library_gives_its_own_column(place):
    frame = frames_of(RECORDS)[place]
    policy = small_policy()
    found = policy.acceptance(frame)
    assert np.asarray(found).tolist() == [1.0, 0.0, 0.5, 0.5, 0.0]
    positions, scores = policy.find([(sex,) for sex in RECORDS["sex"]]), np.array(RECORDS["p"])
    plain = policy.decide_at(positions, scores, RECORDS["id"]).tolist()
    assert np.asarray(policy.decide(frame, key="id")).tolist() == plain
    assert (
        np.asarray(policy.decide(frame, seed=3)).tolist()
        == policy.decide_at(positions, scores, seed=3).tolist()
    )
    library = type(found).__module__.split(".")[0]
    assert library == ["numpy", "pandas", "polars", "pyarrow"][place]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_lazy_frame_of_polars_gets_a_lazy_column(engine):
    names = {"sex": "^s.*$", "p": 'a "b`.c', "id": "id"}  # one that polars might take for a pattern
    renamed = {names[name]: column for name, column in RECORDS.items()}
    frame = require("polars").DataFrame(renamed).lazy()
    policy, columns = small_policy(), {name: names[name] for name in ("sex", "p")}
    chance, yes = policy.acceptance(frame, columns=columns), policy.decide(frame, key="id", columns=columns)
    later = frame.reverse().with_columns(chance, yes)
    assert later.collect_schema().names()[-2:] == ["acceptance", "decision"]
    found = later.collect(engine=engine).reverse()
    assert found["acceptance"].to_list() == policy.acceptance(RECORDS).tolist()
    assert found["decision"].to_list() == policy.decide(RECORDS, key="id").tolist()


def test_a_lazy_frame_of_polars_is_refused_as_a_table_is():
    polars, policy = require("polars"), small_policy()
    frame = polars.DataFrame(RECORDS).lazy()
    with pytest.raises(InputError, match="has no column 'sex'"):
        policy.acceptance(frame.drop("sex"))
    with pytest.raises(InputError, match="seed: coins drawn anew would be alike in every part of the frame"):
        policy.decide(frame, seed=1)
    unseen = frame.with_columns(sex=polars.lit("X"))
    with pytest.raises(InputError, match="records in unseen cells, such as"):
        unseen.select(policy.decide(unseen, key="id")).collect()


def test_a_pandas_index_is_kept():
    pandas = require("pandas")
    frame = pandas.DataFrame(RECORDS, index=[5, 3, 9, 1, 0])
    joined = frame.assign(decided=small_policy().decide(frame, key="id"))
    assert joined.decided.notna().all()
    assert joined.loc[5, "decided"] == 1


def test_other_column_names():
    renamed = {"gender": RECORDS["sex"], "yhat": RECORDS["p"]}
    found = small_policy().acceptance(renamed, columns={"sex": "gender", "p": "yhat"})
    assert found.tolist() == small_policy().acceptance(RECORDS).tolist()
    with pytest.raises(InputError, match="columns: maps names of the policy, sex, p; got 'gender'"):
        small_policy().acceptance(renamed, columns={"gender": "sex"})


def test_a_policy_fitted_to_text_serves_typed_columns_and_the_other_way_round():
    levels = [("0", "2020-01-02", "true"), ("1", "2020-01-03", "false")]
    typed = {
        "a": [0, 1],
        "b": [datetime.date(2020, 1, 2), datetime.date(2020, 1, 3)],
        "c": [True, False],
        "p": [0.5, 0.5],
    }
    text = {**{name: list(column) for name, column in zip("abc", zip(*levels))}, "p": ["0.5", "0.5"]}
    steps = Steps.of([([], [0.0]), ([], [1.0])])
    for cells in (levels, list(zip(*(typed[name] for name in "abc")))):
        policy = small_policy(cells=Cells.of("abc", cells), decide_by=("a", "b", "c"), steps=steps)
        assert policy.acceptance(typed).tolist() == policy.acceptance(text).tolist() == [0.0, 1.0]


def test_ambiguous_spelling_is_refused():
    policy = small_policy(cells=Cells.of(["a"], [(0,), (1,)]), decide_by=("a",))
    with pytest.raises(InputError, match="attribute 'a': two values read alike"):
        policy.acceptance({"a": ["01"], "p": [0.5]})


def test_raw_numbers_are_cut_as_the_fitted_ones():
    cells = Cells.of(["age"], [("≤ 30",), ("(30, 50]",), ("> 50",), (None,)], {"age": (30.0, 50.0)})
    steps = Steps.of([([], [p]) for p in (0.1, 0.2, 0.3, 0.4)])
    policy = small_policy(cells=cells, decide_by=("age",), steps=steps)
    table = {"age": [30, 31, 50, 50.5, None, float("nan"), float("inf")], "p": [0.5] * 7}
    assert policy.acceptance(table).tolist() == [0.1, 0.2, 0.2, 0.3, 0.4, 0.4, 0.4]


def test_missing_values_are_a_level_if_the_policy_has_seen_one():
    table = {"sex": [None, float("nan"), "F"], "p": [0.9, 0.9, 0.9]}
    with pytest.raises(InputError, match=r"2 of 3 records in unseen cells, such as \(None,\)"):
        small_policy().acceptance(table)
    cells = Cells.of(["sex"], [("F",), (None,)])
    assert small_policy(cells=cells).acceptance(table).tolist() == [0.5, 0.5, 1.0]


def test_unseen_cells_take_the_fallback():
    table = {"sex": ["X", "F"], "p": [0.45, 0.45]}
    given_decision = small_policy(unseen="given", fallback=Steps.of([([0.5], [0.0, 1.0])]))
    assert given_decision.acceptance(table).tolist() == [0.0, 1.0]


def test_no_deciding_attribute():
    policy = small_policy(decide_by=(), steps=Steps.of([([0.5], [0.0, 1.0])]))
    assert policy.acceptance({"p": [0.4, 0.6]}).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("column", [["no", "yes"], [0, 1], ["0", "1"], [False, True], ["False", "true"]])
def test_a_prediction_is_a_value_of_the_label_or_a_flag(column):
    assert binary_policy().acceptance({"sex": ["F", "F"], "yhat": column}).tolist() == [0.25, 0.75]


def binary_policy() -> Policy:
    return small_policy(
        source=Source("prediction", "yhat", 1.0, Outcomes(("no", "yes"), "yes")),
        steps=Steps.of([([1.0], [0.25, 0.75]), ([1.0], [0.0, 1.0])]),
    )


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            ["no", "maybe"],
            "must hold the outcomes that the policy knows, 'no', 'yes', or 0/1; got 'maybe'",
        ),
        (["no", None], "prediction: must not be missing; got 1 of 2 records without one"),
        ([0, 2], "must hold the outcomes that the policy knows, 'no', 'yes', or 0/1; got 2"),
    ],
)
def test_other_predictions_are_refused(column, message):
    with pytest.raises(InputError, match=message):
        binary_policy().acceptance({"sex": ["F", "F"], "yhat": column})


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"sex": None}, {}, "has no column 'sex'"),
        ({"p": None}, {}, "has no column 'p'"),
        ({"p": ["high"] * 5}, {}, "score: 'p' must hold numbers; got 'high', one of 5 such records"),
        (
            {"p": [0.4, None, 0.6, float("nan"), 0.3]},
            {},
            "must be finite numbers; got .* in 2 of 5 records",
        ),
        ({"sex": ["F", "X", "X", "M", "F"]}, {}, r"2 of 5 records in unseen cells, such as \('X',\)"),
        ({}, {"key": None}, "key: 2 of 5 records have a probability between 0 and 1, so they need a key"),
        ({"id": [None, 1, 2, 3, 4]}, {}, "key: must be integers or text; got a missing value in 1 of 5"),
        ({"id": [1.0, 2.5, 3.0, 4.0, 5.0]}, {}, r"key: must be integers or text; got 3\.0 of type float"),
        ({"id": [True] * 5}, {}, "got True of type bool"),
        ({}, {"key": "nr"}, "has no column 'nr'"),
        ({}, {"key": ["id"]}, r"key: must name the column of the keys; got \['id'\]"),
        (
            {},
            {"columns": ["sex"]},
            r"columns: must map names of the policy to those of columns; got \['sex'\]",
        ),
        ({}, {"key": None, "seed": -1}, "seed: must be an integer of at least 0; got -1"),
        ({}, {"seed": 1}, "key, seed: give one of them"),
    ],
)
def test_bad_input(changes, options, message):
    table = {name: column for name, column in {**RECORDS, **changes}.items() if column is not None}
    with pytest.raises(InputError, match=message):
        small_policy().decide(table, **{"key": "id", **options})


def test_a_key_decides_alike_each_time_it_comes():
    table = {"sex": ["M"] * 40, "p": [0.9] * 40, "id": [7, 8] * 20}
    assert len(set(small_policy().decide(table, key="id")[::2])) == 1


@given(any_cells(), st.data())
def test_walking_finds_what_a_lookup_finds(cells, data):
    code = [st.integers(-1, len(level) - 1) for level in cells.levels]
    records = data.draw(st.lists(st.tuples(*code), max_size=20))
    table = {tuple(codes): i for i, codes in enumerate(cells.codes.tolist())}
    columns = [
        (np.array([record[i] for record in records], dtype=np.int64), np.append(np.arange(len(level)), -1))
        for i, level in enumerate(cells.levels)
    ]
    assert walk(cells, columns, len(records)).tolist() == [table.get(record, -1) for record in records]
