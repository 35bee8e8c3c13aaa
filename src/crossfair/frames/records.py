"""Columns of records, in the order of the rows: as codes, as numbers, or raw; no Python per row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from crossfair.errors import invalid
from crossfair.frames import arrays, coded, fetch, objects, source
from crossfair.frames.coded import Coded
from crossfair.frames.numbers import as_float

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Raw:
    """A column whose values stay where they are: how many are missing, and the values of some rows."""

    missing: int
    at: Callable[[Ints], list[Any]]


@dataclass(frozen=True)
class Records:
    """Columns by name: coded ones, numbers with NaN where missing, and raw ones; and the number of rows."""

    coded: Mapping[str, Coded]
    numbers: Mapping[str, Floats]
    raw: Mapping[str, Raw]
    size: int


def read(
    data: Any,
    *,
    codes: Mapping[str, Sequence[str]],
    numbers: Mapping[str, str],
    raw: Collection[str] = (),
) -> Records:
    """Read columns of a dict, a frame of any library, or files.

    `codes` maps each column to be coded to texts that it is likely to hold, and `numbers` each column of
    numbers to the argument that an error about it names.

    >>> table = {"sex": ["F", "M", "F"], "p": ["0.5", None, "0.75"]}
    >>> found = read(table, codes={"sex": []}, numbers={"p": "score"})
    >>> found.coded["sex"].codes.tolist(), found.numbers["p"].tolist()
    ([0, 1, 0], [0.5, nan, 0.75])
    """
    names = list(dict.fromkeys([*codes, *numbers, *raw]))
    opened = source.open_source(data, None, names)
    with opened.guard():
        table = _columns(opened.take({f"c{i}": name for i, name in enumerate(names)}), names)
    sizes = {name: len(column) for name, column in table.items()}
    if len(set(sizes.values())) > 1:
        raise invalid("data", "all columns must have the same length", got=str(sizes))
    decode = opened.decode or (lambda item: item)
    with ThreadPoolExecutor() as pool:  # what polars and PyArrow do, they do side by side
        coded_columns = pool.map(lambda name: _coded(table[name], name, codes[name]), codes)
    return Records(
        {name: column.map(decode) for name, column in zip(codes, coded_columns)},
        {name: _numbers(table[name], name, argument) for name, argument in numbers.items()},
        {name: _raw(table[name]) for name in raw},
        next(iter(sizes.values())),
    )


_CODERS: dict[str, Callable[[Any, Sequence[str]], Coded]] = {
    "polars": coded.from_polars,
    "pandas": lambda column, _: coded.from_pandas(column),
    "pyarrow": lambda column, _: coded.from_arrow(column),
}


def _columns(picked: Any, names: Sequence[str]) -> dict[str, Any]:
    """Each column as a series of polars or pandas, a PyArrow column, a numpy array or a list."""
    if isinstance(picked, dict):
        return {name: _plain(picked[f"c{i}"], name) for i, name in enumerate(names)}
    kind = picked.implementation
    if kind.is_polars() or kind.is_pandas() or kind.is_pyarrow():
        native = picked.collect().to_native()
        return {name: native[f"c{i}"] for i, name in enumerate(names)}
    lists = fetch.columns(picked)
    return {name: lists[f"c{i}"] for i, name in enumerate(names)}


def _plain(column: Any, name: str) -> Any:
    whole = isinstance(column, np.ndarray) and column.ndim == 1 and not isinstance(column, np.ma.MaskedArray)
    return column if whole else arrays.to_list(column, name)


def _coder(column: Any) -> Callable[[Any, Sequence[str]], Coded] | None:
    return _CODERS.get(type(column).__module__.partition(".")[0])


def _coded(column: Any, name: str, likely: Sequence[str]) -> Coded:
    coder = _coder(column)
    return coded.from_items(column, name) if coder is None else coder(column, likely)


def _numbers(column: Any, name: str, argument: str) -> Floats:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return column.astype(np.float64)
    if _coder(column) is not None:
        series = nw.from_native(column, series_only=True)
        if series.dtype.is_numeric():
            return np.asarray(
                as_float(series, series.dtype, series.implementation).to_numpy(), dtype=np.float64
            )
    return np.asarray(objects.to_floats(_items(column), argument, name))


def _raw(column: Any) -> Raw:
    if _coder(column) is None:
        items = _items(column)
        missing = sum(item is None or item != item for item in items)  # noqa: PLR0124  # NaN
        return Raw(missing, lambda rows: [items[row] for row in rows.tolist()])
    series = nw.from_native(column, series_only=True)
    gone = series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()
    return Raw(int(gone.sum()), lambda rows: series[rows.tolist()].to_list())


def _items(column: Any) -> list[Any]:
    """The column as a list of Python values."""
    if _coder(column) is not None:
        return list(nw.from_native(column, series_only=True).to_list())
    return list(column.tolist()) if isinstance(column, np.ndarray) else list(column)
