"""Every surprise that real engines had for us, one by one, on every engine it concerns."""

from __future__ import annotations

import datetime
import enum
import math
import re

import numpy as np
import pytest

import engines
from components import require
from crossfair.errors import InputError, SimilarCellsWarning
from crossfair.frames import read_counts, read_curves
from crossfair.reading import Reading

F, M = "F", "M"
BAD = [None, math.nan, math.inf, -math.inf]


def table(**columns):
    return {name: list(column) for name, column in columns.items()}


def test_none_and_nan_are_one_missing_value(reader):
    people = table(a=[1.0, None, math.nan, 1.0], y=[0, 1, 0, 1])
    if reader.engine.name in ("csv", "tsv", "csv.gz", "csv.zst"):
        people["a"][2] = None  # text has no NaN
    counts = reader.counts(people, by="a", label="y")
    assert [(cell[0] if reader.typed else cell[0] and float(cell[0]), n) for cell, n in zip(
        counts.cells.values, counts.support)] == [(1, 2), (None, 2)]  # fmt: skip


def test_minus_zero_is_zero(typed):
    counts = typed.counts(table(a=[0.0, -0.0, 1.0], y=[0, 1, 1]), by="a", label="y")
    assert (counts.cells.values, counts.support.tolist()) == (((0,), (1,)), [2, 1])


def test_nan_of_any_bits_is_one_missing_value(tmp_path):
    payload = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64).view(np.float64)
    arrow, duckdb, polars = require("pyarrow"), require("duckdb"), require("polars")
    people = arrow.table({"a": np.concatenate([payload, [1.0, -0.0, 0.0]]), "y": [0, 1, 1, 0, 1]})
    paths = [str(tmp_path / name) for name in ("nan.parquet", "nan.arrow")]
    require("pyarrow.parquet").write_table(people, paths[0])
    require("pyarrow.feather").write_feather(people, paths[1])
    arrays = {name: people[name].to_numpy() for name in ("a", "y")}
    frames = [people.to_pandas(), polars.from_arrow(people), polars.from_arrow(people).lazy()]
    for data in (people, *paths, arrays, *frames, duckdb.connect().read_parquet(paths[0])):
        counts = read_counts(data, Reading(by="a", label="y"))
        assert (counts.cells.values, counts.support.tolist()) == (((0,), (1,), (None,)), [2, 1, 2])


def test_integers_with_a_missing_one_stay_integers(typed):
    counts = typed.counts(table(a=[1, None, 0], y=[1, 1, 0]), by="a", label="y")
    assert counts.cells.values == ((0,), (1,), (None,))
    assert all(type(value) is int for value in counts.cells.levels[0][:2])


def test_booleans_with_a_missing_one_stay_booleans(typed):
    counts = typed.counts(table(a=[True, None, False], y=[1, 1, 0]), by="a", label="y")
    if typed.engine.name == "dask":  # turns objects into text before anyone sees them
        assert counts.cells.values == (("False",), ("True",), (None,))
    else:
        assert [cell[0] for cell in counts.cells.values] == [False, True, None]
        assert type(counts.cells.values[0][0]) is bool


@pytest.mark.parametrize("mixed", [[1, True], [1.0, True], [np.True_, 2]])
def test_booleans_beside_numbers_are_refused_and_never_merged(mixed):
    people = {"a": [*mixed, None], "y": [0, 1, 1]}
    frames = [people, {"a": np.array(people["a"], dtype=object), "y": people["y"]}]
    frames.append(require("pandas").DataFrame(people, dtype=object))
    for data in frames:
        with pytest.raises(InputError, match="booleans and"):
            read_counts(data, Reading(by="a", label="y"))


def test_mixed_json_values_are_refused_and_never_merged(tmp_path):
    path = engines._json_lines({"a": [1, True, 1.0], "y": [0, 1, 1]}, tmp_path)
    with pytest.raises(InputError, match="booleans and integers in one column read alike"):
        read_counts(path, Reading(by="a", label="y"))


