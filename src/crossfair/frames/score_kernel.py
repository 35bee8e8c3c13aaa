"""The exact table of scores: records by attributes, label and score, where the data is, then as arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from crossfair.frames import fetch, gathered, interpret, kernel, long, numbers
from crossfair.frames.coded import compressed
from crossfair.frames.gathered import Gathered
from crossfair.frames.groups import LIMBS, WeightSums
from crossfair.frames.score_rows import ScoreRows
from crossfair.reading import Reading

Frame = nw.LazyFrame[Any]
Arrays = Mapping[str, NDArray[Any]]


def extent(frame: Frame, reading: Reading) -> tuple[float, float]:
    """Return the lowest and the highest finite score."""
    converted, _ = numbers.convert(frame, reading)
    finite = converted.select(nw.when(numbers.valid("score")).then(nw.col("score")).alias("score"))
    found = fetch.columns(finite.select(nw.min("score").alias("low"), nw.max("score").alias("high")))
    low, high = (float("nan") if end[0] is None else float(end[0]) for end in (found["low"], found["high"]))
    return low, high


def records(frame: Frame) -> int:
    """Return the number of records."""
    return int(fetch.columns(frame.select(nw.len().alias("n")))["n"][0])


def score_rows(
    frame: Frame, reading: Reading, bits: int | None, *, in_memory: bool = False, probe: bool = False
) -> ScoreRows:
    """Return the records of a frame, renamed to the parts of `reading.columns`, by label and score.

    What is in memory, or few enough to be asked for exactly, is taken score by score: grouping millions of
    them costs more than sorting them afterwards. Everything else is grouped first, since only its engine can
    hold the records. With `probe` bins that hold one score each are given as these scores.
    """
    kernel.check_types(frame, reading)
    converted, texts = numbers.convert(frame, reading)
    keys = kernel.keys(reading, ["label"])
    score = nw.col("score") if bits is None else _binned(bits)
    wrong = [nw.col(f"bad_{part}") for part in texts]
    limbs = kernel.limbs() if reading.weight is not None else []
    ends = [nw.col("score").alias(end) for end in ENDS] if probe else []
    selected = converted.select(*keys.values(), score.alias("score"), *ends, *wrong, *limbs)
    fits = in_memory or bits is None
    as_lists = fits and not ends and not limbs and gathered.can_gather(selected)
    if selected.implementation.is_duckdb():
        rows, arrays = _from_duckdb(selected, list(keys), reading, bits, as_lists=as_lists)
    elif as_lists:
        rows, arrays = _from_lists(gathered.gather(selected, list(keys)), bits)
    else:
        fetched = selected if fits and long.is_here(selected) else _grouped(selected, *keys)
        collected = long.collect(fetched, list(keys))
        arrays = collected.numbers
        rows = ScoreRows.of(collected.coded, *_sums(arrays, reading), bits)
    kernel.check_texts(frame, {part: int(arrays[f"bad_{part}"].sum()) for part in texts}, reading)
    return rows.unbinned(*(np.asarray(arrays[end], dtype=np.float64) for end in ENDS)) if probe else rows


# How the columns are put together that are not added up: the ends of a bin's scores, the largest weight.
ENDS = ("low", "high")
_TOTALS = {"low": nw.Expr.min, "high": nw.Expr.max, "largest": nw.Expr.max}


def _binned(bits: int) -> nw.Expr:
    """The lower edge of the bin of each score; a large one has no fraction to lose.

    Only scores of moderate size are floored: some engines floor to integers, which have no NaN and an end.
    """
    score, scale = nw.col("score"), 2.0**bits
    moderate = numbers.valid("score") & (score.abs() < 2.0**53 / scale)
    return nw.when(moderate).then((score * scale).floor() / scale).otherwise(score)


def _grouped(selected: Frame, *keys: str) -> Frame:
    names = [name for name in selected.collect_schema().names() if name not in (*keys, "score")]
    totals = [_TOTALS.get(name, nw.Expr.sum)(nw.col(name)) for name in names]
    return selected.group_by(*keys, "score").agg(nw.len().alias("n"), *totals)


def _from_lists(found: Gathered, bits: int | None) -> tuple[ScoreRows, Arrays]:
    table = dict(found.table)
    label = table.pop("label")
    keys = [table.pop(name) for name in list(table) if name.startswith("k")]
    sums = {name: np.array(column, dtype=np.int64) for name, column in table.items()}
    return ScoreRows(found.group, keys, label, found.scores, found.ones, None, bits), sums


def _from_duckdb(
    selected: Frame, keys: list[str], reading: Reading, bits: int | None, *, as_lists: bool
) -> tuple[ScoreRows, Arrays]:
    from crossfair.frames import long_duckdb

    known = long_duckdb.levels(selected, keys)
    for part, level in known.items():
        interpret.check_levels(reading.columns[part], set(level), None)
    if math.prod(len(level) + 1 for level in known.values()) >= 2**62:
        raise interpret.too_many_cells()
    recoded = long_duckdb.recoded(selected, known)
    if as_lists:
        found = gathered.gather(recoded, [long_duckdb.CODE])
        decoded = long_duckdb.decoded(np.array(found.table.pop(long_duckdb.CODE)), known)
        table = {name: column.at(np.arange(len(found.sizes))) for name, column in zip(known, decoded)}
        return _from_lists(replace(found, table=table | found.table), bits)
    arrays = long_duckdb.arrays(_grouped(recoded, long_duckdb.CODE))
    group, first = compressed(arrays[long_duckdb.CODE])
    columns = long_duckdb.decoded(arrays[long_duckdb.CODE][first], known)
    *raw, label = (column.at(np.arange(len(first))) for column in columns)
    return ScoreRows(group, raw, label, *_sums(arrays, reading), bits), arrays


def _sums(
    arrays: Arrays, reading: Reading
) -> tuple[NDArray[np.float64], NDArray[np.int64], WeightSums | None]:
    """The score, the records and the weights of each row."""
    score = np.asarray(arrays["score"], dtype=np.float64)
    n = arrays.get("n", np.ones(1, dtype=np.int64))
    weights = None
    if reading.weight is not None:
        limbs = {name: np.asarray(arrays[name], dtype=np.int64) for name in LIMBS}
        weights = WeightSums(**limbs, largest=float(np.max(arrays["largest"], initial=0.0)))
    return score, np.broadcast_to(np.asarray(n, dtype=np.int64), score.shape), weights
