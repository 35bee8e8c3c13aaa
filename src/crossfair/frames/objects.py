"""Columns of Python objects: their types, codes and numbers; no Python code runs per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import values
from crossfair.errors import InputError, invalid
from crossfair.parsing import is_number, parse_number

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def check_types(column: Sequence[Any], name: str) -> None:
    """Refuse lists and the like, and booleans beside numbers: equal as Python objects, they would be one.

    >>> check_types([True, False, None, float("nan")], "a")
    >>> check_types([True, 1], "a")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: a: booleans and numbers in one column read alike; got True ...
    """
    types = set(map(type, column))
    for kind in types:
        if kind.__hash__ is None:
            raise values.no_value(kind, name)
    numeric = {kind for kind in types if is_number(kind)}
    if not types & {bool, np.bool_} or not numeric:
        return
    if all(item != item for item in column if type(item) in numeric):  # noqa: PLR0124  # only NaN, so missing
        return
    raise invalid(
        name,
        "booleans and numbers in one column read alike",
        got="True or False beside numbers",
        hint="Convert the column to one type.",
    )


def codes(column: Sequence[Any]) -> tuple[Ints, list[Any]]:
    """Return the code of each item, and the distinct items.

    >>> codes(["b", "a", "b"])
    (array([0, 1, 0]), ['b', 'a'])
    """
    distinct = list(dict.fromkeys(column))
    table = {item: code for code, item in enumerate(distinct)}
    return np.fromiter(map(table.__getitem__, column), dtype=np.int64, count=len(column)), distinct


def to_floats(column: Sequence[Any], argument: str, name: str) -> Floats:
    """Return numbers as float64, NaN where missing; text is parsed strictly, anything else is an error.

    >>> to_floats([1, "2.5", None], "bins", "age")
    array([1. , 2.5, nan])
    """
    if set(map(type, column)) <= {float, int, bool, type(None)}:
        return np.array(column, dtype=np.float64)
    coded, distinct = codes(column)
    parsed = np.array([parse_number(item, argument, name) for item in distinct], dtype=object)
    wrong = [item for item, number in zip(distinct, parsed) if number is None]
    if wrong:
        affected = int(np.isin(coded, [code for code, number in enumerate(parsed) if number is None]).sum())
        raise text_error(argument, name, wrong[0], affected)
    return parsed.astype(np.float64)[coded]


def text_error(argument: str, name: str, example: str, count: int) -> InputError:
    """Build the error for a column of numbers that holds other text."""
    return invalid(
        argument,
        f"{name!r} must hold numbers",
        got=f"{example!r}, one of {count:,} such records",
        hint="Correct the text, or leave the field empty where the number is missing.",
    )
