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
from crossfair.frames.groups import MOST_GROUPS, NO_NUMBER, Groups, WeightSums
from crossfair.reading import Reading

Frame = nw.LazyFrame[Any]

_LIMBS = ("whole", "fraction", "square_whole", "square_fraction", "bad")


def count(frame: Frame, reading: Reading) -> Groups:
    """Count a frame whose columns are renamed to the parts of `reading.columns`."""
    _check_types(frame, reading)
    converted, texts = numbers.convert(frame, reading)
    keys = _keys(reading)
    wrong = [nw.col(f"bad_{part}") for part in texts]
    limbs = _limbs() if reading.weight is not None else []
    totals = [nw.len().alias("n"), *(nw.col(f"bad_{part}").sum() for part in texts)]
    if limbs:
        totals += [*(nw.col(name).sum() for name in _LIMBS), nw.col("largest").max()]
    grouped = converted.select(*keys.values(), *wrong, *limbs).group_by(*keys).agg(*totals)
    table = fetch.columns(grouped.head(MOST_GROUPS + 1))
    unparsable = {part: sum(table[f"bad_{part}"]) for part in texts}
    if any(unparsable.values()):
        raise numbers.unparsable(frame, unparsable, reading)
    return _groups(table, reading)


def _check_types(frame: Frame, reading: Reading) -> None:
    schema = frame.collect_schema()
    for part, name in reading.columns.items():
        dtype = schema[part]
        if dtype.is_nested() or dtype in (nw.Binary, nw.Duration, nw.Time):
            raise invalid(
                numbers.argument(part) if part in numbers.parts(reading) else part.replace("k0", "by"),
                f"{name!r} must hold text, integers, booleans or dates",
                got=f"a column of type {dtype}",
            )


def _keys(reading: Reading) -> dict[str, nw.Expr]:
    """What to group by: raw values, but codes of ranges for binned attributes and of the flag for a score."""
    keys = {}
    for i, name in enumerate(reading.attributes):
        cuts = [nw.col(f"k{i}") > edge for edge in reading.edges.get(name, ())]
        keys[f"k{i}"] = _coded(f"k{i}", cuts) if cuts else nw.col(f"k{i}")
    for part in ("label", "prediction"):
        if part in reading.columns:
            keys[part] = nw.col(part)
    if reading.score is not None:
        reached = _coded("score", [nw.col("score") >= reading.threshold])
        keys["prediction"] = reached.alias("prediction")
    return keys


def _coded(part: str, steps: Sequence[nw.Expr]) -> nw.Expr:
    """How many steps a number has passed, NO_NUMBER where there is no finite number."""
    passed = functools.reduce(operator.add, [step.cast(nw.Int64) for step in steps])
    return nw.when(numbers.valid(part)).then(passed).otherwise(nw.lit(NO_NUMBER)).alias(part)


def _limbs() -> list[nw.Expr]:
    """The fixed-point limbs of each weight and its square; a bad weight counts as bad and adds nothing."""
    weight = nw.col("weight")
    good = (weight >= 0.0) & (weight <= fixed.LARGEST_WEIGHT)

    def where_good(value: nw.Expr) -> nw.Expr:
        return nw.when(good).then(value).otherwise(nw.lit(0.0))

    def limbs(value: nw.Expr) -> list[nw.Expr]:
        fraction = ((value - value.floor()) * float(fixed.SCALE) + 0.5).floor()
        return [where_good(limb).cast(nw.Int64) for limb in (value.floor(), fraction)]

    bad = nw.when(good).then(nw.lit(0)).otherwise(nw.lit(1))
    named = zip(_LIMBS, [*limbs(weight), *limbs(weight * weight), bad])
    return [*(expression.alias(name) for name, expression in named), where_good(weight).alias("largest")]


def _groups(table: Mapping[str, Sequence[Any]], reading: Reading) -> Groups:
    n = np.array(table["n"], dtype=np.int64)
    weights = None
    if reading.weight is not None:
        limbs = {name: np.array(table[name], dtype=np.int64) for name in _LIMBS}
        weights = WeightSums(**limbs, largest=max(table["largest"], default=0.0))
    return Groups(
        keys=[table[f"k{i}"] for i in range(len(reading.attributes))],
        label=table.get("label"),
        prediction=table.get("prediction"),
        n=n,
        weights=weights,
    )
