"""Small tables of everything that real columns hold are read alike, or refused alike, on every engine."""

from __future__ import annotations

import datetime
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engines
from crossfair.errors import InputError
from crossfair.frames import read_counts, read_curves
from crossfair.reading import Reading
from engines import TEXT, TYPED, Columns, Engine

NAMES = [
    "a.b",
    "`a`",
    '"a"',
    "it's",
    "^a.*$",
    "n",
    "k0",
    "k1",
    "label",
    "score",
    "weight",
    "code",
    "low",
    "é",
]
KINDS: dict[str, st.SearchStrategy[Any]] = {
    "text": st.sampled_from(["", " ", "NA", "null", "nan", "01", "1", "a,b", 'say "hi"', "two\nlines", "é"]),
    "integers": st.sampled_from([0, 1, -1, 2**31, 2**53 + 1]),
    "floats": st.sampled_from([0.0, -0.0, 1.0, float("nan")]),
    "booleans": st.booleans(),
    "dates": st.sampled_from([datetime.date(1969, 12, 31), datetime.date(2020, 2, 29)]),
}
MIXED = st.sampled_from([1, "1", 1.0, True, "a", datetime.date(2020, 1, 1)])
# One of each way of reading; the others are tested with fixed tables, and so is Dask, which takes a moment.
CHOSEN = (
    "arrays", "pandas", "pandas nullable", "pandas arrow", "pandas categories", "polars lazy",
    "pyarrow", "pyarrow dictionary", "duckdb", "json lines", "csv",
)  # fmt: skip
ENGINES = [engine for engine in (*TYPED, *TEXT) if engine.name in CHOSEN]
OBJECTS = [engine for engine in TYPED if engine.name in ("arrays", "pandas objects")]


EXAMPLES = 12


@st.composite
def tables(draw: st.DrawFn, kinds: dict[str, st.SearchStrategy[Any]]) -> tuple[Columns, dict[str, Any]]:
    """A table of hostile columns under hostile names, and how to read it."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=5, max_size=5, unique=True))
    size = draw(st.integers(1, 12))

    def column(items: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(items, min_size=size, max_size=size))

    attributes = [column(draw(st.sampled_from(list(kinds.values()))) | st.none()) for _ in range(2)]
    outcomes = column(st.sampled_from([0, 1, 1, None]))
    scores = column(st.sampled_from([0.25, 0.5, -0.0, 0.0, 1e-300, 7.0, float("nan"), float("inf"), None]))
    weights = column(st.sampled_from([0.0, 0.5, 1e-6, 3.0, 2.0**31]))
    *by, label, score, weight = names
    read = {"by": by, "label": label, "score": score, "positive": 1,
            "missing": draw(st.sampled_from(["level", "drop", "error"]))}  # fmt: skip
    if draw(st.booleans()):
        read["weight"] = weight
    return dict(zip(names, [*attributes, outcomes, scores, weights])), read


def told(data: Any, read: dict[str, Any]) -> list[Any]:
    """Counts and curves, or what is said instead."""
    found: list[Any] = []
    for reader in (read_counts, read_curves):
        try:
            found.append(reader(data, Reading(**read)))
        except InputError as error:
            found.append(str(error))
    return found


def check(engine: Engine, table: Columns, read: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values that look alike; tested elsewhere
        data = engine(table, Path(folder))
        plain, positive = dict(table), {}
        if engine in TEXT:
            plain, positive = engines.as_text(table), {"positive": "1"}
        elif engine.name == "json lines":
            plain = {name: [engines.json_value(item) for item in column] for name, column in table.items()}
        assert told(data, {**read, **positive}) == told(plain, {**read, **positive})


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(KINDS))
def test_any_table_is_read_alike_or_refused_alike(engine: Engine, case: Any) -> None:
    check(engine, *case)


@pytest.mark.parametrize("engine", OBJECTS, ids=lambda engine: engine.name)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables({"mixed": MIXED}))
def test_columns_of_mixed_types_are_read_alike_or_refused_alike(engine: Engine, case: Any) -> None:
    check(engine, *case)
