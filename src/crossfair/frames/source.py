"""What the user handed over, as columns that can be picked by position and renamed, in the library's own way.

Only the needed columns are picked, and they are renamed before anything else sees them: a dot, a quote or
a clash of names in a user's table breaks one engine or another.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import narwhals.dependencies as known

from crossfair.errors import invalid, nearest
from crossfair.frames import arrow_files, database, duckdb_tables, files, libraries, pandas_like, paths, spark
from crossfair.frames.paths import Files

Frame = nw.LazyFrame[Any]
Picked = Frame | dict[str, Any]
Positions = Mapping[str, int]


@dataclass(frozen=True)
class Source:
    """A table whose columns can be picked: names in order, and how to take some under other names.

    `connection` is that of DuckDB, for files that it reads.
    """

    names: Sequence[Any]
    pick: Callable[[Positions], Picked]
    index: Sequence[Any] = ()
    decode: Callable[[Any], Any] | None = None
    guard: Callable[[], AbstractContextManager[None]] = libraries.errors
    in_memory: bool = False
    connection: Any = None

    def take(self, wanted: Mapping[str, str]) -> Picked:
        """Return the wanted columns, {new name: name in the table}; an unknown one is an error."""
        return self.pick({new: self._position(name) for new, name in wanted.items()})

    def _position(self, name: str) -> int:
        found = [i for i, known_name in enumerate(self.names) if known_name == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise invalid("data", "a needed column must be there once", got=f"{len(found)} columns {name!r}",
                          hint="Rename or remove the others.")  # fmt: skip
        if name in self.index:
            hint: str | None = "It is the name of the frame's index: call reset_index() first."
        elif name in map(str, self.names):
            hint = "A column must be named by text: rename it."
        else:
            hint = nearest(name, map(str, self.names))
        shown = ", ".join(map(str, self.names[:12])) + (", …" if len(self.names) > 12 else "")
        raise invalid("data", f"has no column {name!r}", got=f"the columns {shown or 'none'}", hint=hint)


def open_source(data: Any, table: str | None = None, needed: Sequence[str] = ()) -> Source:
    """Return the columns of a dict, a frame of any library that narwhals knows, or files."""
    if database.is_database(data):
        raise invalid("data", "a table of a database is counted, not read row by row",
                      got=f"data of type {kind_of(data)}",
                      hint="A policy decides there by SQL: policy.to_sql(table=…, key=…).")  # fmt: skip
    if is_path(data):
        return _files(paths.find(data), table, needed)
    if duckdb_tables.is_connection(data):
        return _frame(duckdb_tables.find(data, table))
    if table is not None:
        raise invalid("table", "is for databases only", got=f"{table!r} with data of type {kind_of(data)}")
    if isinstance(data, Mapping):
        columns = list(data.values())
        return Source(list(data), lambda at: {new: columns[i] for new, i in at.items()})
    with libraries.errors():
        return _frame(nw.to_native(data, pass_through=True))


def is_path(data: Any) -> bool:
    """Whether the data are given as a path, a glob, a folder or a list of paths."""
    single = isinstance(data, (str, os.PathLike))
    return single or (
        isinstance(data, (list, tuple)) and all(isinstance(item, (str, os.PathLike)) for item in data)
    )


def _files(found: Files, table: str | None, needed: Sequence[str]) -> Source:
    if found.kind == "Arrow IPC":
        guard = functools.partial(arrow_files.errors, found.paths[0])
        with guard():
            return replace(_frame(arrow_files.scan(found.paths)), guard=guard)
    guard = functools.partial(files.errors, found.paths[0])
    with guard():
        opened = files.open_files(found, table, needed)
    return Source(opened.names, opened.pick, decode=opened.decode, guard=guard, connection=opened.connection)


def _frame(data: Any) -> Source:
    if known.is_pandas_dataframe(data):
        return Source(
            list(data.columns),
            lambda at: _lazy(pandas_like.pick(data, at)),
            index=data.index.names,
            in_memory=True,
        )
    if known.is_polars_dataframe(data) or known.is_polars_lazyframe(data):
        return _polars(data.lazy(), in_memory=known.is_polars_dataframe(data))
    if known.is_pyarrow_table(data):
        return Source(data.column_names, lambda at: _lazy(_pick_arrow(data, at)), in_memory=True)
    if known.is_duckdb_relation(data):
        guard = functools.partial(files.errors, "data")
        with guard():
            columns = data.columns
        return Source(columns, lambda at: files.lazy(files.project(data, columns, at)), guard=guard)
    if spark.is_frame(data):
        with spark.errors():
            return Source(data.columns, lambda at: _lazy(spark.pick(data, at)), guard=spark.errors)
    try:
        frame = nw.from_native(data).lazy()
    except TypeError as error:
        raise invalid(
            "data",
            "must be a dict of columns, a dataframe, a path, or a list of paths",
            got=f"a value of type {kind_of(data)}",
        ) from error
    names = frame.collect_schema().names()
    return Source(names, lambda at: frame.select(**{new: nw.col(names[i]) for new, i in at.items()}))


def _lazy(native: Any) -> Frame:
    frame: Frame = nw.from_native(native).lazy()
    return frame


def kind_of(data: Any) -> str:
    """Return the type of a value, for messages."""
    return f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")


def _polars(lazy: Any, *, in_memory: bool) -> Source:
    polars = known.get_polars()

    def pick(at: Positions) -> Frame:
        # By position, since polars takes a name like ^a.*$ for a pattern.
        return _lazy(lazy.select(polars.nth(i).alias(new) for new, i in at.items()))

    return Source(lazy.collect_schema().names(), pick, in_memory=in_memory)


def _pick_arrow(table: Any, at: Positions) -> Any:
    picked = table.select(list(at.values())).rename_columns(list(at))
    return picked.unify_dictionaries()  # chunks with different dictionaries cannot be grouped
