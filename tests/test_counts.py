"""Counts: a commutative monoid whose marginals, files and shards are exact."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core_strategies import counted, counts, counts_of, records, taken
from crossfair import values
from crossfair.counts import Counts
from crossfair.errors import FormatError, InputError

THREE = ("a", "b", "c")


def as_text(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The records as a CSV file has them: every attribute is text."""
    spelt = {
        name: [None if value is None else values.spell(value) for value in column]
        for name, column in table.items()
        if name.startswith("a")
    }
    return {**table, **spelt}


def split(data: st.DataObject, table: dict[str, list[Any]], parts: int) -> list[dict[str, list[Any]]]:
    """Records dealt out to so many batches, each with at least one."""
    size = len(table["label"])
    places = st.lists(st.integers(0, parts - 1), min_size=size, max_size=size)
    batch = data.draw(places)
    rows = [[row for row in range(size) if batch[row] == part] or [0] for part in range(parts)]
    return [taken(table, chosen) for chosen in rows]


def joined(parts: list[dict[str, list[Any]]]) -> dict[str, list[Any]]:
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


@given(records(outcomes=3), st.data(), st.booleans())
def test_counts_of_batches_add_up_to_the_counts_of_the_whole(
    table: dict[str, list[Any]], data: st.DataObject, weighted: bool
) -> None:
    parts = split(data, table, 3)
    # Labels and predictions without a common value are taken for columns of different coding, and refused.
    assume(all(len(set(p["label"])) == 1 or {*p["label"]} & {*p["prediction"]} for p in parts))
    a, b, c = (counted(part, weighted=weighted, outcomes=THREE, positive=None) for part in parts)
    whole = counted(joined(parts), weighted=weighted, outcomes=THREE, positive=None)
    assert (a + b) + c == whole
    assert a + (b + c) == whole
    assert c + (b + a) == whole


@given(records(), st.data())
def test_batches_of_two_outcomes_add_up_though_one_may_be_absent(
    table: dict[str, list[Any]], data: st.DataObject
) -> None:
    parts = split(data, table, 2)
    for known, positive in (
        ((0, 1), None),
        ((False, True), None),
        (("no", "yes"), "yes"),
        (("no", "yes"), "no"),
    ):
        a, b = (counted(part, outcomes=known, positive=positive) for part in parts)
        whole = counted(joined(parts), outcomes=known, positive=positive)
        assert a + b == b + a == whole


@given(records(), st.data(), st.booleans())
def test_text_from_a_file_adds_to_typed_values(
    table: dict[str, list[Any]], data: st.DataObject, weighted: bool
) -> None:
    typed, text = split(data, table, 2)
    # What only the file has keeps its text, so both batches hold the same cells here.
    everything = joined([typed, text])
    a, b = counted(everything, weighted=weighted), counted(as_text(text), weighted=weighted)
    whole = counted(joined([everything, text]), weighted=weighted)
    assert a + b == whole
    assert b + a == whole


def test_texts_that_are_one_typed_value_add_up() -> None:
    text = Counts.from_table({"a": ["TRUE", "True"], "y": [1, 1], "n": [3, 4]}, by="a", label="y")
    typed = Counts.from_table({"a": [True], "y": [1], "n": [5]}, by="a", label="y")
    for both in (text + typed, typed + text):
        assert both.cells.values == ((True,),)
        assert both.records == 12


def test_labels_as_text_add_to_typed_labels() -> None:
    text = Counts.from_table({"a": ["x", "x"], "y": ["0", "1"], "n": [3, 4]}, by="a", label="y")
    typed = Counts.from_table({"a": ["x"], "y": [1], "n": [5]}, by="a", label="y")
    for both in (text + typed, typed + text):
        assert both.outcomes.values == (0, 1)
        assert both.n.tolist() == [[[3], [9]]]


def test_whole_and_expected_counts_add_up() -> None:
    table = {"a": ["x"], "y": [1], "n": [1.5]}
    expected = Counts.from_table(table, by="a", label="y")
    whole = Counts.from_table({**table, "n": [2]}, by="a", label="y")
    assert (expected + whole).records == 3.5
    assert expected.fractional
    assert not whole.fractional
    assert (expected + whole).fractional


SEX = {"sex": ["F", "M"], "y": [1, 0], "p": [1, 0], "n": [1, 2], "w": [1.0, 2.0], "w2": [1.0, 2.0]}


