"""Who changes: decisions moved in each cell, against counting them one by one."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engines
from components import require
from crossfair import api, repair
from crossfair.cells import Cells
from crossfair.changes import Changes
from crossfair.errors import InputError
from crossfair.policy import Policy
from crossfair.steps import Steps
from policies import small_policy

SIZE = 400


def people(seed: int = 0) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(SIZE), 2)
    return {
        "sex": rng.choice(["F", "M"], SIZE).tolist(),
        "age": [None if age > 88 else int(age) for age in rng.integers(18, 90, SIZE)],
        "old": rng.choice([True, False], SIZE).tolist(),
        "y": (rng.random(SIZE) < score).astype(int).tolist(),
        "p": score.tolist(),
        "id": list(range(SIZE)),
    }


def fitted(**options) -> Policy:
    read = {"by": ["sex", "age", "old"], "bins": {"age": [30, 60]}, "label": "y", "score": "p"}
    return repair.mitigate(people(), **read, limits={"statistical_parity": 0.05}, min_support=1, **options)


def one_by_one(policy: Policy, data, *, coins: bool) -> dict[tuple, list[float]]:
    """Per cell, as the table names it: records, given, repaired, up, down."""
    found: dict[tuple, list[float]] = {}
    for row in zip(*data.values()):
        record = dict(zip(data, row))
        told = policy.explain_one(record, score=record["p"], key=record["id"])
        after = told.decision if coins else told.acceptance
        before = int(record["p"] >= policy.source.threshold)
        age = record["age"]
        span = None if age is None else "≤ 30" if age <= 30 else "(30, 60]" if age <= 60 else "> 60"
        sums = found.setdefault((record["sex"], span, record["old"]), [0] * 5)
        moved = (1 - before) * after, before * (1 - after)
        for i, part in enumerate((1, before, after, *moved)):
            sums[i] += part
    return found


def table_of(found: Changes) -> dict[tuple, list[float]]:
    figures = zip(found.records, found.given, found.repaired, found.up, found.down)
    return {cell: list(row) for cell, row in zip(found.cells.values, figures)}


@pytest.mark.parametrize("key", [None, "id"])
@pytest.mark.parametrize("decide_by", [None, ["sex"], []])
def test_counted_and_expected_changes_are_those_of_single_decisions(key, decide_by):
    policy, data = fitted(decide_by=decide_by), people(1)
    assert policy.needs_coins
    expected = one_by_one(policy, data, coins=key is not None)
    found = table_of(policy.changes(data, key=key))
    assert found.keys() == expected.keys()
    for cell, row in expected.items():
        assert found[cell] == pytest.approx(row)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "csv", "parquet"])
def test_any_library_counts_alike_and_gets_its_own_table(library, tmp_path):
    policy, data = fitted(), people(1)
    build = next(engine for engine in engines.EVERY if engine.name == library)
    found = policy.changes(build(data, tmp_path), key="id")
    assert table_of(found) == table_of(policy.changes(data, key="id"))
    kind = type(found.table()).__module__.split(".")[0]
    assert kind == {"csv": "builtins", "parquet": "builtins"}.get(library, library)


def test_curves_say_what_is_expected_of_their_records():
    policy = fitted()
    curves = api.curves(people(), by=["sex", "age", "old"], bins={"age": [30, 60]}, label="y", score="p")
    for cell, row in table_of(policy.changes(people())).items():
        assert table_of(policy.changes(curves))[cell] == pytest.approx(row)
    with pytest.raises(InputError, match="key, columns: name columns of records, but the data are counted"):
        policy.changes(curves, key="id")


def test_cells_that_the_policy_has_not_seen_have_rows_of_their_own():
    policy = small_policy(unseen="given", fallback=Steps.of([([0.5], [0.0, 1.0])]))
    found = policy.changes(
        {"gender": ["F", "X", "Y", "X"], "p": [0.45, 0.6, 0.1, 0.6]}, columns={"sex": "gender"}
    )
    assert found.cells.values == (("F",), ("X",), ("Y",))
    assert (found.records.tolist(), found.up.tolist()) == ([1, 2, 1], [1, 0, 0])
    assert found.columns()["sex"] == ["F", "X", "Y"]


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), min_size=1))
def test_the_figures_add_up(rows):
    cell, before, after = (np.array(column) for column in zip(*rows))
    found = Changes.of(Cells.of(["a"], [(i,) for i in range(3)]), cell, before, after)
    counted = Counter(zip(cell.tolist(), before.tolist(), after.tolist()))
    for i in range(3):
        assert (found.up[i], found.down[i]) == (counted[i, False, True], counted[i, True, False])
        assert found.repaired[i] == counted[i, True, True] + counted[i, False, True]
    assert found.total("records") == len(rows)


def test_what_it_says():
    found = small_policy().changes({"sex": ["F", "M"], "p": [0.45, 0.7]})
    assert repr(found) == "<Changes: 1 decisions up and 0.5 down of 2, in 2 cells>"
    body = json.loads(found.to_json())
    assert body["format"] == "crossfair/changes/1"
    assert (body["up"], body["down"], body["repaired"]) == ([1, 0], [0.0, 0.5], [1.0, 0.5])


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({"p": [0.5]}, {}, "has no column 'sex'"),
        ({"sex": ["X"], "p": [0.5]}, {}, "the policy has not seen every cell"),
        (
            {"sex": ["M"], "p": [0.9], "id": [None]},
            {"key": "id"},
            "key: must be integers or text; got a missing",
        ),
        ({"sex": ["M"], "p": [0.9]}, {"columns": {"race": "r"}}, "columns: maps names of the policy, sex, p"),
    ],
)
def test_bad_input(data, options, message):
    with pytest.raises(InputError, match=message):
        small_policy().changes(data, **options)


def test_frames_in_parts_are_counted_by_sql():
    frame = require("dask.dataframe").from_dict({"sex": ["F"], "p": [0.5]}, npartitions=1)
    with pytest.raises(InputError, match=r"data: changes in a frame that lies in parts are counted by SQL"):
        small_policy().changes(frame)
