"""Counts in their JSON form: the header, and the rows that are not empty, column by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossfair import values
from crossfair.cells import Cells
from crossfair.errors import malformed
from crossfair.fixed import Fixed, Weights
from crossfair.outcomes import Outcomes

if TYPE_CHECKING:
    from crossfair.counts import Counts

    C = TypeVar("C", bound=Counts)

# Whole numbers of records are exact as floating-point numbers up to here.
MOST_RECORDS = 2**53


def body(counts: Counts) -> dict[str, Any]:
    """Return the JSON form."""
    kept = np.flatnonzero(_any(counts))
    document: dict[str, Any] = {
        "cells": counts.cells.to_json(),
        "outcomes": [values.to_json(value) for value in counts.outcomes.values],
        "positive": values.to_json(counts.outcomes.positive),
        "has_label": counts.has_label,
        "has_prediction": counts.has_prediction,
        "dropped": dict(counts.dropped),
        "fractional": counts.fractional,
        "records": counts.records,
        "rows": {"place": kept.tolist(), "n": counts.n.ravel()[kept].tolist()},
    }
    if counts.suppressed_below is not None:
        document["suppressed_below"] = counts.suppressed_below
    if counts.weights is not None:
        for name, sums in (("weight", counts.weights.total), ("weight_squared", counts.weights.squares)):
            document["rows"][name] = [sums.whole.ravel()[kept].tolist(), sums.fraction.ravel()[kept].tolist()]
    return document


def parts(document: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return what counts are made of, from their JSON form."""
    cells = Cells.from_json(document["cells"], source)
    known = tuple(values.from_json(item, source) for item in document["outcomes"])
    positive = values.from_json(document["positive"], source)
    has_label, has_prediction = bool(document["has_label"]), bool(document["has_prediction"])
    shape = (len(cells), len(known) if has_label else 1, len(known) if has_prediction else 1)
    n, weights = _rows(document["rows"], shape, np.float64 if document["fractional"] else np.int64)
    return {
        "cells": cells,
        "outcomes": Outcomes(known, positive),
        "n": n,
        "weights": weights,
        "has_label": has_label,
        "has_prediction": has_prediction,
        "dropped": {str(reason): int(count) for reason, count in document["dropped"].items()},
        "suppressed_below": document.get("suppressed_below"),
    }


def checked(read: C, document: Mapping[str, Any], source: str) -> C:
    """Refuse counts that are not what their document says, or that none could be."""
    sound = body(read) == dict(document) and bool(((read.n >= 0) & (read.n <= MOST_RECORDS)).all())
    impossible = read.weights is not None and bool(read.weights.impossible(read.n).any())
    if not sound or not read.outcomes.canonical or impossible:
        raise malformed(source, "its counts must add up to its total and know their positive outcome")
    return read


def _any(counts: Counts) -> NDArray[np.bool_]:
    """Whether a place of the table holds anything, records or weights."""
    return np.asarray((counts.n != 0) | (counts.mass != 0)).ravel()


def _rows(rows: Any, shape: tuple[int, ...], dtype: type) -> tuple[Any, Weights | None]:
    place = np.array(rows["place"], dtype=np.int64)

    def spread(column: Any, kind: type) -> Any:
        table: NDArray[Any] = np.zeros(int(np.prod(shape)), dtype=kind)
        table[place] = np.array(column, dtype=kind).reshape(place.shape)
        return table.reshape(shape)

    n = spread(rows["n"], dtype)
    if "weight" not in rows:
        return n, None
    limbs = [Fixed(*(spread(limb, np.int64) for limb in rows[name])) for name in ("weight", "weight_squared")]
    return n, Weights(*limbs)
