"""Scores in lists, one per group of attributes and label: text is never repeated for millions of records."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from crossfair.frames import fetch
from crossfair.frames.groups import MOST_GROUPS, Ints

Frame = nw.LazyFrame[Any]


@dataclass(frozen=True)
class Gathered:
    """One row per group in `table`; the scores of all groups, one after the other; the size of each group."""

    table: fetch.Table
    scores: NDArray[np.float64]
    sizes: Ints

    @property
    def group(self) -> Ints:
        """The group of each score."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def ones(self) -> Ints:
        """One record for each score."""
        return np.broadcast_to(np.int64(1), self.scores.shape)


def can_gather(frame: Frame) -> bool:
    """Whether the engine of a frame makes lists, and holds them in this process."""
    kind = frame.implementation
    return bool(kind.is_polars() or kind.is_pyarrow() or kind.is_duckdb())


def gather(frame: Frame, keys: Sequence[str]) -> Gathered:
    """Group by keys; of the other columns "score" becomes a list, and the rest are added up."""
    native, kind = frame.to_native(), frame.implementation
    means = _polars if kind.is_polars() else _arrow if kind.is_pyarrow() else _duckdb
    sums = [name for name in frame.collect_schema().names() if name not in (*keys, "score")]
    return means(native, list(keys), sums)


def _polars(frame: Any, keys: list[str], sums: list[str]) -> Gathered:
    polars = importlib.import_module("polars")
    grouped = frame.group_by(keys).agg("score", polars.col(sums).sum()).head(MOST_GROUPS + 1)
    found = grouped.collect(engine="streaming")
    lists = found["score"]
    return Gathered(
        found.drop("score").to_dict(as_series=False),
        lists.explode().to_numpy(),
        lists.list.len().to_numpy().astype(np.int64),
    )


def _arrow(table: Any, keys: list[str], sums: list[str]) -> Gathered:
    grouped = table.group_by(keys).aggregate([("score", "list"), *((name, "sum") for name in sums)])
    named = grouped.select([*keys, "score_list", *(f"{name}_sum" for name in sums)])
    found = named.rename_columns([*keys, "score", *sums]).slice(0, MOST_GROUPS + 1)
    lists = found["score"].combine_chunks()
    return Gathered(
        found.drop_columns(["score"]).to_pydict(),
        lists.flatten().to_numpy(zero_copy_only=False),
        np.diff(lists.offsets.to_numpy()).astype(np.int64),
    )


def _duckdb(relation: Any, keys: list[str], sums: list[str]) -> Gathered:
    """The keys are integers: others would come as numpy has them, not as they are."""
    lists = "list(coalesce(score, 'NaN'::DOUBLE)) AS score"
    totals = [f"sum({name})::BIGINT AS {name}" for name in sums]
    grouped = relation.aggregate(", ".join([*keys, lists, *totals]))
    found = grouped.limit(MOST_GROUPS + 1).fetchnumpy()
    scores = found.pop("score")
    return Gathered(
        {name: column.tolist() for name, column in found.items()},
        np.concatenate([np.empty(0), *scores]),
        np.array([len(one) for one in scores], dtype=np.int64),
    )
