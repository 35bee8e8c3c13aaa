"""Hypothesis strategies for values, cells and counts."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

from crossfair.counts import Counts
from crossfair.fixed import Fixed, Weights

texts = st.text(alphabet="aB01é -", max_size=3)
dates = st.dates(datetime.date(2000, 1, 1), datetime.date(2030, 1, 1))
# Within a column values are of one type; text is never ambiguous by itself.
column_kinds: list[st.SearchStrategy[Any]] = [texts, st.integers(-3, 12), st.booleans(), dates]


@st.composite
def columns(draw: st.DrawFn, size: int) -> list[Any]:
    """A column of one type, perhaps with missing values."""
    kind = draw(st.sampled_from(column_kinds))
    return draw(st.lists(kind | st.none(), min_size=size, max_size=size))


@st.composite
def records(
    draw: st.DrawFn, *, most: int = 25, outcomes: int = 2, attributes: int = 2
) -> dict[str, list[Any]]:
    """Columns of records: attributes a0, a1, …, label, prediction and weight."""
    size = draw(st.integers(1, most))
    table = {f"a{i}": draw(columns(size)) for i in range(attributes)}
    codes = st.lists(st.integers(0, outcomes - 1), min_size=size, max_size=size)
    table["label"], table["prediction"] = draw(codes), draw(codes)
    table["prediction"][0] = table["label"][0]  # columns without a common value are refused
    weights = st.floats(0.25, 1000.0) | st.integers(1, 50)
    table["weight"] = draw(st.lists(weights, min_size=size, max_size=size))
    return table


def counted(
    table: dict[str, list[Any]],
    *,
    weighted: bool = False,
    outcomes: tuple[Any, ...] = (0, 1),
    positive: Any = 1,
) -> Counts:
    """Count records, each a row of its own; label and prediction hold codes of `outcomes`."""
    by = [name for name in table if name.startswith("a")]
    size = len(table["label"])
    weight = np.array(table["weight"], dtype=np.float64)
    return Counts.assemble(
        by=by,
        keys=[table[name] for name in by],
        labels=[outcomes[code] for code in table["label"]],
        predictions=[outcomes[code] for code in table["prediction"]],
        n=np.ones(size, dtype=np.int64),
        weights=Weights(Fixed.from_floats(weight), Fixed.from_floats(weight**2)) if weighted else None,
        positive=positive,
    )


def taken(table: dict[str, list[Any]], rows: list[int]) -> dict[str, list[Any]]:
    """Some of the records."""
    return {name: [column[row] for row in rows] for name, column in table.items()}


def table_of(n: Any, levels: tuple[int, ...], *, numerals: bool = False) -> dict[str, list[Any]]:
    """A table of counts from an array (cells, 2, 2) over [label, prediction], for the product of levels."""
    cells = list(itertools.product(*(range(size) for size in levels)))
    rows = list(itertools.product(range(len(cells)), (0, 1), (0, 1)))
    table: dict[str, list[Any]] = {
        f"a{i}": [cells[cell][i] if numerals else f"v{cells[cell][i]}" for cell, _, _ in rows]
        for i in range(len(levels))
    }
    return {
        **table,
        "label": [label for _, label, _ in rows],
        "prediction": [prediction for _, _, prediction in rows],
        "n": [n[row] for row in rows],
    }


def counts_of(n: Any, levels: tuple[int, ...] | None = None) -> Counts:
    """Counts from an array (cells, 2, 2) over [label, prediction]; attributes a0, a1, … make the cells."""
    n = np.asarray(n)
    table = table_of(n, (len(n),) if levels is None else levels)
    by = [name for name in table if name.startswith("a")]
    return Counts.from_table(table, by=by, label="label", prediction="prediction")


@st.composite
def count_arrays(draw: st.DrawFn, *, least_cells: int = 1, most_cells: int = 6, most: int = 8) -> Any:
    """An array (cells, 2, 2) of counts, zeros likely, at least one record."""
    cells = draw(st.integers(least_cells, most_cells))
    entries = st.sampled_from([0, 0, 1, 2, 3, most])
    n = np.array(draw(st.lists(entries, min_size=cells * 4, max_size=cells * 4))).reshape(cells, 2, 2)
    if not n.any():
        n[0, 0, 0] = 1
    return n


@st.composite
def counts(draw: st.DrawFn, *, attributes: int = 2, most: int = 8) -> Counts:
    """Counts over some attributes of two or three levels each."""
    levels = tuple(draw(st.lists(st.integers(2, 3), min_size=attributes, max_size=attributes)))
    size = int(np.prod(levels))
    n = draw(count_arrays(least_cells=size, most_cells=size, most=most))
    return counts_of(n, levels)
