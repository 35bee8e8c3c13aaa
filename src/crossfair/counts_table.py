"""Tables of counts, one row per cell, label and prediction, read into what Counts is built from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import values
from crossfair.cells import check_bins
from crossfair.errors import invalid, nearest
from crossfair.fixed import Fixed, Weights
from crossfair.parsing import parse_number
from crossfair.values import Value


@dataclass(frozen=True)
class Roles:
    """Which column of the table plays which part."""

    by: str | Sequence[str]
    label: str | None
    prediction: str | None
    n: str
    weight: str | None
    weight_squared: str | None

    @property
    def attributes(self) -> list[str]:
        """The attribute columns."""
        return [self.by] if isinstance(self.by, str) else list(self.by)

    def names(self) -> list[str]:
        """All columns needed; each named once."""
        given = [*self.attributes, self.label, self.prediction, self.n, self.weight, self.weight_squared]
        names = [name for name in given if name is not None]
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise invalid("by", "each column plays one part", got=f"{twice[0]!r} named twice")
        if not self.attributes:
            raise invalid("by", "must name at least one attribute", got="none")
        if self.label is None and self.prediction is None:
            raise invalid("label, prediction", "at least one must be named", got="neither")
        return names


def read(
    table: Any, roles: Roles, *, positive: Any, bins: Mapping[str, Sequence[float]] | None
) -> dict[str, Any]:
    """Return the arguments of `Counts.assemble` from a table of counts."""
    columns = _columns(table, roles.names())
    numbers = _numbers(columns[roles.n], roles.n)
    whole = bool((numbers == np.floor(numbers)).all())
    weighted = roles.weight is not None or roles.weight_squared is not None
    if not numbers.any():
        raise invalid("table", "must hold at least one record", got=f"{len(numbers)} rows without any")
    return {
        "by": roles.attributes,
        "keys": [_values(columns[name], name) for name in roles.attributes],
        "labels": None if roles.label is None else _outcomes(columns[roles.label], roles.label),
        "predictions": None
        if roles.prediction is None
        else _outcomes(columns[roles.prediction], roles.prediction),
        "n": numbers.astype(np.int64) if whole else numbers,
        "weights": _weights(columns, roles, numbers) if weighted else None,
        "positive": positive,
        "bins": check_bins(bins, roles.attributes),
    }


def _columns(table: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    if not isinstance(table, Mapping):
        from crossfair import frames

        table = frames.columns(table, names)
    for name in names:
        if name not in table:
            known = [str(column) for column in table]
            shown = f"the columns {', '.join(known[:12]) or 'none'}"
            raise invalid("table", f"has no column {name!r}", got=shown, hint=nearest(name, known))
    columns = {name: list(table[name]) for name in names}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise invalid("table", "all columns must have the same length", got=str(lengths))
    return columns


def _values(column: list[Any], name: str) -> list[Value]:
    return [values.normalise(item, name) for item in column]


def _outcomes(column: list[Any], name: str) -> list[Value]:
    found = _values(column, name)
    if None in found:
        raise invalid(name, "labels and predictions in a table of counts must not be missing", got="a null")
    return found


def _numbers(column: list[Any], name: str) -> NDArray[np.float64]:
    numbers = [parse_number(item, name, name) for item in column]
    bad = [item for item, held in zip(column, numbers) if held is None or not 0 <= held <= 2.0**53]
    if bad:
        raise invalid(name, "must hold numbers from 0 to 2⁵³", got=f"{bad[0]!r} among {len(column)} rows")
    return np.array(numbers, dtype=np.float64)


def _weights(columns: dict[str, list[Any]], roles: Roles, n: NDArray[np.float64]) -> Weights:
    if roles.weight is None or roles.weight_squared is None:
        raise invalid(
            "weight, weight_squared",
            "the sums of weights and of their squares are needed together",
            got=f"{roles.weight!r} and {roles.weight_squared!r}",
        )
    sums = [_numbers(columns[name], name) for name in (roles.weight, roles.weight_squared)]
    weights = Weights(*(Fixed.from_floats(held) for held in sums))
    bad = np.flatnonzero(weights.impossible(n))
    if len(bad):
        total, squares = (float(held[bad[0]]) for held in sums)
        raise invalid(
            "weight, weight_squared",
            "the weights of n records have (Σw)² ≤ n · Σw²",
            got=f"Σw = {total:g} and Σw² = {squares:g} with n = {n[bad[0]]:g} in row {bad[0]}",
        )
    return weights
