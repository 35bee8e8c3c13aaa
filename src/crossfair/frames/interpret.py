"""Groups → values: missing ones, what is dropped and why, what cannot be an attribute; on the small table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossfair import fixed, values
from crossfair.cells import range_names
from crossfair.errors import InputError, invalid
from crossfair.frames.groups import MOST_GROUPS, Groups, Ints, WeightSums
from crossfair.reading import Reading
from crossfair.values import Value

T = TypeVar("T")
Flags = NDArray[np.bool_]

# An attribute with more values than this cannot be audited by intersection.
MOST_VALUES = 1_000
# Below this many values an attribute of a small table is never taken for an identifier.
FEWEST_OF_IDENTIFIER = 50


@dataclass(frozen=True)
class Interpreted:
    """The values of each group; which groups are kept, and how many records are dropped for which reason."""

    keys: Sequence[Sequence[Value]]
    label: Sequence[Value] | None
    prediction: Sequence[Value] | None
    kept: Flags
    dropped: Mapping[str, int]

    def keep(self, column: Sequence[T]) -> list[T]:
        """Return what is kept of a column over the groups."""
        return [value for value, kept in zip(column, self.kept) if kept]


def interpret(groups: Groups, reading: Reading) -> Interpreted:
    """Return the values of groups, missing ones treated as `reading` says; what breaks a rule is an error."""
    records = int(groups.n.sum())
    if not records:
        raise invalid("data", "must hold at least one record", got="none")
    keys = [_key(column, name, reading) for name, column in zip(reading.attributes, groups.keys)]
    for name, column in zip(reading.attributes, keys):
        check_levels(name, set(column), None if len(groups.n) > MOST_GROUPS else records)
    if len(groups.n) > MOST_GROUPS:
        raise too_many_cells()
    label = None if groups.label is None else _outcome(groups.label, "label", reading.label)
    prediction = _prediction(groups, reading)
    if groups.weights is not None:
        _check_weights(groups.weights, records, reading)
    reasons = _reasons(keys, label, prediction, reading)
    return Interpreted(keys, label, prediction, *_drop(reasons, groups.n, reading))


def too_many_cells() -> InputError:
    """Build the error for attributes that cut the records into too many cells."""
    rule = f"the attributes must make at most {MOST_GROUPS:,} cells × outcomes"
    return invalid("by", rule, got="more", hint="Name fewer attributes, or cut the numeric ones with bins=….")


def check_levels(name: str, level: set[Any], records: int | None) -> None:
    """Refuse an attribute of too many values, or of nearly as many as `records` (None: not known)."""
    distinct = len(level)
    identifier = records is not None and distinct >= FEWEST_OF_IDENTIFIER and distinct > 0.9 * records
    if distinct <= MOST_VALUES and not identifier:
        return
    numeric = any(isinstance(value, int) for value in level)
    cut = f"Cut it into ranges, for example bins={{{name!r}: [edge, …]}}."
    raise invalid(
        "by",
        f"{name!r} must be an attribute with at most {MOST_VALUES:,} values, not an identifier",
        got=f"over {MOST_VALUES:,} values"
        if records is None
        else f"{distinct:,} values in {records:,} records",
        hint=cut if numeric else "Group its values or leave it out; cut numbers with bins=….",
    )


def _normalised(column: Sequence[Any], name: str) -> list[Value]:
    """Normalise each distinct value once; unlike values that are equal in Python (1, True) are refused."""
    known: dict[tuple[type, Any], Value] = {}
    found = []
    for raw in column:
        if type(raw).__hash__ is None:
            raise values.no_value(type(raw), name)
        key = (type(raw), raw)
        if key not in known:
            known[key] = values.normalise(raw, name)
        found.append(known[key])
    values.check_column(known.values(), name)
    return found


def _key(column: Sequence[Any], name: str, reading: Reading) -> list[Value]:
    if name in reading.edges:
        named = [*range_names(reading.edges[name]), None]  # the last is where NO_NUMBER = −1 points
        return [named[int(code)] for code in column]
    return _normalised(column, name)


def _outcome(column: Sequence[Any], part: str, name: str | None) -> list[Value]:
    try:
        found = _normalised(column, str(name))
    except InputError as error:
        raise invalid(
            part,
            f"{name!r} must hold outcomes: text, integers or booleans",
            got=str(error).partition("; got ")[2].partition(". ")[0],
            hint="Scores are named with score=…" if part == "prediction" else None,
        ) from error
    distinct = len(set(found))
    if distinct > MOST_VALUES:
        raise invalid(part, f"{name!r} must have at most {MOST_VALUES:,} values", got=f"{distinct:,} or more")
    return found


def _prediction(groups: Groups, reading: Reading) -> list[Value] | None:
    if groups.prediction is None:
        return None
    if reading.score is None:
        return _outcome(groups.prediction, "prediction", reading.prediction)
    flags: list[Value] = [False, True, None]
    return [flags[int(code)] for code in groups.prediction]


def _reasons(
    keys: list[list[Value]], label: list[Value] | None, prediction: list[Value] | None, reading: Reading
) -> dict[str, Flags]:
    """Which rows have which reason to be dropped; the first reason of a row counts."""
    columns: dict[str, list[Value] | None] = {}
    if reading.missing != "level":
        columns = {f"attribute {name!r} missing": key for name, key in zip(reading.attributes, keys)}
    columns["label missing"] = label
    columns["prediction missing" if reading.score is None else "score missing or not finite"] = prediction
    taken: Flags = np.zeros(len(keys[0]), dtype=bool)
    reasons = {}
    for reason, column in columns.items():
        if column is not None:
            missing = np.array([value is None for value in column], dtype=bool) & ~taken
            taken |= missing
            reasons[reason] = missing
    return reasons


def _drop(reasons: Mapping[str, Flags], n: Ints, reading: Reading) -> tuple[Flags, dict[str, int]]:
    dropped = {reason: int(n[rows].sum()) for reason, rows in reasons.items() if rows.any()}
    came = ", ".join(f"{count:,} records with {reason}" for reason, count in dropped.items())
    if dropped and reading.missing == "error":
        raise invalid("missing", "'error' refuses missing values", got=came, hint="Say missing='drop'.")
    bad_scores = dropped.get("score missing or not finite")
    if bad_scores and reading.missing != "drop":
        raise invalid(
            "score",
            f"{reading.score!r} must be a finite number in every record",
            got=f"{bad_scores:,} records where it is missing, NaN or infinite",
            hint="missing='drop' leaves them out and counts them.",
        )
    kept = ~np.logical_or.reduce(list(reasons.values()))
    if not kept.any():
        raise invalid("data", "no record is left", got=came)
    return kept, dropped


def _check_weights(sums: WeightSums, records: int, reading: Reading) -> None:
    bad = int(sums.bad.sum())
    if bad:
        raise invalid(
            "weight",
            f"{reading.weight!r} must hold finite numbers from 0 to {fixed.LARGEST_WEIGHT:,.0f}",
            got=f"{bad:,} records where it is missing, negative, not finite or larger",
        )
    if sums.largest == 0:
        raise invalid("weight", f"{reading.weight!r} must be above 0 in some record", got="0 in all of them")
    fixed.check_overflow(records, sums.largest)
