"""Tidy columns → a frame or a column of the caller's own library."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import narwhals.dependencies as known
import numpy as np

from crossfair.errors import invalid
from crossfair.frames.source import is_path, kind_of

_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")

_SQL_TYPES: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    str: "VARCHAR",
    datetime.date: "DATE",
}


def library(data: Any) -> str | None:
    """Return the name of the dataframe library that tables about `data` should be given in, None for a dict.

    >>> library({"sex": ["F"]}) is None
    True
    """
    native = nw.to_native(data, pass_through=True)
    if known.is_pandas_dataframe(native) or known.is_dask_dataframe(native):
        return "pandas"
    if known.is_polars_dataframe(native) or known.is_polars_lazyframe(native):
        return "polars"
    if known.is_pyarrow_table(native):
        return "pyarrow"
    return "duckdb" if known.is_duckdb_relation(native) else None


def table(columns: Mapping[str, Any], like: Any) -> Any:
    """Return columns as a frame of the library that `like` names or belongs to; a dict where it has none."""
    name = like if isinstance(like, str) and like in _LIBRARIES else library(like)
    plain = {column: _listed(items) for column, items in columns.items()}
    if name == "duckdb":
        return _relation(plain)
    if name is None:
        return plain
    backend: Any = name
    return nw.from_dict(plain, backend=backend).to_native()


def series(data: Any, values: Any, name: str) -> Any:
    """Return one value per row of `data` as a column of its library, a numpy array where it has none."""
    native = nw.to_native(data, pass_through=True)
    if known.is_pandas_dataframe(native):
        return known.get_pandas().Series(np.asarray(values), index=native.index, name=name)
    if known.is_polars_dataframe(native) or known.is_polars_lazyframe(native):
        return known.get_polars().Series(name, np.asarray(values))
    if known.is_pyarrow_table(native):
        return known.get_pyarrow().chunked_array([np.asarray(values)])
    return np.asarray(values)


def with_column(data: Any, name: str, values: Any) -> Any:
    """Return the caller's table with one more column at its end; a name that is taken is an error."""
    native = nw.to_native(data, pass_through=True)
    column = series(native, values, name)
    _check_free(name, native)
    if isinstance(native, Mapping):
        return {**native, name: column}
    if known.is_pandas_dataframe(native):
        return native.assign(**{name: column})
    if known.is_polars_dataframe(native):
        return native.with_columns(column)
    if known.is_polars_lazyframe(native):
        return native.collect().with_columns(column).lazy()
    if known.is_pyarrow_table(native):
        return native.append_column(name, column)
    raise invalid(
        "data",
        "must be a dict of columns or a frame of pandas, polars or PyArrow to take another column",
        got="a path" if is_path(native) else f"a value of type {kind_of(native)}",
    )


def _check_free(name: str, native: Any) -> None:
    taken = native.column_names if known.is_pyarrow_table(native) else getattr(native, "columns", native)
    if known.is_polars_lazyframe(native):
        taken = native.collect_schema().names()
    if not is_path(native) and name in list(taken):
        raise invalid("name", "must not be a column of the table", got=repr(name))


def _listed(items: Any) -> list[Any]:
    return list(items.tolist()) if isinstance(items, np.ndarray) else list(items)


def _relation(columns: Mapping[str, list[Any]]) -> Any:
    """A DuckDB relation of its own, typed by the values; no other library is needed."""
    import duckdb

    connection = duckdb.connect()
    names = {name: '"' + name.replace('"', '""') + '"' for name in columns}
    types = ", ".join(f"{names[name]} {_sql_type(items)}" for name, items in columns.items())
    connection.execute(f"CREATE TABLE given ({types})")
    rows = list(zip(*columns.values()))
    if rows:
        connection.executemany(f"INSERT INTO given VALUES ({', '.join('?' * len(columns))})", rows)
    return connection.table("given")


def _sql_type(items: list[Any]) -> str:
    kinds = {type(item) for item in items if item is not None}
    if kinds == {int, float}:
        return "DOUBLE"
    return _SQL_TYPES.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"