def test_text_beside_the_integer_it_spells_is_refused():
    people = {"a": [1, "1", "01"], "y": [0, 1, 1]}
    for data in (people, require("pandas").DataFrame(people, dtype=object)):
        with pytest.raises(InputError, match="two values of different type read alike"):
            read_counts(data, Reading(by="a", label="y"))


@pytest.mark.parametrize("missing", ["level", "drop"])
def test_a_missing_label_is_no_negative_and_is_counted(reader, missing):
    people = table(a=[F, F, M, M], y=["yes", None, "no", None])
    counts = reader.counts(people, by="a", label="y", positive="yes", missing=missing)
    assert counts.n[:, :, 0].tolist() == [[0, 1], [1, 0]]
    assert dict(counts.dropped) == {"label missing": 2}


def test_a_missing_prediction_is_no_negative_and_is_counted(reader):
    people = table(a=[F, F, M], y=[1, 0, 1], p=[1, None, 0])
    counts = reader.counts(people, by="a", label="y", prediction="p")
    assert counts.records == 2
    assert dict(counts.dropped) == {"prediction missing": 1}


def test_missing_attributes_are_a_level_or_dropped_or_refused(reader):
    people = table(a=[F, None, None, M], b=[1, 1, None, 2], y=[1, 0, 1, None])
    assert reader.counts(people, by=["a", "b"], label="y").support.tolist() == [1, 1, 1]
    counts = reader.counts(people, by=["a", "b"], label="y", missing="drop")
    assert dict(counts.dropped) == {"attribute 'a' missing": 2, "label missing": 1}
    with pytest.raises(
        InputError, match="2 records with attribute 'a' missing, 1 records with label missing"
    ):
        reader.counts(people, by=["a", "b"], label="y", missing="error")


def test_a_number_that_is_missing_falls_into_no_range(reader):
    people = table(a=[30.0, 30.5, None, 90.0], y=[1, 1, 0, 1])
    counts = reader.counts(people, by="a", label="y", bins={"a": [30, 60]})
    assert counts.cells.values == (("≤ 30",), ("(30, 60]",), ("> 60",), (None,))
    assert counts.support.tolist() == [1, 1, 1, 1]


def test_numbers_that_are_not_finite_fall_into_no_range(reader):
    people = table(a=[10.0, *BAD, 90.0], y=[1, 1, 0, 1, 0, 1])
    counts = reader.counts(people, by="a", label="y", bins={"a": [30]})
    assert counts.cells.values == (("≤ 30",), ("> 30",), (None,))
    assert counts.support.tolist() == [1, 1, 4]


def test_a_bad_score_is_an_error_unless_dropped_and_counted(reader):
    people = table(a=[F, *[M] * 4, F], y=[1, 0, 0, 1, 1, 0], s=[0.5, *BAD, 0.49])
    read = {"by": "a", "label": "y", "score": "s"}
    with pytest.raises(
        InputError, match=r"score: 's' must be a finite number .*; got 4 records.*missing='drop'"
    ):
        reader.counts(people, **read)
    with pytest.raises(InputError, match="score: 's' must be a finite number"):
        reader.curves(people, **read)
    counts, curves = (read_as(people, missing="drop", **read) for read_as in (reader.counts, reader.curves))
    assert counts.n[0].tolist() == [[1, 0], [0, 1]]
    assert counts.cells == curves.cells
    assert dict(counts.dropped) == dict(curves.dropped) == {"score missing or not finite": 4}
    assert curves.scores.tolist() == [0.5, 0.49]


def test_a_bad_weight_is_an_error(reader):
    people = table(a=[F, M] * 4, y=[1, 0] * 4, s=[0.5] * 8, w=[1.0, *BAD, -0.5, 2.0**31 + 1, 0.0])
    match = "weight: 'w' must hold finite numbers from 0 to 2,147,483,648; got 6 records"
    with pytest.raises(InputError, match=match):
        reader.counts(people, by="a", label="y", weight="w")
    with pytest.raises(InputError, match=match):
        reader.curves(people, by="a", label="y", score="s", weight="w")