def of_sex(**roles: Any) -> Counts:
    return Counts.from_table(SEX, by="sex", **{"label": "y", **roles})


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (of_sex(), of_sex(prediction="p"), "label, prediction: both counts must have the same columns"),
        (of_sex(), of_sex(weight="w", weight_squared="w2"), "weight: counts with weights and counts without"),
        (
            of_sex(positive=0),
            of_sex(positive=1),
            r"positive: both counts must have the same positive outcome",
        ),
        (
            of_sex(),
            Counts.from_table({"sex": ["F"], "y": [True], "n": [1]}, by="sex", label="y"),
            "label: booleans and integers in one column read alike",
        ),
        (
            of_sex(),
            Counts.from_table({"age": ["F"], "y": [1], "n": [1]}, by="age", label="y"),
            "by: tables must have the same attributes",
        ),
    ],
)
def test_counts_of_other_things_do_not_add_up(left: Counts, right: Counts, message: str) -> None:
    for one, other in ((left, right), (right, left)):
        with pytest.raises(InputError, match=message):
            one + other


def test_what_was_dropped_adds_up() -> None:
    one = dataclasses.replace(of_sex(), dropped={"label missing": 2})
    other = dataclasses.replace(of_sex(), dropped={"label missing": 1, "score missing": 5})
    assert (one + other).dropped == {"label missing": 3, "score missing": 5}


@given(records(attributes=3), st.booleans())
def test_marginals_are_the_counts_of_fewer_attributes(table: dict[str, list[Any]], weighted: bool) -> None:
    whole = counted(table, weighted=weighted)
    for by in (["a0"], ["a2", "a0"], ["a0", "a1", "a2"]):
        fewer = {name: column for name, column in table.items() if not name.startswith("a") or name in by}
        ordered = {name: fewer[name] for name in [*by, "label", "prediction", "weight"]}
        assert whole.marginal(by) == counted(ordered, weighted=weighted)
    assert whole.marginal(["a0", "a1"]).marginal("a1") == whole.marginal(["a1"])


def test_a_marginal_over_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="by: must name at least one attribute; got none"):
        of_sex().marginal([])


@given(records(outcomes=3), st.booleans(), st.booleans())
def test_saving_and_loading_is_an_identity(
    tmp_path_factory: Any, table: dict[str, list[Any]], weighted: bool, packed: bool
) -> None:
    made = counted(table, weighted=weighted, outcomes=THREE, positive=None)
    path = tmp_path_factory.mktemp("counts") / ("counts.json.gz" if packed else "counts.json")
    made.save(path)
    again = Counts.load(path)
    assert again == made
    assert again.n.dtype == made.n.dtype
    assert [list(map(type, cell)) for cell in again.cells.values] == [
        list(map(type, cell)) for cell in made.cells.values
    ]
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first


def test_files_keep_dates_fractions_empty_cells_and_what_was_dropped(tmp_path: Path) -> None:
    day = datetime.date(2020, 1, 2)
    table = {"day": [day, None], "y": [0, 1], "n": [0.0, 2.5]}
    made = dataclasses.replace(Counts.from_table(table, by="day", label="y"), dropped={"label missing": 3})
    made.save(tmp_path / "counts.json")
    again = Counts.load(tmp_path / "counts.json")
    assert again == made
    assert again.cells.values == ((day,), (None,))
    assert again.dropped == {"label missing": 3}


