"""Sums of counts: the outcomes of both, and each table laid out over the cells and outcomes of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossfair import values
from crossfair.errors import invalid
from crossfair.fixed import Fixed, Weights
from crossfair.outcomes import Outcomes
from crossfair.values import Value

if TYPE_CHECKING:
    from crossfair.counts import Counts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def merge_outcomes(left: Counts, right: Counts) -> tuple[Outcomes, Ints, Ints]:
    """Return the outcomes of both, and where those of either stand in it."""
    if (left.has_label, left.has_prediction) != (right.has_label, right.has_prediction):
        raise invalid("label, prediction", "both counts must have the same columns", got="one lacks a column")
    pair = [left.outcomes, right.outcomes]
    mine, theirs = (_retyped(a, b) for a, b in (pair, pair[::-1]))
    positives = {table.get(side.positive, side.positive) for side, table in zip(pair, (mine, theirs))} - {
        None
    }
    if len(positives) > 1:
        raise invalid("positive", "both counts must have the same positive outcome", got=f"{positives}")
    values.check_column([*mine.values(), *theirs.values()], "label")
    _check_alike(*pair)
    merged = sorted({*mine.values(), *theirs.values()}, key=values.sort_key)
    here = np.array([merged.index(mine[value]) for value in pair[0].values], dtype=np.int64)
    there = np.array([merged.index(theirs[value]) for value in pair[1].values], dtype=np.int64)
    return Outcomes(tuple(merged), next(iter(positives), None)), here, there


def _check_alike(left: Outcomes, right: Outcomes) -> None:
    """Refuse two label maps: a shard may lack an outcome, but two of two outcomes share at least one."""
    common = values.meanings(left.values, right.values, "label")
    if min(len(left.values), len(right.values)) > 1 and not common:
        shown = [", ".join(map(repr, side.values[:5])) for side in (left, right)]
        raise invalid("label", "both counts must have the same outcomes", got=" and ".join(shown))


def _retyped(side: Outcomes, other: Outcomes) -> dict[Value, Value]:
    matched = values.match(side.values, other.values, "label")
    return {value: matched.get(value, value) if isinstance(value, str) else value for value in side.values}


def placed(
    counts: Counts, rows: Ints, codes: Ints, size: tuple[int, int]
) -> tuple[Ints | Floats, Weights | None]:
    """Lay the table of `counts` out over more cells and outcomes."""
    axes = [
        codes if present else np.zeros(1, np.int64) for present in (counts.has_label, counts.has_prediction)
    ]
    shape = (size[0], *(size[1] if present else 1 for present in (counts.has_label, counts.has_prediction)))
    place = np.ix_(rows, *axes)

    def spread(table: Any) -> Any:
        out = np.zeros(shape, dtype=table.dtype)
        np.add.at(out, place, table)  # two texts may be one typed value: 'TRUE' and 'True'
        return out

    if counts.weights is None:
        return spread(counts.n), None
    limbs = [
        Fixed(spread(sums.whole), spread(sums.fraction))
        for sums in (counts.weights.total, counts.weights.squares)
    ]
    return spread(counts.n), Weights(*limbs)
