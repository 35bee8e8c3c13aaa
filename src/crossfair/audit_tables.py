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


def groups(measurement: Measurement, metrics: Sequence[Metric]) -> Columns:
    """One row per rate, outcome and cell, raw beside estimated; each interval is of one cell on its own."""
    rates: dict[str, Rate] = {rate.name: rate for metric in metrics for rate in metric.rates}
    cells = measurement.counts.cells
    blocks = [
        rate_columns(measurement, rate, outcome)
        for rate in rates.values()
        for outcome in measurement.outcomes
    ]
    attributes = {name: level * len(blocks) for name, level in attribute_columns(cells).items()}
    measured = {name: [value for block in blocks for value in block[name]] for name in blocks[0]}
    return {**attributes, **unclashed(measured, cells.by)}


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


def rate_columns(measurement: Measurement, rate: Rate, outcome: Value) -> Columns:
    """One row per cell of one rate of one outcome."""
    part = measurement.part(rate, outcome)
    counts = part.counts
    low, high = clopper_pearson(counts.effective_successes, counts.effective, 1.0 - measurement.level)
    if counts.flipped:
        low, high = 1.0 - high, 1.0 - low
    empty = counts.trials == 0
    columns = {
        "records": counts.records,
        "trials": counts.trials,
        "successes": counts.direct_successes,
        "raw": np.where(empty, np.nan, counts.direct(counts.observed)),
        "low": np.where(empty, np.nan, low),
        "high": np.where(empty, np.nan, high),
        "estimate": measurement.point(part),
    }
    whole = {"records"} if measurement.counts.weights else {"records", "trials", "successes"}
    whole = set() if measurement.counts.fractional else whole
    size = len(counts.trials)
    return {
        "rate": [rate.name] * size,
        "outcome": [values.show(outcome)] * size,
        **{name: _plain(column, whole=name in whole) for name, column in columns.items()},
        "supported": part.supported.tolist(),
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