def saved(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "counts.json"
    of_sex(weight="w", weight_squared="w2", prediction="p").save(path)
    return path, json.loads(path.read_text("utf-8"))


def test_a_file_from_a_future_version_is_refused(tmp_path: Path) -> None:
    path, document = saved(tmp_path)
    path.write_text(json.dumps({**document, "format": "crossfair/counts/2"}), "utf-8")
    message = (
        r"counts\.json: is a counts file of a version not known here, .* got crossfair/counts/2\. Update"
    )
    with pytest.raises(FormatError, match=message):
        Counts.load(path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_file_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    path, _ = saved(tmp_path)
    text = path.read_bytes()
    path.write_bytes(text[: int(share * len(text))])
    with pytest.raises(FormatError, match=r"counts\.json: is not complete JSON, .* cut short"):
        Counts.load(path)


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_a_packed_file_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "counts.json.gz"
    of_sex().save(path)
    text = path.read_bytes()
    path.write_bytes(text[: int(share * len(text))])
    with pytest.raises(FormatError, match=r"counts\.json\.gz: is no counts file, or was cut short"):
        Counts.load(path)


def test_a_packed_file_with_flipped_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.json.gz"
    of_sex().save(path)
    data = bytearray(path.read_bytes())
    for place in range(10, len(data)):
        changed = data.copy()
        changed[place] ^= 0x5A
        path.write_bytes(bytes(changed))
        with pytest.raises(FormatError, match=r"counts\.json\.gz"):
            Counts.load(path)


def rows(**changed: Any) -> dict[str, Any]:
    return {
        "rows": {
            "place": [0, 7],
            "n": [2, 1],
            "weight": [[2, 1], [0, 0]],
            "weight_squared": [[2, 1], [0, 0]],
            **changed,
        }
    }


@pytest.mark.parametrize(
    "edit",
    [
        {"records": 4},
        rows(n=[2, 2]),
        rows(n=[4, -1]),
        rows(n=[1.5, 1.5]),
        rows(n=[2]),
        rows(n=[math.nan, 1]),
        rows(place=[-1, 0]),
        rows(place=[7, 0]),
        rows(place=[0, 0]),
        rows(place=[0, 99]),
        rows(place=[0]),
        rows(weight=[[-2, 1], [0, 0]]),
        rows(weight=[[2, 1], [2**32, 0]]),
        rows(weight=[[2, 9], [0, 0]]),
        rows(weight_squared=None),
        rows(unknown=[1, 2]),
        {"outcomes": [1, 0]},
        {"outcomes": [0, 0]},
        {"outcomes": [0]},
        {"positive": 7},
        {"positive": None, "unknown": 1},
        {"has_label": "yes"},
        {"fractional": None},
        {"dropped": [1]},
        {"dropped": {"label missing": 0.5}},
        {"cells": {}},
        {"records": math.inf},
    ],
)
def test_an_edited_file_is_refused(tmp_path: Path, edit: dict[str, Any]) -> None:
    path, document = saved(tmp_path)
    assert document["rows"]["place"] == [3, 4]
    path.write_text(json.dumps({**document, **edit}), "utf-8")
    with pytest.raises(FormatError, match=r"counts\.json"):
        Counts.load(path)


def test_counts_that_overflow_are_refused(tmp_path: Path) -> None:
    path, document = saved(tmp_path)
    document["rows"] = {"place": [0, 1, 2, 3], "n": [2**62] * 4}
    path.write_text(json.dumps({**document, "records": 0}), "utf-8")
    with pytest.raises(FormatError, match="its counts must add up"):
        Counts.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sex,y\nF,1\n", "is not complete JSON, so it is no counts file"),
        ("[1, 2]", r"has no field format: crossfair/counts/…, so it is no counts file"),
        ('{"format": "crossfair/audit/1"}', "must be a counts file; got crossfair/audit/1"),
        ('{"format": "crossfair/counts/1"}', "its table of counts is damaged"),
        ('{"format": "crossfair/counts/1", "cells": 3}', "its table of cells is damaged"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.json").write_text(text, "utf-8")
    with pytest.raises(FormatError, match=message):
        Counts.load(tmp_path / "x.json")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(FormatError, match=r"nowhere\.json: there is no such counts file"):
        Counts.load("nowhere.json")


@given(counts())
def test_one_against_the_rest_adds_up(made: Counts) -> None:
    n, mass, squares = made.one_against_rest(1)
    assert n.tolist() == mass.tolist() == made.n.tolist()
    assert squares is None
    other, _, _ = made.one_against_rest(0)
    assert np.array_equal(other, made.n[:, ::-1, ::-1])


@given(records(outcomes=3))
def test_one_of_three_against_the_rest(table: dict[str, list[Any]]) -> None:
    made = counted(table, outcomes=THREE, positive=None)
    cells = list(zip(table["a0"], table["a1"]))
    for code, outcome in enumerate(THREE):
        if outcome not in made.outcomes.values:
            continue
        n, _, _ = made.one_against_rest(outcome)
        pairs = Counter(
            (cell, y == code, p == code) for cell, y, p in zip(cells, table["label"], table["prediction"])
        )
        for cell, position in made.cells.index.items():
            for y in (0, 1):
                for p in (0, 1):
                    assert n[position, y, p] == pairs[cell, bool(y), bool(p)]


def test_an_absent_column_leaves_everything_in_the_first_place() -> None:
    n, _, _ = of_sex().one_against_rest(1)
    assert n.tolist() == [[[0, 0], [1, 0]], [[2, 0], [0, 0]]]


def test_the_positive_outcome_can_be_chosen_later() -> None:
    table = {"sex": ["F", "M"], "job": ["staff", "manager"], "n": [3, 4]}
    made = Counts.from_table(table, by="sex", label="job")
    assert made.outcomes.positive is None
    assert made.towards("staff").outcomes.positive == "staff"
    assert made.towards("staff").n.tolist() == made.n.tolist()


def test_counts_are_equal_to_counts_alone() -> None:
    assert counts_of(np.ones((2, 2, 2), int)) != 3
    assert counts_of(np.ones((2, 2, 2), int)) != counts_of(np.ones((2, 2, 2), int) * 2)
