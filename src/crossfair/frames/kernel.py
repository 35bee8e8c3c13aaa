"""The group-by, once for every dataframe library: lazy, on raw values, a validity mask for each number."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from crossfair import fixed
from crossfair.errors import invalid
from crossfair.frames import fetch, numbers
from crossfair.frames.groups import LIMBS, MOST_GROUPS, NO_NUMBER, Groups, WeightSums
from crossfair.reading import Reading

Frame = nw.LazyFrame[Any]

_WIDEST = 2**63 - 1


def count(frame: Frame, reading: Reading) -> Groups:
    """Count a frame whose columns are renamed to the parts of `reading.columns`."""
    check_types(frame, reading)
    converted, texts = numbers.convert(frame, reading)
    by = keys(reading, ["label", "prediction"])
    if reading.score is not None:
        by["prediction"] = _coded("score", [nw.col("score") >= reading.threshold]).alias("prediction")
    wrong = [nw.col(f"bad_{part}") for part in texts]
    weighed = limbs() if reading.weight is not None else []
    totals = [nw.len().alias("n"), *(nw.col(f"bad_{part}").sum() for part in texts)]
    if weighed:
        totals += [*(nw.col(name).sum() for name in LIMBS), nw.col("largest").max()]
    grouped = converted.select(*by.values(), *wrong, *weighed).group_by(*by).agg(*totals)
    table = fetch.columns(grouped.head(MOST_GROUPS + 1))
    check_texts(frame, {part: int(sum(table[f"bad_{part}"])) for part in texts}, reading)
    return _groups(table, reading)


def check_types(frame: Frame, reading: Reading) -> None:
    """Refuse columns that hold no values at all: lists, structs, bytes, durations."""
    schema = frame.collect_schema()
    for part, name in reading.columns.items():
        dtype = schema[part]
        if dtype.is_nested() or dtype in (nw.Binary, nw.Duration, nw.Time):
            raise invalid(
                "by" if part.startswith("k") else part,
                f"{name!r} must hold text, integers, booleans or dates",
                got=f"a column of type {dtype}",
            )


def check_texts(frame: Frame, counts: Mapping[str, int], reading: Reading) -> None:
    """Refuse text that spells no number in a column of numbers."""
    if any(counts.values()):
        raise numbers.unparsable(frame, counts, reading)


def keys(reading: Reading, outcomes: Sequence[str]) -> dict[str, nw.Expr]:
    """What to group by: raw values, but codes of ranges for binned attributes."""
    found = {}
    for i, name in enumerate(reading.attributes):
        cuts = [nw.col(f"k{i}") > edge for edge in reading.edges.get(name, ())]
        found[f"k{i}"] = _coded(f"k{i}", cuts) if cuts else nw.col(f"k{i}")
    return found | {part: nw.col(part) for part in outcomes if part in reading.columns}


def limbs() -> list[nw.Expr]:
    """The fixed-point limbs of each weight and its square; a bad weight counts as bad and adds nothing."""
    weight = nw.col("weight")
    good = numbers.valid("weight") & (weight >= 0.0) & (weight <= fixed.LARGEST_WEIGHT)

    def where_good(value: nw.Expr) -> nw.Expr:
        return nw.when(good).then(value).otherwise(nw.lit(0.0))

    def split(value: nw.Expr) -> list[nw.Expr]:
        fraction = ((value - value.floor()) * float(fixed.SCALE) + 0.5).floor()
        return [where_good(limb).cast(nw.Int64) for limb in (value.floor(), fraction)]

    bad = nw.when(good).then(nw.lit(0)).otherwise(nw.lit(1))
    named = zip(LIMBS, [*split(weight), *split(weight * weight), bad])
    return [*(expression.alias(name) for name, expression in named), where_good(weight).alias("largest")]


def _coded(part: str, steps: Sequence[nw.Expr]) -> nw.Expr:
    """How many steps a number has passed, NO_NUMBER where there is no finite number."""
    passed = functools.reduce(operator.add, [step.cast(nw.Int64) for step in steps])
    return nw.when(numbers.valid(part)).then(passed).otherwise(nw.lit(NO_NUMBER)).alias(part)


def _groups(table: Mapping[str, Sequence[Any]], reading: Reading) -> Groups:
    weights = None
    if reading.weight is not None:
        # DuckDB's sums may be wider than 64 bits; then the largest weight is refused, whatever stands here.
        narrow = {name: [min(total, _WIDEST) for total in table[name]] for name in LIMBS}
        sums = {name: np.array(column, dtype=np.int64) for name, column in narrow.items()}
        weights = WeightSums(**sums, largest=max(table["largest"], default=0.0))
    return Groups(
        keys=[table[f"k{i}"] for i in range(len(reading.attributes))],
        label=table.get("label"),
        prediction=table.get("prediction"),
        n=np.array(table["n"], dtype=np.int64),
        weights=weights,
    )