def test_weights_that_are_all_0_are_an_error(reader):
    people = table(a=[F, M], y=[1, 0], s=[0.5, 0.2], w=[0.0, 0.0])
    for read in (reader.counts, reader.curves):
        with pytest.raises(InputError, match="weight: 'w' must be above 0 in some record; got 0 in all"):
            read(people, by="a", label="y", score="s", weight="w")


def test_weights_that_would_overflow_are_an_error(reader):
    people = table(a=[F, F] * 4, y=[1, 0] * 4, s=[0.5] * 8, w=[2.0**31] * 8)
    for read in (reader.counts, reader.curves):
        with pytest.raises(InputError, match="weights are too large for their sum of squares"):
            read(people, by="a", label="y", score="s", weight="w")


@pytest.mark.parametrize("size", ["int8", "uint8", "int32", "uint32"])
def test_sums_of_small_integers_do_not_wrap(size):
    polars = require("polars")
    people = polars.DataFrame({"a": [F] * 400, "y": [1] * 400, "w": np.full(400, 120, dtype=size)})
    counts = read_counts(people, Reading(by="a", label="y", weight="w"))
    assert counts.mass.sum() == 400 * 120


def test_float32_weights_are_widened_first():
    weights = np.array([0.1, 16777217.0, 0.3], dtype=np.float32)
    people = {"a": [F, F, F], "y": [1, 1, 1], "w": weights}
    exact = read_counts({**people, "w": weights.astype(np.float64)}, Reading(by="a", label="y", weight="w"))
    for data in (people, require("polars").DataFrame(people), require("pandas").DataFrame(people)):
        assert read_counts(data, Reading(by="a", label="y", weight="w")) == exact


def test_names_that_differ_only_by_case(reader):
    people = table(Sex=[F, M], sex=["a", "b"], y=[0, 1])
    # DuckDB has no such tables and relations: it calls the second column sex_1.
    second = "sex_1" if reader.engine.name in ("database", "duckdb") else "sex"
    assert reader.counts(people, by="Sex", label="y").cells.values == ((F,), (M,))
    assert reader.counts(people, by=second, label="y").cells.values == (("a",), ("b",))


NAMES = [
    "a.b", "a b", "`a`", '"a"', "it's", "a/b~c", "^a.*$", "*", "n", "k0", "label", "score", "prediction",
    "weight", "whole", "largest", "bad_k0", "bad_score", "literal", "é", "{a}", "%s", "count(*)", "a,b",
    "null",
]  # fmt: skip


def test_any_name_is_safe(reader):
    people = {name: [F, M, F] for name in NAMES}
    people |= {"outcome of it": [0, 1, 1], "p;q": [0.1, 0.2, 0.7], "w": [1.0, 2.0, 0.5]}
    read = {"by": NAMES, "label": "outcome of it", "score": "p;q", "weight": "w"}
    counts = reader.counts(people, **read)
    assert counts.by == tuple(NAMES)
    assert counts.mass.sum(axis=(1, 2)).tolist() == [1.5, 2.0]
    assert reader.curves(people, **read).scores.tolist() == [0.7, 0.1, 0.2]


def test_a_name_that_is_there_twice_is_an_error_only_if_needed(tmp_path):
    arrow = require("pyarrow")
    double = arrow.table([arrow.array([F, M])] * 2 + [arrow.array([0, 1])], names=["a", "a", "y"])
    pandas = require("pandas").DataFrame([[F, F, 0], [M, M, 1]], columns=["a", "a", "y"])
    path, parquet = tmp_path / "double.csv", tmp_path / "double.parquet"
    path.write_text("a,a,y\nF,F,0\nM,M,1\n")
    require("pyarrow.parquet").write_table(double, parquet)
    for data in (double, pandas, path, parquet):
        with pytest.raises(InputError, match="a needed column must be there once; got 2 columns 'a'"):
            read_counts(data, Reading(by="a", label="y"))
    fine = pandas.set_axis(["b", "b", "y"], axis=1).assign(a=[F, M])
    assert read_counts(fine, Reading(by="a", label="y")).records == 2


