"""Cells in canonical order: marginals, unions, lookups, JSON."""

from __future__ import annotations

import datetime
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_strategies import columns
from crossfair import values
from crossfair.cells import Cells, check_bins, range_names, show_cell
from crossfair.errors import FormatError, InputError, SimilarCellsWarning


@st.composite
def cell_lists(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    size = draw(st.integers(0, 8))
    return list(zip(draw(columns(size)), draw(columns(size))))


@given(cell_lists(), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_that_of_the_input(rows: list[Any], random: Any) -> None:
    cells = Cells.of(["a", "b"], rows)
    shuffled = rows * 2
    random.shuffle(shuffled)
    assert Cells.of(["a", "b"], shuffled) == cells
    assert sorted(map(repr, set(rows))) == sorted(map(repr, cells.values))


def test_missing_comes_last_and_numbers_before_text() -> None:
    rows = [(None, 1), ("b", 2), ("b", 10), ("b", None), ("10", 1), ("9", 1)]
    assert Cells.of(["a", "b"], rows).values == (
        ("9", 1),
        ("10", 1),
        ("b", 2),
        ("b", 10),
        ("b", None),
        (None, 1),
    )


def test_cells_are_tuples_never_joined_strings() -> None:
    cells = Cells.of(["a", "b"], [("x-y", "z"), ("x", "y-z"), ("x · y", "z"), ("x", "y · z")])
    assert len(cells) == 4


def test_one_and_true_are_never_one_cell() -> None:
    with pytest.raises(InputError, match=r"by: 'a': booleans and integers in one column read alike"):
        Cells.of(["a"], [(1,), (True,)])


@given(cell_lists())
def test_codes_and_levels_spell_the_cells(rows: list[Any]) -> None:
    cells = Cells.of(["a", "b"], rows)
    spelt = [tuple(cells.levels[i][code] for i, code in enumerate(codes)) for codes in cells.codes]
    assert spelt == list(cells.values)


@given(cell_lists())
def test_json_is_an_identity(rows: list[Any]) -> None:
    cells = Cells.of(["a", "b"], rows)
    again = Cells.from_json(cells.to_json(), "file")
    assert again == cells
    assert [list(map(type, cell)) for cell in again.values] == [
        list(map(type, cell)) for cell in cells.values
    ]


@given(cell_lists(), cell_lists())
def test_a_union_holds_the_cells_of_both_where_it_says(mine: list[Any], theirs: list[Any]) -> None:
    left, right = Cells.of(["a", "b"], mine), Cells.of(["a", "b"], theirs)
    try:
        both, here, there = left.union(right)
    except InputError:  # columns of different type may clash, and then do so from either side
        with pytest.raises(InputError, match=r"read alike"):
            right.union(left)
        return
    assert both == right.union(left)[0]
    assert set(here) | set(there) == set(range(len(both)))
    for side, positions in ((left, here), (right, there)):
        for cell, position in zip(side.values, positions):
            pairs = zip(cell, both.values[position])
            assert all(values.spell(one).casefold() == values.spell(other).casefold() for one, other in pairs)


def test_text_from_a_file_meets_typed_values() -> None:
    day = datetime.date(2020, 1, 2)
    typed = Cells.of(["a", "b", "c"], [(1, True, day), (None, False, day)])
    text = Cells.of(["a", "b", "c"], [("1", "true", "2020-01-02"), ("2", "False", "2020-01-02")])
    for both in (typed.union(text)[0], text.union(typed)[0]):
        assert both.values == ((1, True, day), ("2", False, day), (None, False, day))
    assert typed.find(text.values).tolist() == [0, -1]
    assert text.find(typed.values).tolist() == [0, -1]


def test_an_unknown_cell_is_nowhere_not_missing() -> None:
    cells = Cells.of(["a"], [("x",), (None,)])
    assert cells.find([("y",), (None,), ("None",)]).tolist() == [-1, 1, -1]


@pytest.mark.parametrize("stranger", ["01", True, "1.0"])
def test_an_ambiguous_value_is_an_error_when_tables_meet(stranger: Any) -> None:
    cells = Cells.of(["zip"], [(1,), (2,)])
    with pytest.raises(InputError, match=r"attribute 'zip': .*read alike"):
        cells.find([(stranger,)])
    with pytest.raises(InputError, match=r"read alike"):
        cells.union(Cells.of(["zip"], [(stranger,)]))


def test_marginals_map_every_cell() -> None:
    cells = Cells.of(["sex", "race", "old"], list(itertools.product("FM", "AB", [False, True])))
    reduced, into = cells.marginal(["old", "sex"])
    assert reduced.by == ("old", "sex")
    assert [reduced.values[i] for i in into] == [(old, sex) for sex, _, old in cells.values]
    everyone, into = cells.marginal([])
    assert everyone.values == ((),)
    assert not into.any()
    assert show_cell(everyone.values[0]) == "everyone"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["sexx"], r"by: must be one of 'sex', 'race'; got sexx\. Did you mean 'sex'\?"),
        (["sex", "sex"], r"by: must name each attribute once; got \['sex', 'sex'\]"),
    ],
)
def test_marginals_over_other_attributes_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Cells.of(["sex", "race"], [("F", "A")]).marginal(names)


