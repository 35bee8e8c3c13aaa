"""Long results into codes and arrays, by each library's own means; their rows never become Python objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from crossfair.frames import coded, fetch, files
from crossfair.frames.coded import Coded
from crossfair.frames.groups import MOST_GROUPS

Frame = nw.LazyFrame[Any]

# The code of a value that is missing.
NO_VALUE = -1


@dataclass(frozen=True)
class Long:
    """The columns of a long table: some as codes, the others as numbers."""

    coded: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[Any]]


def collect(frame: Frame, names: Sequence[str]) -> Long:
    """Collect a lazy frame of polars, pandas, PyArrow or what turns into one; `names` are to be coded."""
    polars = frame.implementation.is_polars()
    native = frame.to_native().collect(engine="streaming") if polars else frame.collect().to_native()
    code, number = _MEANS[type(native).__module__.partition(".")[0]]
    every = frame.collect_schema().names()
    return Long(
        {name: code(native[name]) for name in names},
        {name: number(native[name]) for name in every if name not in names},
    )


def levels(frame: Frame, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the distinct values of some columns, without missing ones; of too many, more than enough."""
    distinct = fetch.columns(frame.select(*names).unique().head(MOST_GROUPS + 1))
    return {name: [raw for raw in dict.fromkeys(distinct[name]) if not _is_missing(raw)] for name in names}


def recoded(frame: Frame, known: Mapping[str, Sequence[Any]]) -> Frame:
    """Replace columns of a DuckDB frame by codes of their levels, so that text never leaves the engine."""
    import duckdb

    def expression(name: str) -> Any:
        column = duckdb.ColumnExpression(name)
        if name not in known:
            return column
        cases: Any = None
        for code, level in enumerate(known[name]):
            is_level, then = column == duckdb.ConstantExpression(level), duckdb.ConstantExpression(code)
            cases = duckdb.CaseExpression(is_level, then) if cases is None else cases.when(is_level, then)
        other = duckdb.ConstantExpression(NO_VALUE)
        return (other if cases is None else cases.otherwise(other)).cast("INTEGER").alias(name)

    native = frame.to_native()
    return files.lazy(native.select(*map(expression, native.columns)))


def collect_recoded(frame: Frame, known: Mapping[str, Sequence[Any]]) -> Long:
    """Collect a grouped DuckDB frame whose columns in `known` are codes already."""
    native = frame.to_native()
    exact = [  # sums are wider than 64 bits, and would come as floats
        f'coalesce(TRY_CAST("{name}" AS BIGINT), 0) AS "{name}"' if str(kind) == "HUGEINT" else f'"{name}"'
        for name, kind in zip(native.columns, native.types)
    ]
    table = native.project(", ".join(exact)).fetchnumpy()
    plain = {name: _filled(column) for name, column in table.items()}
    return Long(
        {name: coded.with_missing(plain[name], known[name]) for name in known},
        {name: column for name, column in plain.items() if name not in known},
    )


def _is_missing(raw: Any) -> bool:
    return raw is None or (isinstance(raw, float) and raw != raw)  # noqa: PLR0124  # NaN differs from itself


def _filled(column: NDArray[Any]) -> NDArray[Any]:
    """A masked array with NaN where it is masked."""
    return (
        np.ma.filled(column.astype(np.float64), np.nan) if np.ma.is_masked(column) else np.ma.getdata(column)
    )


def _pandas_numbers(column: Any) -> NDArray[Any]:
    kind = np.int64 if column.dtype.kind in "iu" and not column.hasnans else np.float64
    array: NDArray[Any] = column.to_numpy(dtype=kind, na_value=np.nan)
    return array


def _own_numbers(column: Any) -> NDArray[Any]:
    array: NDArray[Any] = column.to_numpy()
    return array


_MEANS: dict[str, tuple[Callable[[Any], Coded], Callable[[Any], NDArray[Any]]]] = {
    "polars": (coded.from_polars, _own_numbers),
    "pyarrow": (coded.from_arrow, _own_numbers),
    "pandas": (coded.from_pandas, _pandas_numbers),
}