def test_the_index_is_no_column():
    people = require("pandas").DataFrame({"y": [0, 1]}, index=["F", "M"]).rename_axis("sex")
    with pytest.raises(InputError, match=r"has no column 'sex'.*call reset_index\(\) first"):
        read_counts(people, Reading(by="sex", label="y"))
    both = people.assign(sex=["a", "b"])
    assert read_counts(both, Reading(by="sex", label="y")).cells.values == (("a",), ("b",))


def test_an_index_that_repeats_changes_nothing():
    people = require("pandas").DataFrame(
        {"a": [F, M, F], "y": [0, 1, 1], "s": [0.1, 0.2, 0.3]}, index=[0, 0, 0]
    )
    read = Reading(by="a", label="y", score="s")
    assert read_counts(people, read) == read_counts(people.reset_index(drop=True), read)
    assert read_curves(people, read) == read_curves(people.reset_index(drop=True), read)


def test_categories_never_used_make_no_cells():
    pandas, polars, arrow = require("pandas"), require("polars"), require("pyarrow")
    kinds = pandas.CategoricalDtype(["M", "F", "X"])
    people = pandas.DataFrame({"a": pandas.Categorical([F, M, None], dtype=kinds), "y": [0, 1, 1]})
    enumerated = polars.DataFrame({"a": [F, M, None], "y": [0, 1, 1]}).with_columns(
        polars.col("a").cast(polars.Enum(["M", "F", "X"]))
    )
    dictionary = arrow.DictionaryArray.from_arrays(arrow.array([1, 0, None]), [M, F, "X"])
    for data in (people, enumerated, enumerated.lazy(), arrow.table({"a": dictionary, "y": [0, 1, 1]})):
        counts = read_counts(data, Reading(by="a", label="y"))
        assert counts.cells.values == ((F,), (M,), (None,))


def test_categories_of_numbers_can_be_cut():
    people = require("pandas").DataFrame({"a": [20, 40, None], "y": [0, 1, 1]}).astype({"a": "category"})
    counts = read_counts(people, Reading(by="a", label="y", bins={"a": [30]}))
    assert counts.cells.values == (("≤ 30",), ("> 30",), (None,))


def test_dates_are_dates(typed):
    day = datetime.date(2020, 1, 2)
    counts = typed.counts(table(a=[day, None, day], y=[0, 1, 1]), by="a", label="y")
    untyped = typed.engine.name in ("json lines", "dask")  # Dask turns objects into text
    expected = day.isoformat() if untyped else day
    assert counts.cells.values == ((expected,), (None,))


def test_midnights_are_dates_and_moments_are_refused():
    midnight, moment = datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 3)
    for build in (dict, require("pandas").DataFrame, require("polars").DataFrame, require("pyarrow").table):
        counts = read_counts(build({"a": [midnight, None], "y": [0, 1]}), Reading(by="a", label="y"))
        assert counts.cells.values == ((midnight.date(),), (None,))
        with pytest.raises(InputError, match="a moment in time is no attribute value"):
            read_counts(build({"a": [moment, None], "y": [0, 1]}), Reading(by="a", label="y"))


def test_numpy_dates_are_dates():
    days = np.array(["2020-01-02", "NaT"], dtype="datetime64[ns]")
    counts = read_counts({"a": days, "y": [0, 1]}, Reading(by="a", label="y"))
    assert counts.cells.values == ((datetime.date(2020, 1, 2),), (None,))


