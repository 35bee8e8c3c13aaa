"""The figures of a run are rows; here one finds them by what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Figures = Mapping[str, Any]
Row = Mapping[str, Any]


def select(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """Return the rows that are about this.

    >>> select([{"size": 50, "mse": 1.0}, {"size": 100, "mse": 0.5}], size=100)
    [{'size': 100, 'mse': 0.5}]
    """
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def one(rows: Iterable[Row], **wanted: Any) -> Row:
    """Return the only row that is about this.

    >>> one([{"size": 50, "mse": 1.0}, {"size": 100, "mse": 0.5}], size=100)["mse"]
    0.5
    """
    (row,) = select(rows, **wanted)
    return row