def test_tables_of_other_attributes_or_bins_do_not_meet() -> None:
    cells = Cells.of(["age"], [("≤ 50",)], {"age": (50.0,)})
    with pytest.raises(InputError, match=r"by: tables must have the same attributes in the same order"):
        cells.union(Cells.of(["sex"], [("F",)]))
    with pytest.raises(InputError, match=r"bins: tables must be cut at the same edges; got .*50.*60"):
        cells.union(Cells.of(["age"], [("≤ 60",)], {"age": (60.0,)}))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5, unique=True).map(sorted))
def test_ranges_have_distinct_names_and_keep_their_order(edges: list[float]) -> None:
    names = range_names(edges)
    assert len(set(names)) == len(names) == len(edges) + 1
    cells = Cells.of(["x"], [(name,) for name in reversed(names)], {"x": tuple(edges)})
    assert [cell[0] for cell in cells.values] == names


def test_values_that_are_no_ranges_are_refused() -> None:
    with pytest.raises(InputError, match=r"bins: values of 'age' must be its ranges .*; got \['51'\]"):
        Cells.of(["age"], [(51,)], {"age": (50.0,)})


@pytest.mark.parametrize(
    "edges", [[], [2, 1], [1, 1], [math.nan], [math.inf], ["ten"], [[1, 2]], None, [None]]
)
def test_bins_must_be_increasing_finite_numbers(edges: Any) -> None:
    with pytest.raises(InputError, match=r"bins: the edges of 'age' must be"):
        check_bins({"age": edges}, ["age"])


def test_bins_of_an_unknown_attribute_name_the_nearest() -> None:
    with pytest.raises(InputError, match=r"bins: must be one of 'age'; got agee\. Did you mean 'age'"):
        check_bins({"agee": [1]}, ["age"])


def test_values_that_look_alike_bring_a_warning() -> None:
    cells = Cells.of(["race"], [("Black",), ("black ",), ("White",)])
    with pytest.warns(
        SimilarCellsWarning, match=r"'race': the values 'Black' and 'black ' differ only by case"
    ):
        cells.warn_similar()
    Cells.of(["race"], [("Black",), ("White",)]).warn_similar()


GOOD = Cells.of(["sex", "old"], [("F", True), ("M", False), ("M", None)]).to_json()


@pytest.mark.parametrize(
    "damage",
    [
        {"by": ["sex"]},
        {"by": ["sex", "sex"]},
        {"by": []},
        {"codes": [[0, 1, 1], [1, 0]]},
        {"codes": [[0, 1, -1], [1, 0, 2]]},
        {"codes": [[0, 1, 7], [1, 0, 2]]},
        {"codes": [[1, 0, 1], [0, 1, 2]]},
        {"codes": [[0, 1, 1], [1, 0, 0]]},
        {"codes": None},
        {"levels": [["M", "F"], [False, True, None]]},
        {"levels": [["F", "M", "X"], [False, True, None]]},
        {"levels": [["F", "M"], [0, True, None]]},
        {"levels": [["F", "M"], [0.5, True, None]]},
        {"bins": {"age": [1]}},
        {"bins": {"sex": [1]}},
        {"bins": 3},
    ],
)
def test_damaged_json_is_refused(damage: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"file\.json: "):
        Cells.from_json({**GOOD, **damage}, "file.json")


def test_json_that_is_no_table_of_cells_is_refused() -> None:
    for data in (None, [], {}, {"by": ["a"]}):
        with pytest.raises(FormatError, match=r"file\.json: its table of cells is damaged"):
            Cells.from_json(data, "file.json")


def test_cells_are_shown_in_words() -> None:
    assert Cells.of(["a", "b"], [("F", None)]).show(0) == "F · missing"
    assert np.array_equal(Cells.of(["a"], []).codes, np.zeros((0, 1)))