def test_a_text_enumeration_is_its_text():
    class Sex(enum.StrEnum):
        FEMALE = "F"

    counts = read_counts({"a": [Sex.FEMALE, "M"], "y": [0, 1]}, Reading(by="a", label="y"))
    assert counts.cells.values == (("F",), ("M",))
    assert type(counts.cells.values[0][0]) is str


def test_texts_that_look_alike_are_kept_apart_with_a_warning(reader):
    people = table(a=["é", "e\u0301", "b", "B", "c", "c "], y=[0, 1] * 3)
    with pytest.warns(SimilarCellsWarning) as caught:
        counts = reader.counts(people, by="a", label="y")
    assert len(counts.cells) == 6
    assert len(caught) == 3


def test_spellings_of_nothing_are_text(reader):
    texts = ["", "NA", "N/A", "None", "null", "NaN", "-", "\\N", "#N/A", "NaT"]
    counts = reader.counts(table(a=texts, y=[0, 1] * 5), by="a", label="y")
    assert [cell[0] for cell in counts.cells.values] == sorted(texts)


def test_numbers_as_text_are_parsed_strictly(reader):
    numbers = ["1", "-2.5", ".5", "5.", "1e-3", "2E+2", " 7 ", None, "", "nan", "NaN", "Inf", "-infinity"]
    people = table(a=[F] * 13, b=numbers, s=numbers, y=[0] * 12 + [1])
    if reader.engine.name == "json lines":  # has numbers of its own, so text is no number there
        with pytest.raises(InputError, match="must hold numbers; got '\"1\"'"):
            reader.curves(people, by="a", label="y", missing="drop", score="s")
        return
    counts = reader.counts(people, by=["a", "b"], bins={"b": [0, 1]}, label="y", missing="drop", score="s")
    assert counts.n[:, 0].tolist() == [[1, 0], [1, 2], [0, 3]]
    assert dict(counts.dropped) == {"attribute 'b' missing": 6}
    curves = reader.curves(people, by="a", label="y", missing="drop", score="s")
    assert curves.scores.tolist() == [200.0, 7.0, 5.0, 1.0, 0.5, 0.001, -2.5]


@pytest.mark.parametrize("text", ["x", "1,5", "1_000", "0x1F", "+5", "NA", "1 2", "½", "٣", "1d"])
def test_text_that_spells_no_number_is_refused_with_an_example(text):
    people = table(a=["1", text, None, text], y=[0, 1, 1, 0], g=[F, M, F, M])
    match = rf"'a' must hold numbers; got '{re.escape(text)}', one of 2 such records"
    for build in (dict, require("pandas").DataFrame, require("polars").DataFrame, require("pyarrow").table):
        for part in ({"by": "a", "bins": {"a": [1]}}, {"by": "g", "score": "a"}, {"by": "g", "weight": "a"}):
            with pytest.raises(InputError, match=match):
                read_counts(build(people), Reading(label="y", **part))
        with pytest.raises(InputError, match=match):
            read_curves(build(people), Reading(by="g", label="y", score="a"))


def test_text_in_a_file_that_spells_no_number_is_refused_with_an_example(tmp_path):
    path = engines.write_csv(tmp_path / "t.csv", table(a=["1", "1_000", "0x1F"], y=[0, 1, 1]))
    with pytest.raises(InputError, match=r"bins: 'a' must hold numbers; got '(1_000|0x1F)', one of 2"):
        read_counts(path, Reading(by="a", label="y", bins={"a": [1]}))


def test_leading_zeros_stay(reader):
    counts = reader.counts(table(a=["01", "1", "001"], y=[0, 1, 1]), by="a", label="y")
    assert {cell[0] for cell in counts.cells.values} == {"01", "1", "001"}


def test_a_late_odd_value_is_kept(tmp_path):
    """After 300,000 integers comes a text: guessing readers split, cast or stop there."""
    path = tmp_path / "late.csv"
    path.write_text("a,y\n" + "1,0\n" * 300_000 + "x,1\n1.0,1\n,1\n")
    counts = read_counts(path, Reading(by="a", label="y"))
    assert counts.cells.values == (("1",), ("1.0",), ("x",), (None,))
    assert counts.support.tolist() == [300_000, 1, 1, 1]


