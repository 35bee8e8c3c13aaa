"""The group-by of a dict of columns, with numpy alone: the same groups as any dataframe library gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import fixed
from crossfair.errors import invalid
from crossfair.fixed import Fixed
from crossfair.frames import coded, objects
from crossfair.frames.coded import Coded
from crossfair.frames.groups import MOST_GROUPS, NO_NUMBER, Groups, WeightSums
from crossfair.frames.score_rows import ScoreRows
from crossfair.reading import Reading

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def count(columns: Mapping[str, Any], reading: Reading) -> Groups:
    """Count columns that are named by the parts of `reading.columns`."""
    table = _checked(columns, reading)
    parts = {part: _coded(part, column, reading) for part, column in table.items() if part != "weight"}
    if "score" in parts:
        parts["prediction"] = parts.pop("score")
    group, first = coded.combined(list(parts.values()))
    kept = first[: MOST_GROUPS + 1]
    raw = {part: column.at(kept) for part, column in parts.items()}
    return Groups(
        keys=[raw[f"k{i}"] for i in range(len(reading.attributes))],
        label=raw.get("label"),
        prediction=raw.get("prediction"),
        n=np.bincount(group, minlength=len(first))[: len(kept)],
        weights=_limbs(table["weight"], reading).gather(group, len(first)) if "weight" in table else None,
    )


def score_rows(columns: Mapping[str, Any], reading: Reading, bits: int | None) -> ScoreRows:
    """Return the records as they are, coded; nothing is grouped yet."""
    table = _checked(columns, reading)
    score = _floats(table["score"], "score", reading.columns["score"])
    parts = [f"k{i}" for i in range(len(reading.attributes))] + ["label"]
    return ScoreRows.of(
        [_coded(part, table[part], reading) for part in parts],
        score if bits is None else np.floor(score * 2.0**bits) / 2.0**bits,
        np.ones(len(score), dtype=np.int64),
        _limbs(table["weight"], reading) if "weight" in table else None,
        bits,
    )


def to_list(column: Any, name: str) -> list[Any]:
    """Return a column of a dict as a list of Python values."""
    checked = _one_dimensional(column, name)
    return list(checked.tolist()) if isinstance(checked, np.ndarray) else checked


def _checked(columns: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """Numpy arrays or lists of one dimension and one length."""
    table = {part: _one_dimensional(column, reading.columns[part]) for part, column in columns.items()}
    lengths = {reading.columns[part]: len(column) for part, column in table.items()}
    if len(set(lengths.values())) > 1:
        raise invalid("data", "all columns must have the same length", got=str(lengths))
    return table


def _one_dimensional(column: Any, name: str) -> Any:
    if isinstance(column, np.ndarray) and not isinstance(column, np.ma.MaskedArray):
        if column.ndim != 1:
            raise invalid("data", f"column {name!r} must have one dimension", got=f"shape {column.shape}")
        return column
    for method in ("to_list", "to_pylist", "tolist"):  # series of pandas and polars, PyArrow, masked arrays
        if hasattr(column, method):
            return getattr(column, method)()
    if isinstance(column, str) or not isinstance(column, Sequence):
        raise invalid("data", f"column {name!r} must be a list or an array", got=f"a {type(column).__name__}")
    return list(column)


def _coded(part: str, column: Any, reading: Reading) -> Coded:
    name = reading.columns[part]
    if part == "score":
        return _steps(_floats(column, "score", name), np.array([reading.threshold]), reached=True)
    if name in reading.edges and part.startswith("k"):
        return _steps(_floats(column, "bins", name), np.array(reading.edges[name]), reached=False)
    return coded.from_items(column, name)


def _steps(column: Floats, edges: Floats, *, reached: bool) -> Coded:
    """How many edges a number has passed (or reached, for a threshold); NO_NUMBER where it is not finite."""
    passed = np.searchsorted(edges, column, side="right" if reached else "left")
    shifted = np.where(np.isfinite(column), passed - NO_NUMBER, 0).astype(np.int64)
    return Coded(shifted, range(NO_NUMBER, len(edges) + 1))


def _floats(column: Any, argument: str, name: str) -> Floats:
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(np.float64)
    return objects.to_floats(column.tolist() if isinstance(column, np.ndarray) else column, argument, name)


def _limbs(column: Any, reading: Reading) -> WeightSums:
    """The weight of each record in limbs; a bad one counts as bad and adds nothing."""
    weight = _floats(column, "weight", reading.columns["weight"])
    good = (weight >= 0) & (weight <= fixed.LARGEST_WEIGHT)
    weight = np.where(good, weight, 0.0)
    total, squares = Fixed.from_floats(weight), Fixed.from_floats(weight * weight)
    return WeightSums(
        whole=total.whole,
        fraction=total.fraction,
        square_whole=squares.whole,
        square_fraction=squares.fraction,
        bad=(~good).astype(np.int64),
        largest=float(weight.max(initial=0.0)),
    )
