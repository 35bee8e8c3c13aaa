"""Long results from DuckDB: attributes become one code inside the engine, so that text never leaves it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from crossfair.frames import fetch, files
from crossfair.frames.coded import Coded
from crossfair.frames.groups import MOST_GROUPS, Ints

Frame = nw.LazyFrame[Any]
Levels = Mapping[str, Sequence[Any]]

CODE = "code"


def levels(frame: Frame, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the distinct values of some columns, without missing ones; of too many, more than enough."""
    distinct = fetch.columns(frame.group_by(*names).agg(nw.len().alias("n")).head(MOST_GROUPS + 1))
    return {name: [raw for raw in dict.fromkeys(distinct[name]) if not _is_missing(raw)] for name in names}


def recoded(frame: Frame, known: Levels) -> Frame:
    """Replace the columns in `known` by one column of codes: their levels' positions in mixed radix."""
    native = frame.to_native()
    code = functools.reduce(
        lambda high, name: high * _literal(len(known[name]) + 1) + _position(name, known[name]),
        known,
        _literal(0).cast("BIGINT"),
    )
    others = [duckdb.ColumnExpression(name) for name in native.columns if name not in known]
    return files.lazy(native.select(code.alias(CODE), *others))


def arrays(frame: Frame) -> dict[str, NDArray[Any]]:
    """Collect a frame of numbers as arrays, NaN where missing."""
    native = frame.to_native()
    exact = [  # sums are wider than 64 bits, and would come as floats
        f'coalesce(TRY_CAST("{name}" AS BIGINT), 0) AS "{name}"' if str(kind) == "HUGEINT" else f'"{name}"'
        for name, kind in zip(native.columns, native.types)
    ]
    found = native.project(", ".join(exact)).fetchnumpy()
    return {name: _filled(column) for name, column in found.items()}


def decoded(codes: Ints, known: Levels) -> list[Coded]:
    """Return the columns that codes in mixed radix stand for."""
    columns = []
    for level in reversed(list(known.values())):
        codes, position = np.divmod(codes, len(level) + 1)
        columns.append(Coded(position, [*level, None]))
    return columns[::-1]


def _position(name: str, level: Sequence[Any]) -> Any:
    """The position of a value among the levels; that of a missing one is behind them all."""
    missing, column = _literal(len(level)), duckdb.ColumnExpression(name)
    if not level:
        return missing
    first, *rest = ((column == _literal(value), _literal(code)) for code, value in enumerate(level))
    cases = functools.reduce(lambda so_far, case: so_far.when(*case), rest, duckdb.CaseExpression(*first))
    return cases.otherwise(missing)


def _literal(value: Any) -> Any:
    return duckdb.ConstantExpression(value)


def _is_missing(raw: Any) -> bool:
    return raw is None or (isinstance(raw, float) and raw != raw)  # noqa: PLR0124  # NaN differs from itself


def _filled(column: NDArray[Any]) -> NDArray[Any]:
    """A masked array with NaN where it is masked."""
    if np.ma.is_masked(column):
        return np.asarray(np.ma.filled(column.astype(np.float64), np.nan))
    return np.ma.getdata(column)