def test_a_late_odd_json_value_is_kept(tmp_path):
    path = tmp_path / "late.jsonl"
    path.write_text('{"a":1,"y":0}\n' * 300_000 + '{"a":"x","y":1,"new":3}\n{"y":1}\n')
    counts = read_counts(path, Reading(by="a", label="y"))
    assert counts.cells.values == ((1,), ("x",), (None,))
    assert read_counts(path, Reading(by="new", label="y")).support.tolist() == [1, 300_001]


def test_integers_beyond_the_exact_floats_are_numbers_too(typed):
    """Arrow refuses to round them, alone and inside pandas."""
    people = table(a=[2**60 + 1, 1, -(2**60) - 1, None], y=[0, 1, 1, 0])
    counts = typed.counts(people, by="a", label="y", bins={"a": [5.0]})
    assert [(cell[0], n) for cell, n in zip(counts.cells.values, counts.support)] == [
        ("≤ 5", 2), ("> 5", 1), (None, 1)]  # fmt: skip


@pytest.mark.parametrize("build", ["pandas", "polars object", "dict", "json lines"])
def test_lists_are_no_values(tmp_path, build):
    columns = {"a": [["F"], ["M"], None], "y": [0, 1, 1]}
    if build == "json lines":
        data = tmp_path / "p.jsonl"
        data.write_text('{"a": ["F"], "y": 0}\n{"a": {"F": 1}, "y": 1}\n')
    elif build == "pandas":
        data = require("pandas").DataFrame(columns)
    elif build == "polars object":
        polars = require("polars")
        data = polars.DataFrame({"a": polars.Series(columns["a"], dtype=polars.Object), "y": columns["y"]})
    else:
        data = columns
    rule = "a: values must be text, integers, booleans, dates or missing; got one of type (list|dict)"
    with pytest.raises(InputError, match=rule):
        read_counts(data, Reading(by="a", label="y"))


@pytest.mark.parametrize("build", ["pandas", "dict"])
def test_half_a_character_is_no_text(build):
    """Neither Arrow nor a file can hold it."""
    columns = {"a": ["\ud800", "M"], "y": [0, 1]}
    data = require("pandas").DataFrame(columns, dtype=object) if build == "pandas" else columns
    with pytest.raises(InputError, match=r"text must be Unicode, without lone surrogates; got '\\ud800'"):
        read_counts(data, Reading(by="a", label="y"))
    with pytest.raises(InputError, match=r"by: text must be Unicode"):
        read_counts({"\udfff": [1, 2], "y": [0, 1]}, Reading(by="\udfff", label="y"))


def test_what_polars_or_arrow_refuse_is_an_error_that_says_so(tmp_path):
    polars, arrow = require("polars"), require("pyarrow")
    path = tmp_path / "p.csv"
    path.write_text("a,y\n" + "1,0\n" * 300 + "F,1\n")
    late = polars.scan_csv(path, infer_schema_length=100)
    with pytest.raises(InputError, match=r"data: polars cannot read them; got could not parse `F`"):
        read_counts(late, Reading(by="a", label="y"))
    path.unlink()
    keys = arrow.ExtensionArray.from_storage(
        arrow.uuid(), arrow.array([b"0" * 16, b"1" * 16], arrow.binary(16))
    )
    with pytest.raises(InputError, match=r"data: PyArrow cannot read them; got Keys of type extension"):
        read_counts(arrow.table({"a": keys, "y": [0, 1]}), Reading(by="a", label="y"))


def test_columns_that_are_not_named_by_text(tmp_path):
    frame = require("pandas").DataFrame([["F", 0], ["M", 1]])
    with pytest.raises(InputError, match=r"has no column '0'; .* A column must be named by text: rename it"):
        read_counts(frame, Reading(by="0", label="1"))
