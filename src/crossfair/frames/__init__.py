"""Frames and files: the one place that knows dataframe libraries (narwhals) and files (DuckDB).

Everything downstream works on the small tables that come from here.
"""

from __future__ import annotations

from typing import Any

from crossfair.counts import Counts
from crossfair.frames import arrays, interpret, kernel, source
from crossfair.reading import Reading

__all__ = ["read_counts"]


def read_counts(data: Any, reading: Reading) -> Counts:
    """Count a dict of columns, a frame of any library, or files, by one group-by where the data is.

    >>> people = {"sex": ["F", "M", "F"], "hired": [0, 1, 1]}
    >>> read_counts(people, Reading(by="sex", label="hired")).support.tolist()
    [2, 1]
    """
    table = source.open_source(data, reading.table, list(reading.columns.values()))
    with table.guard():
        picked = table.take(reading.columns)
        groups = arrays.count(picked, reading) if isinstance(picked, dict) else kernel.count(picked, reading)
    return interpret.to_counts(table.decoded(groups), reading)
