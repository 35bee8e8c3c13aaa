"""Small results into Python, by each library's own means: narwhals' would need PyArrow for some."""

from __future__ import annotations

from typing import Any

import narwhals as nw

Table = dict[str, list[Any]]


def columns(frame: nw.LazyFrame[Any]) -> Table:
    """Collect a small lazy frame as columns of Python objects."""
    native, kind = frame.to_native(), frame.implementation
    if kind.is_duckdb():
        return _from_rows(native.columns, native.fetchall())
    if kind.is_spark_like():
        return _from_rows(native.columns, native.collect())
    if kind.is_polars():
        return dict(native.collect(engine="streaming").to_dict(as_series=False))
    if kind.is_pyarrow():
        return dict(native.to_pydict())
    if kind.is_pandas_like() or kind.is_dask():
        small = native.compute() if kind.is_dask() else native
        return {str(name): small[name].tolist() for name in small.columns}
    return {name: column.to_list() for name, column in frame.collect().to_dict().items()}


def _from_rows(names: list[str], rows: list[Any]) -> Table:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}
