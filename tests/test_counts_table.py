"""Counts from a table of counts: one row per cell, label and prediction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from core_strategies import counts, records
from crossfair.counts import Counts
from crossfair.errors import InputError

TABLE: dict[str, list[Any]] = {
    "sex": ["F", "F", "M", None],
    "y": [0, 1, 0, 1],
    "p": [0, 1, 1, 1],
    "n": [3, 0, 2, 1],
    "w": [3.0, 0.0, 4.0, 0.5],
    "w2": [3.0, 0.0, 10.0, 0.25],
}


@given(counts())
def test_a_table_of_counts_gives_the_counts_back(made: Counts) -> None:
    cells = list(made.cells.values)
    rows = [(i, y, p) for i in range(len(cells)) for y in (0, 1) for p in (0, 1)]
    table = {
        **{name: [cells[i][k] for i, _, _ in rows] for k, name in enumerate(made.by)},
        "y": [y for _, y, _ in rows],
        "p": [p for _, _, p in rows],
        "n": [made.n[row] for row in rows],
    }
    assert Counts.from_table(table, by=made.by, label="y", prediction="p") == made


@given(records())
def test_rows_of_equal_key_add_up(table: dict[str, list[Any]]) -> None:
    size = len(table["label"])
    table = {**table, "n": [2] * size}
    once = Counts.from_table(table, by=["a0", "a1"], label="label", prediction="prediction")
    twice = {name: column * 2 for name, column in table.items()} | {"n": [1] * (2 * size)}
    assert Counts.from_table(twice, by=["a0", "a1"], label="label", prediction="prediction") == once


def test_empty_cells_count_and_missing_values_are_a_level() -> None:
    table = {"sex": ["F", "M", None], "y": [1, 1, 0], "n": [0, 5, 2]}
    made = Counts.from_table(table, by="sex", label="y")
    assert made.cells.values == (("F",), ("M",), (None,))
    assert made.support.tolist() == [0, 5, 2]


def test_sums_of_weights_travel_with_the_counts() -> None:
    made = Counts.from_table(TABLE, by=["sex"], label="y", prediction="p", weight="w", weight_squared="w2")
    assert made.mass.sum() == 7.5
    assert made.support.tolist() == [3, 2, 1]
    _, mass, squares = made.one_against_rest(1)
    assert mass[1].tolist() == [[0.0, 4.0], [0.0, 0.0]]
    assert squares is not None
    assert squares[1].tolist() == [[0.0, 10.0], [0.0, 0.0]]


def test_expected_counts_are_fractions() -> None:
    made = Counts.from_table({"sex": ["F", "M"], "y": [0, 1], "n": [0.5, 1]}, by="sex", label="y")
    assert made.n.dtype == np.float64
    assert made.records == 1.5


def test_binned_attributes_hold_the_names_of_ranges() -> None:
    table = {"age": ["> 50", "≤ 50"], "y": [0, 1], "n": [1, 2]}
    made = Counts.from_table(table, by="age", label="y", bins={"age": [50]})
    assert made.cells.values == (("≤ 50",), ("> 50",))


def test_frames_are_tables_too() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"sex": ["F", "M"], "y": [0, 1], "n": [1, 2]})
    assert Counts.from_table(frame, by="sex", label="y").records == 3


@pytest.mark.parametrize(
    ("change", "roles", "message"),
    [
        (
            {},
            {"label": "yy"},
            r"table: has no column 'yy'; got the columns sex, y, p, n, w, w2\. Did you mean 'y'\?",
        ),
        ({}, {"by": ["sex", "sex"]}, "by: each column plays one part; got 'sex' named twice"),
        ({}, {"by": ["y"]}, "by: each column plays one part; got 'y' named twice"),
        ({}, {"by": []}, "by: must name at least one attribute; got none"),
        ({}, {"label": None}, "label, prediction: at least one must be named; got neither"),
        ({"n": [1, 2, 3]}, {}, "table: all columns must have the same length"),
        ({"n": [0, 0, 0, 0]}, {}, "table: must hold at least one record; got 4 rows without any"),
        ({name: [] for name in TABLE}, {}, "table: must hold at least one record; got 0 rows"),
        ({"n": [1, -2, 3, 4]}, {}, r"n: must hold numbers from 0 to 2⁵³; got -2 among 4 rows"),
        ({"n": [1, math.nan, 3, 4]}, {}, r"n: must hold numbers from 0 to 2⁵³; got nan"),
        ({"n": [1, math.inf, 3, 4]}, {}, r"n: must hold numbers from 0 to 2⁵³; got inf"),
        ({"n": [1, 1e17, 3, 4]}, {}, r"n: must hold numbers from 0 to 2⁵³; got 1e\+17"),
        ({"n": [1, "many", 3, 4]}, {}, "n: must hold numbers from 0 to 2⁵³; got 'many' among 4 rows"),
        ({"n": [1, None, 3, 4]}, {}, "n: must hold numbers from 0 to 2⁵³; got None"),
        ({"y": [0, 1, None, 1]}, {}, "y: labels and predictions in a table of counts must not be missing"),
        (
            {"sex": [0.5, 1, 2, 3]},
            {},
            "sex: values must be text, integers, booleans, dates or missing; got 0.5",
        ),
        (
            {"y": ["a", "b", "a", "b"]},
            {"positive": "c"},
            "positive: must be one of the values of the label, 'a', 'b'",
        ),
        (
            {},
            {"weight": "w"},
            "weight, weight_squared: the sums of weights and of their squares are needed together",
        ),
        ({"w": [1, -1, 1, 1]}, {"weight": "w", "weight_squared": "w2"}, "w: must hold numbers from 0"),
        (
            {"w2": [2.0, 0.0, 10.0, 0.25]},
            {"weight": "w", "weight_squared": "w2"},
            r"weight, weight_squared: .* \(Σw\)² ≤ n · Σw²; got Σw = 3 and Σw² = 2 with n = 3 in row 0",
        ),
        ({"w": [3.0, 1.0, 4.0, 0.5]}, {"weight": "w", "weight_squared": "w2"}, "with n = 0 in row 1"),
        (
            {"w": [3e-7, 0, 2e-7, 1e-7], "w2": [3e-14, 0, 2e-14, 1e-14]},
            {"weight": "w", "weight_squared": "w2"},
            "weight: weights are too small to be added up exactly",
        ),
        ({}, {"bins": {"y": [1]}}, "bins: must be one of 'sex'; got y"),
    ],
)
def test_bad_tables_are_refused(change: dict[str, Any], roles: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Counts.from_table({**TABLE, **change}, **{"by": "sex", "label": "y", **roles})
