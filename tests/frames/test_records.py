"""Records column by column: every library, typed and text, gives the same codes and numbers."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest

from components import require
from crossfair.errors import InputError
from crossfair.frames.records import read

COLUMNS = {
    "text": ["b", "a", None, "b"],
    "whole": [3, 1, None, 3],
    "flag": [True, False, None, True],
    "day": [datetime.date(2020, 1, 2), None, datetime.date(1999, 1, 1), datetime.date(2020, 1, 2)],
    "real": [0.5, float("nan"), None, -2.0],
}
NUMBERS = {"real": [0.5, math.nan, math.nan, -2.0], "whole": [3.0, 1.0, math.nan, 3.0]}


def tables():
    pandas, polars, pyarrow = require("pandas"), require("polars"), require("pyarrow")
    frame = polars.DataFrame(COLUMNS, strict=False)
    return {
        "dict": COLUMNS,
        "polars": frame,
        "lazy": frame.lazy(),
        "arrow": pyarrow.table({**COLUMNS, "real": pyarrow.array(COLUMNS["real"])}),
        "pandas": pandas.DataFrame(COLUMNS),
        "pandas nullable": pandas.DataFrame(COLUMNS).convert_dtypes(),
        "pandas on arrow": pandas.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
        "pandas categories": pandas.DataFrame(COLUMNS).astype({"text": "category"}),
    }


def values_of(column):
    plain = [column.levels[code] for code in column.codes]
    return [None if item is None or item != item or str(item) in ("NaT", "<NA>") else item for item in plain]


@pytest.mark.parametrize("library", list(tables()))
@pytest.mark.parametrize("name", ["text", "whole", "flag"])
def test_codes(library, name):
    found = read(tables()[library], codes={name: []}, numbers={})
    assert values_of(found.coded[name]) == COLUMNS[name]
    assert found.size == 4


@pytest.mark.parametrize("library", list(tables()))
@pytest.mark.parametrize("name", list(NUMBERS))
def test_numbers(library, name):
    found = read(tables()[library], codes={}, numbers={name: "score"})
    assert np.array_equal(found.numbers[name], NUMBERS[name], equal_nan=True)
    assert found.numbers[name].dtype == np.float64


@pytest.mark.parametrize("library", list(tables()))
def test_raw_values_are_picked_by_row_and_missing_ones_counted(library):
    found = read(tables()[library], codes={}, numbers={}, raw=["text", "real"])
    assert found.raw["text"].at(np.array([3, 1])) == ["b", "a"]
    assert (found.raw["text"].missing, found.raw["real"].missing) == (1, 2)


def test_text_is_parsed_strictly(tmp_path):
    polars = require("polars")
    path = tmp_path / "people.csv"
    path.write_text("p,s\n0.5,x\n,y\n1e-3,x\n")
    require("duckdb")
    found = read(str(path), codes={"s": []}, numbers={"p": "score"})
    assert np.array_equal(found.numbers["p"], [0.5, math.nan, 0.001], equal_nan=True)
    assert values_of(found.coded["s"]) == ["x", "y", "x"]
    with pytest.raises(InputError, match="score: 'p' must hold numbers; got 'high', one of 2 such records"):
        read(polars.DataFrame({"p": ["high", "0.5", "high"]}), codes={}, numbers={"p": "score"})


def test_columns_of_different_length_are_refused():
    with pytest.raises(InputError, match=r"the same length; got \{'a': 2, 'b': 1\}"):
        read({"a": [1, 2], "b": [1]}, codes={"a": [], "b": []}, numbers={})


def test_empty_tables():
    polars = require("polars")
    for table in ({"s": [], "p": []}, polars.DataFrame({"s": [], "p": []}, schema={"s": str, "p": float})):
        found = read(table, codes={"s": []}, numbers={"p": "score"}, raw=["s"])
        assert (found.size, len(found.coded["s"].codes), len(found.numbers["p"])) == (0, 0, 0)
