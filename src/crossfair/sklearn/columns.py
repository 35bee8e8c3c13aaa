"""Attributes and keys of records: columns of X, or handed over beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crossfair import frames
from crossfair.errors import invalid

Name = str | int
Columns = dict[str, Any]

ALONE = "sensitive"  # the name of one attribute that has none


def name_of(name: Name) -> str:
    """Return the attribute's name: a column of an array is known by its position.

    >>> name_of("sex"), name_of(3)
    ('sex', 'x3')
    """
    return name if isinstance(name, str) else f"x{name}"


def attributes(X: Any, by: Any, sensitive_features: Any) -> Columns:
    """Return the attributes by name: columns `by` of X, or of `sensitive_features` where these are given.

    >>> attributes(np.array([[1, 5], [0, 6]]), [0], None)
    {'x0': array([1, 0])}
    """
    names = None if by is None else [by] if isinstance(by, (str, int)) else list(by)
    if sensitive_features is not None:
        return _beside(sensitive_features, names)
    if not names:
        raise invalid(
            "by",
            "must name the sensitive columns of X, unless sensitive_features come beside it",
            got=repr(by),
        )
    return {name_of(name): column(X, name, "by") for name in names}


def column(table: Any, name: Name, argument: str) -> Any:
    """Return one column of an array by its position, or of a frame or a dict by its name."""
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return _at(table, int(name), argument)
    if isinstance(table, (np.ndarray, list)) or hasattr(table, "tocsc"):
        raise invalid(
            argument,
            "names a column, but the data have no names",
            got=repr(name),
            hint="Give a frame, or name the column by its position.",
        )
    return frames.columns(table, [str(name)])[str(name)]


def listed(given: Any, records: int, argument: str) -> list[Any]:
    """Return one value per record as a list of Python values.

    >>> listed(np.array([3, 4]), 2, "key")
    [3, 4]
    """
    items = given.tolist() if hasattr(given, "tolist") else list(given)
    if len(items) != records:
        raise invalid(argument, f"must hold one value per record, {records}", got=len(items))
    return list(items)


def apart(names: list[str], taken: Any) -> dict[str, str]:
    """Return each name under one that no attribute has: with underscores until it is free.

    >>> apart(["label", "score"], ["score"])
    {'label': 'label', 'score': 'score_'}
    """
    found = {}
    for name in names:
        free = name
        while free in taken:
            free += "_"
        found[name] = free
    return found


def _beside(given: Any, names: Sequence[Name] | None) -> Columns:
    table = _named(given)
    if names is not None:
        return {name_of(name): column(table, name_of(name), "sensitive_features") for name in names}
    known = list(table if isinstance(table, Mapping) else getattr(table, "column_names", table.columns))
    return {str(name): column(table, name, "sensitive_features") for name in known}


def _named(given: Any) -> Any:
    """A table with names: a series and an array get one."""
    if hasattr(given, "to_frame"):  # a series of pandas or polars
        name = given.name if isinstance(given.name, str) and given.name else ALONE
        return {name: given.to_list()}
    if not isinstance(given, (np.ndarray, list, tuple)):
        return given
    array = np.asarray(given, dtype=None if isinstance(given, np.ndarray) else object)
    if array.ndim == 1:
        return {ALONE: array}
    return {name_of(i): array[:, i] for i in range(array.shape[1])}


def _at(table: Any, place: int, argument: str) -> Any:
    sparse = hasattr(table, "tocsc")
    array: Any = table if sparse else np.asarray(table)
    if array.ndim != 2:
        rule = "is a position, so the data must be an array of two dimensions"
        raise invalid(argument, rule, got=f"{array.ndim} dimensions")
    rows, size = array.shape
    if not size:
        raise invalid("X", f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required")
    if not -size <= place < size:
        raise invalid(argument, f"must be a column of an array of {size}", got=place)
    return array.tocsc()[:, [place]].toarray().ravel() if sparse else array[:, place]
