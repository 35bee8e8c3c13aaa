"""Values of attributes and outcomes."""

from __future__ import annotations

import datetime
import enum
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_strategies import columns, dates, texts
from crossfair import values
from crossfair.errors import FormatError, InputError

NEW_YEAR = datetime.date(2020, 1, 1)


class Colour(str, enum.Enum):  # noqa: UP042  # whose members are shown by another text than theirs
    """Text that is a member of an enumeration."""

    RED = "red"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (1.0, 1),
        (np.float32(2.0), 2),
        (np.int8(-3), -3),
        (Decimal("4.00"), 4),
        (-0.0, 0),
        (True, True),
        (np.bool_(False), False),
        ("01", "01"),
        (np.str_("x"), "x"),
        (Colour.RED, "red"),
        (None, None),
        (math.nan, None),
        (np.float64("nan"), None),
        (Decimal("NaN"), None),
        (np.datetime64("NaT"), None),
        (np.datetime64("2020-01-01"), NEW_YEAR),
        (np.datetime64("2020-01-01", "ns"), NEW_YEAR),
        (np.datetime64("2020-01-01T00:00", "s"), NEW_YEAR),
        (datetime.datetime(2020, 1, 1), NEW_YEAR),
        (NEW_YEAR, NEW_YEAR),
    ],
)
def test_every_engine_delivers_one_of_five_kinds(raw: object, value: object) -> None:
    found = values.normalise(raw)
    assert found == value
    assert type(found) is type(value)


def test_missing_values_of_pandas_are_missing() -> None:
    pd = pytest.importorskip("pandas")
    assert [values.normalise(raw) for raw in (pd.NA, pd.NaT, pd.Timestamp("2020-01-01"))] == [
        None,
        None,
        NEW_YEAR,
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (0.5, r"age: values must be text, integers, .*; got 0.5\. Cut the numbers into ranges.*bins=\{'age'"),
        (math.inf, r"age: values must be .*; got inf\."),
        (b"x", r"age: values must be .* got b'x' of type bytes\. Convert the column"),
        ([1], r"age: values must be .* of type list"),
        (
            datetime.datetime(2020, 1, 1, 12),
            r"age: a moment in time is no attribute value; got 2020-01-01T12",
        ),
        (np.datetime64("2020-01-01T12", "ns"), r"age: a moment in time"),
    ],
)
def test_other_values_are_refused(raw: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        values.normalise(raw, "age")


def test_the_canonical_order_is_numbers_then_text_then_missing() -> None:
    assert sorted([None, "b", "10", "9", "-1", "é", "B", ""], key=values.sort_key) == [
        "-1",
        "9",
        "10",
        "",
        "B",
        "b",
        "é",
        None,
    ]


@given(st.data())
def test_text_of_typed_values_sorts_as_they_do(data: st.DataObject) -> None:
    typed = data.draw(
        st.lists(data.draw(st.sampled_from([st.integers(), st.booleans(), dates])), unique=True)
    )
    spelt = [values.spell(value) for value in typed]
    by_text = sorted(spelt, key=values.sort_key)
    assert by_text == [values.spell(value) for value in sorted(typed, key=values.sort_key)]


@given(st.data())
def test_text_that_spells_a_typed_value_matches_it(data: st.DataObject) -> None:
    typed = [value for value in dict.fromkeys(data.draw(columns(6))) if value is not None]
    spelt = [values.spell(value) for value in typed]
    assert values.match(spelt, typed, "a") == dict(zip(spelt, typed))
    assert values.match(typed, spelt, "a") == dict(zip(typed, spelt))
    assert values.match(typed, typed, "a") == dict(zip(typed, typed))


def test_missing_matches_missing_alone() -> None:
    assert values.match([None, "None", ""], [None, "a"], "a") == {None: None}


def test_unknown_values_are_left_out() -> None:
    assert values.match(["x", "7"], [1, 2], "a") == {}
    assert values.match([7, NEW_YEAR], ["a"], "a") == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("01", 1),
        ("1.0", 1),
        ("+1", 1),
        (True, 1),
        (False, 0),
        ("1", True),
        ("0", False),
        (2, True),
    ],
)
def test_what_could_be_either_is_an_error_never_a_new_value(one: object, other: object) -> None:
    for value, known in ((one, other), (other, one)):
        with pytest.raises(InputError, match=r"zip: .*read alike.*Convert the column to one type"):
            values.match([value], [known], "zip")  # type: ignore[list-item]
        with pytest.raises(InputError, match=r"zip: .*read alike"):
            values.check_column([value, known], "zip")  # type: ignore[list-item]


def test_flags_of_another_type_are_left_unmatched_where_flags_are_meant() -> None:
    assert values.meanings([True, False], [0, 1], "prediction") == {}


@pytest.mark.parametrize(
    "column", [["01", "1", "1.0"], ["True", "TRUE", "1"], [1, None, "a"], [True, "x", None]]
)
def test_columns_without_ambiguity_pass(column: list[values.Value]) -> None:
    values.check_column(column, "a")


@pytest.mark.parametrize(
    "column", [["1", 1], [1, True], ["true", True], [NEW_YEAR, "2020-01-01"], [True, "1"]]
)
def test_a_column_whose_values_read_alike_is_refused(column: list[values.Value]) -> None:
    with pytest.raises(InputError, match=r"a: .*read alike"):
        values.check_column(column, "a")


def test_text_too_long_for_an_integer_is_text() -> None:
    long = "9" * 5000
    assert values.match([long], [1], "a") == {}
    assert sorted([long, "1"], key=values.sort_key) == ["1", long]


@given(st.data())
def test_json_keeps_value_and_type(data: st.DataObject) -> None:
    for value in data.draw(columns(4)):
        again = values.from_json(values.to_json(value))
        assert again == value
        assert type(again) is type(value)


@given(texts)
def test_text_is_its_own_spelling(text: str) -> None:
    assert values.spell(text) == text


@pytest.mark.parametrize("item", [1.5, {"date": "soon"}, {"date": 1}, {"day": "2020-01-01"}, [1]])
def test_other_json_is_refused(item: object) -> None:
    with pytest.raises(FormatError, match=r"counts\.json: a value must be text, an integer"):
        values.from_json(item, "counts.json")
