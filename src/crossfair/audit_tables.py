"""An audit's findings, groups and lattice as tidy tables: plain columns, before any dataframe library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from crossfair import values
from crossfair.cells import Cells
from crossfair.estimators.guaranteed import clopper_pearson
from crossfair.evidence import Side
from crossfair.finding import Finding
from crossfair.measure import Measurement
from crossfair.metrics import Metric, Rate
from crossfair.values import Value

Columns = dict[str, list[Any]]


def findings(found: Iterable[Finding]) -> Columns:
    """One row per metric."""
    return _columns([_row(finding) for finding in found])


def groups(measurement: Measurement, metrics: Sequence[Metric], most: int | None = None) -> Columns:
    """One row per rate, outcome and cell, raw beside estimated; each interval is of one cell on its own.

    With `most`, of each rate but so many cells, as `ends` chooses them.
    """
    rates: dict[str, Rate] = {rate.name: rate for metric in metrics for rate in metric.rates}
    known = attribute_columns(measurement.counts.cells)
    table: Columns = {}
    for rate in rates.values():
        for outcome in measurement.outcomes:
            chosen = ends(measurement, rate, outcome, most)
            cells = {name: [column[place] for place in chosen] for name, column in known.items()}
            block = unclashed(rate_columns(measurement, rate, outcome, chosen), measurement.counts.by)
            for name, column in (cells | block).items():
                table.setdefault(name, []).extend(column)
    return table


def ends(measurement: Measurement, rate: Rate, outcome: Value, most: int | None) -> Sequence[int]:
    """Return the cells with the highest and the lowest estimates of a rate, highest first; all in their order
    where they are no more than `most`.
    """
    cells = len(measurement.counts.cells)
    if most is None or cells <= most:
        return range(cells)
    part = measurement.part(rate, outcome)
    counted = np.flatnonzero(part.supported)
    falling = counted[np.argsort(-measurement.point(part)[counted], kind="stable")]
    if len(falling) <= most:
        return list(falling.tolist())
    return [*falling[: most - most // 2].tolist(), *falling[len(falling) - most // 2 :].tolist()]


def lattice(attributes: Sequence[str], rows: Sequence[tuple[Sequence[str], Sequence[Finding]]]) -> Columns:
    """One row per subset of the attributes and metric; a true/false column per attribute says if it is in."""
    table = [
        {
            "attributes": ", ".join(subset),
            "order": len(subset),
            **{f"by_{name}": name in subset for name in attributes},
            **_row(finding),
        }
        for subset, found in rows
        for finding in found
    ]
    return _columns(table)


def attribute_columns(cells: Cells) -> Columns:
    """The cells as columns; an attribute whose values are of several types is given as text."""
    columns: Columns = {}
    for name, column in zip(cells.by, zip(*cells.values)):
        kinds = {type(value) for value in column} - {type(None)}
        columns[name] = list(column) if len(kinds) <= 1 else [_text(value) for value in column]
    return columns


def unclashed(columns: Columns, taken: Sequence[str]) -> Columns:
    """Rename the columns that an attribute is named like, by an underscore behind."""
    renamed: Columns = {}
    for name, column in columns.items():
        free = name
        while free in taken:
            free += "_"
        renamed[free] = column
    return renamed


def _text(value: Value) -> str | None:
    return None if value is None else values.spell(value)


def rate_columns(
    measurement: Measurement, rate: Rate, outcome: Value, chosen: Sequence[int] | None = None
) -> Columns:
    """One row per cell, or per chosen one, of one rate of one outcome."""
    part = measurement.part(rate, outcome)
    counts = part.counts
    at = slice(None) if chosen is None else np.asarray(chosen, dtype=np.int64)
    trials = counts.trials[at]
    low, high = clopper_pearson(counts.effective_successes[at], counts.effective[at], 1.0 - measurement.level)
    if counts.flipped:
        low, high = 1.0 - high, 1.0 - low
    columns = {
        "records": counts.records[at],
        "trials": trials,
        "successes": counts.direct_successes[at],
        "raw": np.where(trials == 0, np.nan, counts.direct(counts.observed)[at]),
        "low": np.where(trials == 0, np.nan, low),
        "high": np.where(trials == 0, np.nan, high),
        "estimate": measurement.point(part)[at],
    }
    whole = {"records"} if measurement.counts.weights else {"records", "trials", "successes"}
    whole = set() if measurement.counts.fractional else whole
    return {
        "rate": [rate.name] * len(trials),
        "outcome": [values.show(outcome)] * len(trials),
        **{name: _plain(column, whole=name in whole) for name, column in columns.items()},
        "supported": part.supported[at].tolist(),
    }


def _plain(column: Any, *, whole: bool) -> list[Any]:
    """Numbers as Python has them; what is undefined is null."""
    if whole:
        return list(column.astype(np.int64).tolist())
    return [None if np.isnan(value) else float(value) for value in column]


def _row(finding: Finding) -> dict[str, Any]:
    evidence = finding.evidence
    return {
        "metric": finding.name,
        "epsilon": finding.epsilon,
        "low": finding.low,
        "high": finding.high,
        "ratio": finding.ratio,
        "highest": _words(finding.highest),
        "highest_rate": None if finding.highest is None else finding.highest.raw,
        "lowest": _words(finding.lowest),
        "lowest_rate": None if finding.lowest is None else finding.lowest.raw,
        "prior_dominated": evidence.prior_dominated,
        "supported_cells": evidence.supported,
        "cells": evidence.cells,
    }


def _words(side: Side | None) -> str | None:
    return None if side is None else side.words()


def _columns(rows: Sequence[dict[str, Any]]) -> Columns:
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
