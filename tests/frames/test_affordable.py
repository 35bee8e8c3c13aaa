"""Curves at scale: exact while their table is affordable, else bins within the budget, with their bounds."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossfair as cf
from components import require
from crossfair.errors import InputError
from frames.test_databases import fill_sqlite

READ: dict[str, Any] = {"by": "sex", "label": "y", "score": "p"}
SIZE = 4_000


def people(scores: Any, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    size = len(scores)
    return {
        "sex": [("F", "M")[i] for i in rng.integers(2, size=size)],
        "y": rng.integers(2, size=size).tolist(),
        "p": np.asarray(scores, dtype=float).tolist(),
    }


def spread(size: int = SIZE) -> dict[str, list[Any]]:
    return people(np.random.default_rng(1).random(size))


def parquet(columns: dict[str, list[Any]], folder: Path) -> str:
    path = folder / "people.parquet"
    require("pyarrow.parquet").write_table(require("pyarrow").table(columns), path)
    return str(path)


def table(columns: dict[str, list[Any]], _: Path) -> Any:
    connection = sqlite3.connect(":memory:")
    fill_sqlite(connection, "people", columns)
    return connection


ENGINES = [(parquet, {}), (table, {"table": "people"})]


@pytest.fixture(params=ENGINES, ids=["DuckDB", "SQLite"])
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Curves of columns, read by an engine within a budget."""
    build, options = request.param
    opened = []

    def curves(columns: dict[str, list[Any]], most_steps: int, **more: Any) -> cf.Curves:
        opened.append(build(columns, tmp_path))
        return cf.curves(opened[-1], **READ, **options, **more, most_steps=most_steps)

    yield curves
    for data in opened:
        if isinstance(data, sqlite3.Connection):
            data.close()


def test_curves_are_exact_while_the_records_are_few(read):
    assert read(spread(), SIZE) == cf.curves(spread(), **READ)


@pytest.mark.parametrize("most", [20, 300, 1_000, 3_999])
def test_else_they_are_binned_within_the_budget(read, most):
    found = read(spread(), most)
    assert not found.exact
    assert found == cf.curves(spread(), **READ).quantise(bins=2**found.bits)
    assert len(found.scores) <= most
    assert 8 * len(found.scores) > most  # and not much coarser than need be


@pytest.mark.parametrize(
    "scores",
    [
        np.tile([0.1, 0.2, 0.3, 0.7, 0.9, 0.99], 700),
        np.random.default_rng(0).integers(300, 850, size=SIZE),  # as credit scores are
        np.random.default_rng(0).integers(100, size=SIZE) / 100,
    ],
)
def test_few_distinct_scores_are_exact_whatever_the_number_of_records(read, scores):
    columns = people(scores)
    assert read(columns, 3_000) == cf.curves(columns, **READ)


def test_scores_of_any_scale(read):
    for scale in (1e-3, 1.0, 50.0):
        columns = people((np.random.default_rng(2).random(SIZE) - 0.5) * scale)
        found = read(columns, 1_000)
        assert not found.exact
        assert 125 < len(found.scores) <= 1_000
        assert found == cf.curves(columns, **READ, bits=found.bits)


def test_what_cannot_be_binned_within_the_budget_is_refused(read):
    with pytest.raises(
        InputError, match=r"score: bins of scores 1 wide must make at most 100 rows; got more\. Divide"
    ):
        read(people(np.random.default_rng(2).random(SIZE) * 1e6), 100)


def test_missing_scores_are_refused_and_dropped_as_ever(read):
    columns = spread()
    columns["p"][7] = None
    columns["p"][8] = float("inf")
    with pytest.raises(InputError, match="score: 'p' must be a finite number in every record; got 2 records"):
        read(columns, 500)
    found = read(columns, 500, missing="drop")
    assert found.dropped == {"score missing or not finite": 2}
    assert found == cf.curves(columns, **READ, missing="drop", bits=found.bits)


def test_data_in_memory_are_exact(tmp_path):
    assert cf.curves(spread(), **READ, most_steps=10).exact
    assert cf.curves(require("polars").DataFrame(spread()), **READ, most_steps=10).exact


def test_a_budget_is_a_whole_number():
    with pytest.raises(InputError, match="most_steps: "):
        cf.curves(spread(), **READ, most_steps=0)


def auc(curves: cf.Curves, cell: int) -> float:
    """The share of pairs of a positive and a negative in which the positive has the higher score."""
    chosen = curves.cell_of_step == cell
    scores, n = curves.scores[chosen], curves.n[chosen].astype(float)
    wins = (scores[:, None] > scores[None, :]) + 0.5 * (scores[:, None] == scores[None, :])
    return float(n[:, 1] @ wins @ n[:, 0] / n.sum(axis=0).prod())


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_the_bounds_hold(seed, bits):
    """No threshold inside a bin has rates further from those of both its edges; AUC lies within its bound."""
    rng = np.random.default_rng(seed)
    columns = people(rng.beta(1, 3, size=200).round(3), seed)
    exact = cf.curves(columns, **READ)
    binned = exact.quantise(bins=2**bits)
    for threshold in rng.random(20):
        moved = np.floor(threshold * 2**bits) / 2**bits
        shares = [
            n[:, :, 1] / np.maximum(n.sum(axis=2), 1)
            for n in (exact.counts_at(threshold)[0], binned.counts_at(moved)[0])
        ]
        assert (np.abs(shares[0] - shares[1]) <= binned.resolution + 1e-12).all()
    for cell in range(2):
        assert abs(auc(exact, cell) - auc(binned, cell)) <= binned.auc_error[cell] + 1e-12
