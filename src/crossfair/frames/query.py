"""A query over files, read in a stream: its result goes to a file, and memory does not grow with either."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossfair import files
from crossfair.dialects import DUCKDB
from crossfair.errors import InputError, invalid
from crossfair.frames import source
from crossfair.frames.paths import KINDS, ending, find
from crossfair.parsing import NO_NUMERAL, NUMERAL

Advance = Callable[[float], None]

# The view that a statement reads.
VIEW = "records"

_FORMATS = {"Parquet": "FORMAT parquet", "CSV": "FORMAT csv, HEADER", "TSV": "FORMAT csv, HEADER, DELIM '\t'"}
_OWN_WORDS = "Invalid Input Error: "  # before what a statement says by error(…)
_NUMERIC = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|BOOLEAN|DECIMAL.*"
_POLL = 0.2


@dataclass(frozen=True)
class Query:
    """Files as a view of some columns, on which statements can be run."""

    connection: Any

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        with _refusals():
            found: list[tuple[Any, ...]] = self.connection.execute(statement).fetchall()
        return found

    @contextlib.contextmanager
    def written(self, statement: str, path: str | os.PathLike[str], advance: Advance) -> Iterator[None]:
        """Write the result to a file, which appears, whole or not at all, once the block has succeeded too.

        `advance` is told the share done, step by step.
        """
        how = _format(path)
        with files.replacing(path) as unfinished:
            with _refusals(str(unfinished)), _watched(self.connection, advance):
                target = DUCKDB.text(str(unfinished))
                self.connection.execute(f"COPY ({statement}\n) TO {target} ({how})")
            yield


def check_target(path: str | os.PathLike[str], data: Any) -> None:
    """Refuse a path that is no file to write to: by its ending, by its place, or as one that is read."""
    _format(path)
    files.check_target(path, "out")
    read = find(data).paths if source.is_path(data) and os.path.exists(path) else ()
    if any(os.path.samefile(path, one) for one in read):
        raise invalid("out", "must not be a file that is read", got=repr(os.fspath(path)))


def names(data: Any, table: str | None) -> set[str]:
    """Return the names of the columns of files."""
    return set(map(str, source.open_source(data, table).names))


@contextlib.contextmanager
def opened(
    data: Any,
    columns: Mapping[str, str],
    numbers: Mapping[str, str],
    table: str | None,
    row_number: str | None = None,
) -> Iterator[Query]:
    """Give files as a view with `columns` under new names; text among `numbers` is parsed strictly.

    `numbers` maps new names to the argument that an error names; `row_number` names one column more.
    """
    found = source.open_source(data, table, list(columns.values()))
    if found.connection is None or found.decode is not None:
        got = repr(data) if source.is_path(data) else f"a value of type {source.kind_of(data)}"
        raise invalid("data", "must be CSV, TSV or Parquet files, or a DuckDB database", got=got)
    with found.connection, found.guard():
        picked = found.take(columns).to_native()  # type: ignore[union-attr]  # files are lazy frames
        kinds = dict(zip(picked.columns, map(str, picked.types)))
        selected = [
            f"{_number(new, name, kinds[new], numbers[new]) if new in numbers else DUCKDB.name(new)}"
            f" AS {DUCKDB.name(new)}"
            for new, name in columns.items()
        ]
        if row_number is not None:
            selected.append(f"row_number() OVER () AS {DUCKDB.name(row_number)}")
        picked.project(", ".join(selected)).create_view(VIEW)
        # It cannot tell how long a text file is, and might hold that in memory to join it to the policy.
        found.connection.execute("SET disabled_optimizers = 'build_side_probe_side,join_order'")
        yield Query(found.connection)


def _number(new: str, name: str, kind: str, argument: str) -> str:
    """A column as numbers: text by one rule for all engines, missing where it is empty or NaN."""
    column = DUCKDB.name(new)
    if kind != "VARCHAR":
        if not re.fullmatch(_NUMERIC, kind):
            raise invalid(argument, f"{name!r} must hold numbers", got=f"a column of type {kind}")
        return f"CAST({column} AS DOUBLE)"
    text = f"trim({column}, E' \\t\\r\\n')"
    refused = DUCKDB.text(f"{argument}: {name!r} must hold numbers; got ")
    return (
        f"CASE WHEN regexp_matches({text}, {DUCKDB.text(NUMERAL)}) THEN CAST({text} AS DOUBLE) "
        f"WHEN {column} IS NULL OR regexp_matches({text}, {DUCKDB.text(NO_NUMERAL)}) THEN NULL "
        f"ELSE CAST(error({refused} || {column}) AS DOUBLE) END"
    )


def _format(path: str | os.PathLike[str]) -> str:
    last, packed = ending(os.fspath(path))
    how = _FORMATS.get(KINDS.get(last, ""))
    if how is None or packed == ".zst" or (packed and how == _FORMATS["Parquet"]):
        known = ", ".join(end for end, kind in KINDS.items() if kind in _FORMATS)
        raise invalid("out", f"must end in one of {known}, a text also in .gz", got=repr(os.fspath(path)))
    return f"{how}, COMPRESSION gzip" if packed else how


@contextlib.contextmanager
def _refusals(target: str | None = None) -> Iterator[None]:
    """What a statement refuses by error(…), in its own words; and a target that cannot be written to."""
    import duckdb

    try:
        yield
    except duckdb.InvalidInputException as error:
        words = str(error).partition("\n")[0]
        if not words.startswith(_OWN_WORDS):
            raise
        said = "".join(c if c.isprintable() else repr(c)[1:-1] for c in words.removeprefix(_OWN_WORDS))
        raise InputError(f"{said}.") from error
    except duckdb.IOException as error:
        if target is None or target not in str(error):
            raise
        raise invalid("out", "cannot be written", got=str(error).partition("\n")[0]) from error


@contextlib.contextmanager
def _watched(connection: Any, advance: Advance) -> Iterator[None]:
    """Tell the share of the work that the connection has just done, while the block runs."""
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    stopped, told = threading.Event(), 0.0

    def watch() -> None:
        nonlocal told
        while not stopped.wait(_POLL):
            now = max(told, connection.query_progress() / 100)  # −1 where nothing is known
            advance(now - told)
            told = now

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stopped.set()
        watcher.join()
