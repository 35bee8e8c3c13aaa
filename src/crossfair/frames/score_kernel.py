"""The exact table of scores: records by attributes, label and score, where the data is, then as arrays."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from crossfair.frames import kernel, long, numbers
from crossfair.frames.groups import LIMBS, WeightSums
from crossfair.frames.long import Long
from crossfair.frames.score_rows import ScoreRows
from crossfair.reading import Reading

Frame = nw.LazyFrame[Any]


def score_rows(frame: Frame, reading: Reading, bits: int | None) -> ScoreRows:
    """Return the records of a frame, renamed to the parts of `reading.columns`, by label and score.

    Libraries in memory give the records as they are: grouping millions of scores there costs more than
    sorting them afterwards. The others group, since only they can hold the data.
    """
    kernel.check_types(frame, reading)
    converted, texts = numbers.convert(frame, reading)
    keys = kernel.keys(reading, ["label"])
    score = nw.col("score") if bits is None else (nw.col("score") * 2.0**bits).floor() / 2.0**bits
    wrong = [nw.col(f"bad_{part}") for part in texts]
    limbs = kernel.limbs() if reading.weight is not None else []
    selected = converted.select(*keys.values(), score.alias("score"), *wrong, *limbs)
    table = _collected(selected, list(keys), reading)
    kernel.check_texts(frame, {part: int(table.numbers[f"bad_{part}"].sum()) for part in texts}, reading)
    return _rows(table, reading)


def _collected(selected: Frame, keys: list[str], reading: Reading) -> Long:
    kind = selected.implementation
    if kind.is_pandas_like() or kind.is_pyarrow():
        return long.collect(selected, keys)
    if not kind.is_duckdb():
        return long.collect(_grouped(selected, keys), keys)
    known = long.levels(selected, keys)
    kernel.check_levels(known, reading)
    return long.collect_recoded(_grouped(long.recoded(selected, known), keys), known)


def _grouped(selected: Frame, keys: list[str]) -> Frame:
    names = [name for name in selected.collect_schema().names() if name not in (*keys, "score")]
    totals = [nw.col(name).max() if name == "largest" else nw.col(name).sum() for name in names]
    return selected.group_by(*keys, "score").agg(nw.len().alias("n"), *totals)


def _rows(table: Long, reading: Reading) -> ScoreRows:
    score = np.asarray(table.numbers["score"], dtype=np.float64)
    n = table.numbers.get("n")
    weights = None
    if reading.weight is not None:
        limbs = {name: np.asarray(table.numbers[name], dtype=np.int64) for name in LIMBS}
        weights = WeightSums(**limbs, largest=float(np.max(table.numbers["largest"], initial=0.0)))
    return ScoreRows(
        keys=[table.coded[f"k{i}"] for i in range(len(reading.attributes))],
        label=table.coded["label"],
        score=score,
        n=np.ones(len(score), dtype=np.int64) if n is None else np.asarray(n, dtype=np.int64),
        weights=weights,
    )
