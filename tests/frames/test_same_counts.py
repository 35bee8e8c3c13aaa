"""The same hostile records give the same counts and curves on every engine and file kind, to the last bit."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import crossfair as cf
import engines
from crossfair.frames import read_counts
from crossfair.reading import Reading
from engines import Engine

RECORDS = 50_000
CURVES: dict[str, Any] = {
    "by": ["né`e.'", "age", "k0"],
    "bins": {"age": [30, 50.5]},
    "label": "n",
    "score": '"score"',
    "missing": "drop",
}
WEIGHTED = {"weight": "weight"}
READ = Reading(**CURVES, **WEIGHTED)
ESTIMATORS = (cf.Bayes(draws=50), cf.Smoothed())


@functools.cache
def hostile() -> dict[str, list[object]]:
    """Names as inside, nulls everywhere, −0.0, NaN, infinities, near-equal texts, tiny and large weights."""
    rng = np.random.default_rng(7)

    def pick(options: list[object], share_missing: float = 0.01) -> list[object]:
        chosen = [options[i] for i in rng.integers(len(options), size=RECORDS)]
        return [None if gone else item for item, gone in zip(chosen, rng.random(RECORDS) < share_missing)]

    ages = rng.choice([*range(18, 91), 50.5, -0.0, 0.0], size=RECORDS)
    ages[rng.random(RECORDS) < 0.001] = rng.choice([np.nan, np.inf, -np.inf])
    scores = np.where(rng.random(RECORDS) < 0.5, rng.random(RECORDS), rng.integers(0, 5, RECORDS) / 4)
    scores[rng.random(RECORDS) < 0.001] = -0.0
    scores[rng.random(RECORDS) < 0.001] = np.nan
    weights = rng.random(RECORDS) * rng.choice([1e-9, 1.0, 1e3], size=RECORDS)
    return {
        "né`e.'": pick(
            ["", "NA", "None", "null", "nan", "01", "1", "a,b", 'say "hi"', "two\nlines", "é", "e\u0301"]
        ),
        "age": [None if gone else float(age) for age, gone in zip(ages.tolist(), rng.random(RECORDS) < 0.01)],
        "k0": pick([0, 1, 7]),
        "n": pick([0, 1]),
        '"score"': [None if gone else float(s) for s, gone in zip(scores, rng.random(RECORDS) < 0.01)],
        "weight": weights.tolist(),
        "unused": pick(["x"]),
    }


class Read(NamedTuple):
    """All that is read from one table, with weights and without."""

    counts: list[cf.Counts]
    curves: list[cf.Curves]
    bins: list[cf.Curves]
    audits: list[Any]


def read(data: Any, **options: Any) -> Read:
    ways = [{**CURVES, **options, **weight} for weight in (WEIGHTED, {})]
    found = [cf.audit(data, **way, estimator=estimator) for way, estimator in zip(ways, ESTIMATORS)]
    audits = [json.loads(audit.to_json()) for audit in found]
    return Read(
        [audit.counts for audit in found],
        [cf.curves(data, **way) for way in ways],
        [cf.curves(data, **ways[0], bits=6)],
        [{key: part for key, part in audit.items() if key != "run"} for audit in audits],
    )


@functools.cache
def expected_of_all(text: bool) -> Read:
    found = read(engines.as_text(hostile()) if text else hostile())
    assert found.bins == [found.curves[0].quantise(bins=64)]
    return found


def expected(text: bool) -> tuple[cf.Counts, cf.Curves]:
    """Counts and curves with weights."""
    return expected_of_all(text).counts[0], expected_of_all(text).curves[0]


KINDS = [*engines.TYPED, *engines.MORE, *engines.TEXT, *engines.MORE_TEXT]


@pytest.mark.parametrize("engine", KINDS, ids=lambda engine: engine.name)
def test_counts_curves_and_audits_are_the_same_on_every_engine(engine: Engine, tmp_path: Path) -> None:
    found = read(engine(hostile(), tmp_path), **engine.options)
    text = engine in (*engines.TEXT, *engines.MORE_TEXT)
    for one, other in zip(found, expected_of_all(text)):
        assert one == other


def test_text_and_typed_tables_hold_the_same_numbers():
    typed, text = expected(False)[0], expected(True)[0]
    assert np.array_equal(typed.n, text.n)
    assert typed.weights == text.weights
    assert dict(typed.dropped) == dict(text.dropped)


def test_counts_agree_with_a_plain_loop():
    columns, counts = hostile(), expected(False)[0]
    table: dict[tuple[object, ...], int] = {}
    for record in zip(*columns.values()):
        if None not in record[:5] and math.isfinite(record[1]) and math.isfinite(record[4]):
            first, age, third, label, score = record[:5]
            shown = "≤ 30" if age <= 30 else "(30, 50.5]" if age <= 50.5 else "> 50.5"
            key = (first, shown, third, label, score >= 0.5)
            table[key] = table.get(key, 0) + 1
    found = {
        (*cell, label, prediction == 1): int(counts.n[i, label, prediction])
        for i, cell in enumerate(counts.cells.values)
        for label in (0, 1)
        for prediction in (0, 1)
        if counts.n[i, label, prediction]
    }
    assert found == table


def test_weights_sum_exactly_in_any_order():
    columns = hostile()
    order = np.random.default_rng(1).permutation(RECORDS)
    shuffled = {name: [column[i] for i in order] for name, column in columns.items()}
    assert read_counts(shuffled, READ) == expected(False)[0]


def test_shards_add_up_to_the_whole():
    columns = hostile()
    shards = [{name: column[i::3] for name, column in columns.items()} for i in range(3)]
    parts = [read_counts(shard, READ) for shard in shards]
    assert parts[0] + parts[1] + parts[2] == expected(False)[0]


@pytest.fixture(autouse=True)
def _similar_values_are_known(recwarn):
    """The two spellings of é warn, as they should; tested elsewhere."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
