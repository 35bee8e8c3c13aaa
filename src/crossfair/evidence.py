"""What supports an estimate: the driving pair of cells, their counts, cells left out, what the prior does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from crossfair import values
from crossfair.cells import Cell, Cells, show_cell
from crossfair.counts import Counts
from crossfair.errors import choose, malformed
from crossfair.estimators.base import Estimator
from crossfair.estimators.smoothed import smoothed_epsilon
from crossfair.fields import Fields
from crossfair.metrics import RATES, Metric
from crossfair.numerals import counted
from crossfair.rate_counts import Part
from crossfair.values import Value

# The prior sets ε if ε moves by more than this between two usual choices of α = β.
TELLING = 0.1
USUAL_PRIORS = (0.01, 1 / 3)
# What is worth a word: shrinkage, and a change of the rate by it.
NOTABLE_SHRINKAGE, NOTABLE_CHANGE = 0.2, 0.05

MERGED = "small cells are merged, so ε over the cells themselves may be larger"
# So many of the cells that were left out are listed in JSON.
MOST_LISTED = 20

SHRUNK = "much may be chance, so estimates go part of the way to everyone's rate"
EXPECTED = "the counts are expected ones, not whole records"

SIDE = {
    "cell",
    "rate",
    "outcome",
    "records",
    "successes",
    "trials",
    "raw",
    "estimate",
    "effective",
    "shrinkage",
}
EVIDENCE = {
    "cells", "supported", "left_out", "left_out_more", "unobserved", "prior_dominated", "prior", "effective",
    "notes",
}  # fmt: skip


@dataclass(frozen=True)
class Side:
    """One side of the driving pair: a cell (or the population), its counts and its rate.

    `raw` is None for a cell without trials, which only a prior gives a rate. `effective` is how many trials
    without weights tell as much, and `shrinkage` how far the estimate has gone from the raw rate to that of
    everyone (1 is all the way, None where these two are one).
    """

    cell: Cell | None
    rate: str
    outcome: Value
    records: float
    successes: float
    trials: float
    raw: float | None
    estimate: float
    effective: float | None = None
    shrinkage: float | None = None

    def words(self) -> str:
        """The side in words, with its counts."""
        who = "the population" if self.cell is None else show_cell(self.cell)
        return f"{who} ({counted(self.successes)} of {counted(self.trials)})"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        cell = None if self.cell is None else [values.to_json(value) for value in self.cell]
        return {**self.__dict__, "cell": cell, "outcome": values.to_json(self.outcome)}

    @classmethod
    def from_json(cls, fields: Fields, cells: Cells) -> Self:
        """Read the JSON form."""
        return cls(
            fields.optional("cell", lambda name: _cell(fields, name, cells)),
            choose(f"{fields.source}: rate", fields.text("rate"), RATES),
            values.from_json(fields.item("outcome"), fields.source),
            fields.finite("records"),
            fields.finite("successes"),
            fields.finite("trials"),
            fields.optional("raw", fields.finite),
            fields.finite("estimate"),
            fields.optional("effective", fields.finite),
            fields.optional("shrinkage", fields.finite),
        )


@dataclass(frozen=True)
class Evidence:
    """What supports an estimate."""

    cells: int
    supported: int
    left_out: tuple[tuple[Cell, str, float], ...]
    unobserved: int
    prior_dominated: bool
    prior: str
    effective: bool
    notes: tuple[str, ...]

    @property
    def enough(self) -> bool:
        """Whether there are two cells to compare."""
        return self.supported >= 2

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which lists but the largest of the cells that were left out."""
        largest = sorted(self.left_out, key=lambda row: -row[2])[:MOST_LISTED]
        left_out = [
            {"cell": [values.to_json(value) for value in cell], "rate": rate, "records": records}
            for cell, rate, records in largest
        ]
        more = len(self.left_out) - len(largest)
        return {**self.__dict__, "left_out": left_out, "left_out_more": more, "notes": list(self.notes)}

    @classmethod
    def from_json(cls, fields: Fields, cells: Cells, parts: Sequence[Part]) -> Self:
        """Read the JSON form; the cells that were left out are told by the counts beside it."""
        return cls(
            fields.whole("cells"),
            fields.whole("supported"),
            _left_out(cells, parts),
            fields.whole("unobserved"),
            fields.flag("prior_dominated"),
            fields.text("prior"),
            fields.flag("effective"),
            tuple(fields.texts("notes")),
        )


