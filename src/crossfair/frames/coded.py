"""Long columns as small codes and what each stands for, by each library's own hashing; no Python per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.frames import objects

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Coded:
    """A code per record, from 0, and the raw value that each code stands for."""

    codes: NDArray[np.integer[Any]]
    levels: Sequence[Any]

    def map(self, decode: Callable[[Any], Any]) -> Self:
        """Return the column with every level decoded."""
        return type(self)(self.codes, [decode(level) for level in self.levels])

    def at(self, records: Ints) -> list[Any]:
        """Return the raw values of some records."""
        return [self.levels[code] for code in self.codes[records]]


def with_missing(codes: NDArray[Any], levels: Sequence[Any]) -> Coded:
    """Codes in which −1 says missing, which becomes the last level."""
    return Coded(np.where(codes < 0, len(levels), codes).astype(np.int64), [*levels, None])


def from_items(column: Any, name: str) -> Coded:
    """Code a numpy array or a list of Python values.

    >>> from_items(["b", "a", "b"], "sex").codes.tolist()
    [0, 1, 0]
    """
    if isinstance(column, list) and set(map(type, column)) <= {float, type(None)}:
        column = np.array(column, dtype=np.float64)  # one NaN, not one for each object that is NaN
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufM":
        return _from_array(column)
    items = column.tolist() if isinstance(column, np.ndarray) else column
    objects.check_types(items, name)
    return Coded(*objects.codes(items))


def from_pandas(column: Any) -> Coded:
    """Code a pandas series."""
    if column.dtype.name == "category":
        return with_missing(column.cat.codes.to_numpy(), column.cat.categories.tolist())
    codes, levels = column.factorize(use_na_sentinel=True)
    return with_missing(codes, levels.tolist())


def from_arrow(column: Any) -> Coded:
    """Code a PyArrow column of one dictionary or none."""
    encoded = column.combine_chunks() if "dictionary" in str(column.type) else column.dictionary_encode()
    array = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
    return with_missing(
        array.indices.fill_null(-1).to_numpy(zero_copy_only=False), array.dictionary.to_pylist()
    )


def from_polars(column: Any, likely: Sequence[str] = ()) -> Coded:
    """Code a polars series: by its physical integers, which text gets as a categorical.

    If all text is among the `likely` values, they are the levels, in half the time.
    """
    import polars

    if column.dtype.is_float():
        return _from_array(column.to_numpy())
    if likely and column.dtype == polars.String:
        known = column.cast(polars.Enum(likely), strict=False)
        if known.null_count() == column.null_count():
            codes = known.to_physical()
            missing = codes.cast(polars.UInt32).fill_null(len(likely)) if codes.null_count() else codes
            return Coded(missing.to_numpy(), [*likely, None])
    kept = column.cast(polars.Categorical) if column.dtype == polars.String else column
    physical = kept.to_physical().cast(polars.Int64)
    codes, first = compressed(
        physical.fill_null(physical.min() - 1 if physical.null_count() < len(column) else 0).to_numpy()
    )
    return Coded(codes, column.gather(first).to_list())


def compressed(integers: NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Return codes from 0 without gaps, and one record of each.

    >>> codes, first = compressed(np.array([7, 3, 7]))
    >>> codes.tolist(), first.tolist()
    ([1, 0, 1], [1, 2])
    """
    if not len(integers):
        return integers.astype(np.int64), integers.astype(np.int64)
    low, high = int(integers.min()), int(integers.max())
    if high - low > 4 * len(integers) + 1_000_000:
        _, first, codes = np.unique(integers, return_index=True, return_inverse=True)
        return codes.reshape(-1), first
    last = np.full(high - low + 1, -1, dtype=np.int64)  # a table of all integers is faster than sorting
    last[integers - low] = np.arange(len(integers))
    present = np.flatnonzero(last >= 0)
    place = np.empty(len(last), dtype=np.int64)
    place[present] = np.arange(len(present))
    return place[integers - low], last[present]


def combined(columns: Sequence[Coded]) -> tuple[Ints, Ints]:
    """Return the combination that each record has, from 0 without gaps, and one record of each.

    >>> group, first = combined([from_items(["a", "a", "b"], "x"), from_items([1, 1, 1], "y")])
    >>> group.tolist()
    [0, 0, 1]
    """
    codes, size = np.zeros(len(columns[0].codes), dtype=np.int64), 1
    for column in columns:
        if size * len(column.levels) >= 2**62:
            codes, first = compressed(codes)
            size = len(first)
        codes, size = codes * len(column.levels) + column.codes, size * len(column.levels)
    return compressed(codes)


def _from_array(column: NDArray[Any]) -> Coded:
    if column.dtype.kind in "biu" and column.dtype != np.uint64:
        codes, first = compressed(column.astype(np.int64))
        return Coded(codes, column[first].tolist())
    distinct, inverse = np.unique(column, return_inverse=True)
    if column.dtype.kind == "M":
        distinct = distinct.astype("datetime64[us]")
    return Coded(inverse.reshape(-1).astype(np.int64), distinct.tolist())
