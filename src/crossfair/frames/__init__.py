"""Frames and files: the one place that knows dataframe libraries (narwhals) and files (DuckDB).

Everything downstream works on the small tables that come from here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import invalid
from crossfair.frames import (
    affordable,
    arrays,
    database,
    fetch,
    kernel,
    paths,
    results,
    score_kernel,
    source,
    sql,
)
from crossfair.frames.database import is_location, without_password
from crossfair.frames.give import library, series, with_column
from crossfair.frames.give import table as give
from crossfair.frames.partitions import column as lazy_column
from crossfair.frames.partitions import is_lazy, is_partitioned
from crossfair.frames.score_rows import ScoreRows
from crossfair.reading import Reading

__all__ = [
    "columns",
    "give",
    "is_lazy",
    "is_location",
    "is_partitioned",
    "lazy_column",
    "library",
    "paths_of",
    "read_counts",
    "read_curves",
    "series",
    "with_column",
    "without_password",
]


def read_counts(data: Any, reading: Reading) -> Counts:
    """Count a dict of columns, a frame, files, or a table of a database, by one group-by where the data is.

    >>> people = {"sex": ["F", "M", "F"], "hired": [0, 1, 1]}
    >>> read_counts(people, Reading(by="sex", label="hired")).support.tolist()
    [2, 1]
    """
    if database.is_database(data):
        with database.opened(data, reading.table) as asked:
            return results.to_counts(sql.count(asked, reading), reading)
    table = source.open_source(data, reading.table, list(reading.columns.values()))
    with table.guard():
        picked = table.take(reading.columns)
        groups = arrays.count(picked, reading) if isinstance(picked, dict) else kernel.count(picked, reading)
    decoded = groups if table.decode is None else groups.decoded(table.decode)
    return results.to_counts(decoded, reading)


def read_curves(
    data: Any, reading: Reading, *, bits: int | None = None, most_steps: int = affordable.MOST_STEPS
) -> Curves:
    """Read the curves of the scores: on a dyadic grid of 2^bits steps per unit of score, or exact.

    Without `bits` what is not in this process' memory is binned if exact curves would have more than
    `most_steps` rows.

    >>> people = {"sex": ["F", "M", "F"], "hired": [0, 1, 1], "p": [0.2, 0.7, 0.7]}
    >>> read_curves(people, Reading(by="sex", label="hired", score="p")).scores.tolist()
    [0.7, 0.2, 0.7]
    """
    for argument in ("score", "label"):
        if getattr(reading, argument) is None:
            raise invalid(argument, "curves need the column of labels and that of scores", got="none")
    if database.is_database(data):
        with database.opened(data, reading.table) as asked:
            return results.to_curves(_database_rows(asked, reading, bits, most_steps), reading)
    table = source.open_source(data, reading.table, list(reading.columns.values()))
    with table.guard():
        picked = table.take(reading.columns)
        if isinstance(picked, dict):
            rows = arrays.score_rows(picked, reading, bits)
        elif bits is not None or table.in_memory:
            rows = score_kernel.score_rows(picked, reading, bits, in_memory=table.in_memory)
        else:
            read = functools.partial(score_kernel.score_rows, picked, reading)
            extent = functools.partial(score_kernel.extent, picked, reading)
            rows = affordable.read(read, score_kernel.records(picked), extent, most_steps)
    return results.to_curves(rows if table.decode is None else rows.decoded(table.decode), reading)


def _database_rows(asked: database.Database, reading: Reading, bits: int | None, most: int) -> ScoreRows:
    if bits is not None:
        return sql.score_rows(asked, reading, bits)
    read = functools.partial(sql.score_rows, asked, reading)
    return affordable.read(read, sql.records(asked), functools.partial(sql.extent, asked, reading), most)


def columns(data: Any, names: Sequence[str], table: str | None = None) -> dict[str, list[Any]]:
    """Return columns of a small table, a dict, a frame or files, as plain lists in the order of the rows.

    >>> columns({"sex": ["F", "M"], "n": [3, 4]}, ["n"])
    {'n': [3, 4]}
    """
    opened = source.open_source(data, table, names)
    inner = {f"c{i}": name for i, name in enumerate(dict.fromkeys(names))}
    with opened.guard():
        picked = opened.take(inner)
        if isinstance(picked, dict):
            lists = {part: arrays.to_list(column, inner[part]) for part, column in picked.items()}
        else:
            lists = fetch.columns(picked)
    decode = opened.decode or (lambda raw: raw)
    return {name: [decode(raw) for raw in lists[part]] for part, name in inner.items()}


def paths_of(data: Any) -> tuple[str, ...]:
    """Return the files that a path, a glob, a folder or a list of these means, in the order they are read.

    >>> paths_of("people.csv")
    Traceback (most recent call last):
    ...
    crossfair.errors.FormatError: people.csv: there is no such file. ...
    """
    return paths.find(data).paths