def _cell(fields: Fields, name: str, cells: Cells) -> Cell:
    found = tuple(values.from_json(item, fields.source) for item in fields.items(name))
    if found not in cells.index:
        raise malformed(fields.source, f"{name} of {fields.what} must be one of the counts", got=repr(found))
    return found


def gather(
    counts: Counts,
    estimator: Estimator,
    metric: Metric,
    parts: Sequence[Part],
    sides: Sequence[Side],
    prior: str,
) -> Evidence:
    """Collect the evidence of a finding."""
    cells = counts.cells
    product = int(np.prod([len(level) for level in cells.levels], dtype=object))
    told = counts.suppressed_below is None  # which intersections are empty is a small count too
    bare = [side for side in sides if side.cell is not None and side.successes in (0, side.trials)]
    dominated = bool(bare) and estimator.smooths and _moves(metric, parts)
    notes = [*_notes(counts, estimator, bare, dominated), *_small_print(estimator, sides)]
    return Evidence(
        len(cells),
        min(int(part.supported.sum()) for part in parts),
        _left_out(cells, parts),
        product - len(cells) if told else 0,
        dominated,
        prior,
        counts.weights is not None,
        tuple(notes),
    )


def _left_out(cells: Cells, parts: Sequence[Part]) -> tuple[tuple[Cell, str, float], ...]:
    return tuple(
        (cells.values[position], part.counts.rate.name, float(part.counts.records[position]))
        for part in parts
        for position in np.flatnonzero(~part.supported)
    )


def _moves(metric: Metric, parts: Sequence[Part]) -> bool:
    """Whether ε depends on the choice of α and β more than a reader would put up with."""
    few, many = (smoothed_epsilon(parts, metric.comparison, prior, prior) for prior in USUAL_PRIORS)
    return abs(few - many) > TELLING


def _notes(counts: Counts, estimator: Estimator, bare: Sequence[Side], dominated: bool) -> list[str]:
    notes = []
    if dominated:
        where = [f"no {'success' if side.successes == 0 else 'failure'} in {side.words()}" for side in bare]
        notes.append(f"the prior, not the data, sets ε: {'; '.join(where)}")
    if counts.weights is not None and estimator.name != "smoothed":
        notes.append("weights: each cell counts as its effective number of records, (Σw)²/Σw²")
    if counts.suppressed_below is not None:
        notes.append(MERGED)
    if counts.fractional:
        notes.append(EXPECTED)
    return notes


def _small_print(estimator: Estimator, sides: Sequence[Side]) -> list[str]:
    """What the estimate has made of the driving cells: how far they were shrunk, what weights take away."""
    cells = [side for side in sides if side.cell is not None]
    notes = []
    shrunk = [side for side in cells if _notably_shrunk(side)]
    if shrunk and estimator.name == "hierarchical":
        told = [f"{100 * min(side.shrinkage or 0.0, 1.0):.0f} % for {side.words()}" for side in shrunk]
        notes.append(f"{SHRUNK}: {' and '.join(told)}")
    fewer = [side for side in cells if side.effective is not None and side.effective < 0.995 * side.records]
    if fewer:
        told = [
            f"{side.records:,.6g} records of {show_cell(side.cell or ())} as {side.effective:,.3g}"
            for side in fewer
        ]
        notes.append(f"weights: {' and '.join(told)}")
    return notes


def _notably_shrunk(side: Side) -> bool:
    if side.raw is None or side.shrinkage is None or side.shrinkage < NOTABLE_SHRINKAGE:
        return False
    return abs(side.estimate - side.raw) > NOTABLE_CHANGE * side.estimate
