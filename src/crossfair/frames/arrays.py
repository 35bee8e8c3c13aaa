"""The group-by of a dict of columns, with numpy alone: the same groups as any dataframe library gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import fixed
from crossfair.errors import invalid
from crossfair.fixed import Fixed
from crossfair.frames import objects
from crossfair.frames.groups import MOST_GROUPS, NO_NUMBER, Groups, WeightSums
from crossfair.reading import Reading

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Coded = tuple[Ints, Sequence[Any]]  # a code per record, and what each code stands for


def count(columns: Mapping[str, Any], reading: Reading) -> Groups:
    """Count columns that are named by the parts of `reading.columns`."""
    table = _checked(columns, reading)
    coded = {part: _coded(part, column, reading) for part, column in table.items() if part != "weight"}
    if "score" in coded:
        coded["prediction"] = coded.pop("score")
    group, first = _groups([(codes, len(distinct)) for codes, distinct in coded.values()])
    kept = slice(MOST_GROUPS + 1)
    raw = {part: _at(codes, distinct, first[kept]) for part, (codes, distinct) in coded.items()}
    return Groups(
        keys=[raw[f"k{i}"] for i in range(len(reading.attributes))],
        label=raw.get("label"),
        prediction=raw.get("prediction"),
        n=np.bincount(group, minlength=len(first))[kept],
        weights=_sums(table["weight"], group, len(first), reading) if "weight" in table else None,
    )


def _checked(columns: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """Numpy arrays or lists of one dimension and one length."""
    table = {part: _one_dimensional(column, reading.columns[part]) for part, column in columns.items()}
    lengths = {reading.columns[part]: len(column) for part, column in table.items()}
    if len(set(lengths.values())) > 1:
        raise invalid("data", "all columns must have the same length", got=str(lengths))
    return table


def _one_dimensional(column: Any, name: str) -> Any:
    if isinstance(column, np.ndarray) and not isinstance(column, np.ma.MaskedArray):
        if column.ndim != 1:
            raise invalid("data", f"column {name!r} must have one dimension", got=f"shape {column.shape}")
        return column
    for method in ("to_list", "to_pylist", "tolist"):  # series of pandas and polars, PyArrow, masked arrays
        if hasattr(column, method):
            return getattr(column, method)()
    if isinstance(column, str) or not isinstance(column, Sequence):
        raise invalid("data", f"column {name!r} must be a list or an array", got=f"a {type(column).__name__}")
    return list(column)


def to_list(column: Any, name: str) -> list[Any]:
    """Return a column of a dict as a list of Python values."""
    checked = _one_dimensional(column, name)
    return list(checked.tolist()) if isinstance(checked, np.ndarray) else checked


def _coded(part: str, column: Any, reading: Reading) -> Coded:
    name = reading.columns[part]
    if part == "score":
        return _steps(_floats(column, "score", name), np.array([reading.threshold]), reached=True)
    if name in reading.edges and part.startswith("k"):
        return _steps(_floats(column, "bins", name), np.array(reading.edges[name]), reached=False)
    return _factorised(column, name)


def _steps(column: Floats, edges: Floats, *, reached: bool) -> Coded:
    """How many edges a number has passed (or reached, for a threshold); NO_NUMBER where it is not finite."""
    passed = np.searchsorted(edges, column, side="right" if reached else "left")
    shifted = np.where(np.isfinite(column), passed - NO_NUMBER, 0).astype(np.int64)
    return shifted, range(NO_NUMBER, len(edges) + 1)


def _floats(column: Any, argument: str, name: str) -> Floats:
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(np.float64)
    return objects.to_floats(column.tolist() if isinstance(column, np.ndarray) else column, argument, name)


def _factorised(column: Any, name: str) -> Coded:
    if isinstance(column, list) and set(map(type, column)) <= {float, type(None)}:
        column = np.array(column, dtype=np.float64)  # one NaN, not one for each object that is NaN
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufM":
        return _factorised_array(column)
    items = column.tolist() if isinstance(column, np.ndarray) else column
    objects.check_types(items, name)
    return _hashed(items, name)


def _factorised_array(column: NDArray[Any]) -> Coded:
    if column.dtype.kind == "b":
        return column.astype(np.int64), [False, True]
    distinct, inverse = np.unique(column, return_inverse=True)
    if column.dtype.kind == "M":
        distinct = distinct.astype("datetime64[us]")
    return inverse.reshape(-1).astype(np.int64), distinct.tolist()


def _hashed(items: Sequence[Any], name: str) -> Coded:
    try:
        return objects.codes(items)
    except TypeError as error:
        raise invalid(
            "data", f"{name!r} must hold text, integers, booleans, dates or missing values", got=str(error)
        ) from error


def _groups(coded: Sequence[tuple[Ints, int]]) -> tuple[Ints, Ints]:
    """Return the group of each record, and one record of each group."""
    combined, size = np.zeros(len(coded[0][0]), dtype=np.int64), 1
    for codes, distinct in coded:
        if size * distinct >= 2**62:
            first, combined = np.unique(combined, return_inverse=True)
            size = len(first)
        combined, size = combined * distinct + codes, size * max(distinct, 1)
    if size <= 4 * len(combined) + 1_000_000:  # a table of all combinations is faster than sorting
        present = np.flatnonzero(np.bincount(combined, minlength=size))
        place = np.empty(size, dtype=np.int64)
        place[present] = np.arange(len(present))
        group = place[combined]
    else:
        present, group = np.unique(combined, return_inverse=True)
    first = np.empty(len(present), dtype=np.int64)
    first[group] = np.arange(len(group))
    return group, first


def _at(codes: Ints, distinct: Sequence[Any], first: Ints) -> list[Any]:
    return [distinct[code] for code in codes[first]]


def _sums(column: Any, group: Ints, size: int, reading: Reading) -> WeightSums:
    weight = _floats(column, "weight", reading.columns["weight"])
    good = (weight >= 0) & (weight <= fixed.LARGEST_WEIGHT)
    weight = np.where(good, weight, 0.0)
    total, squares = (Fixed.from_floats(each).gather(group, size) for each in (weight, weight * weight))
    return WeightSums(
        whole=total.whole,
        fraction=total.fraction,
        square_whole=squares.whole,
        square_fraction=squares.fraction,
        bad=np.bincount(group, ~good, minlength=size).astype(np.int64),
        largest=float(weight.max(initial=0.0)),
    )
