"""The study as charts: coverage, and squared error, against the number of records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from benchmarks.accuracy.summary import LEVEL, Figures
from benchmarks.accuracy.truths import LEVELS, TRUTHS
from crossfair.charts import theme

NAMES = {
    "hierarchical": "Hierarchical",
    "bayes": "Bayes",
    "bootstrap": "Bootstrap",
    "smoothed": "Smoothed",
    "guaranteed": "Guaranteed",
}
COLOURS = [theme.MAIN, theme.MARKED, "#7a5195", "#5c6875", "#3b7d4f"]
SHAPES = ["circle", "square", "triangle-up", "cross", "diamond"]
LEAST_ERROR, MOST_ERROR = 1e-4, 1e3


def coverage(figures: Sequence[Figures]) -> Any:
    """How often the interval holds the truth."""
    alt = theme.altair()
    rows = [_row(found, found.coverage) for found in figures if not math.isnan(found.coverage)]
    y = alt.Y(
        "value:Q",
        title="coverage",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 0.95]),
    )
    level = alt.Chart().mark_rule(color=theme.MUTED, strokeDash=[3, 3]).encode(y=alt.datum(LEVEL))
    return _grid(alt, rows, y, level, "Coverage of the 95 % interval by truth, cells, records and estimator.")


def error(figures: Sequence[Figures]) -> Any:
    """Mean squared error of the point, on a logarithmic axis."""
    alt = theme.altair()
    rows = [
        _row(found, max(found.squared_error, LEAST_ERROR))
        for found in figures
        if math.isfinite(found.squared_error)
    ]
    y = alt.Y(
        "value:Q",
        title="squared error of ε",
        scale=alt.Scale(type="log", domain=[LEAST_ERROR, MOST_ERROR]),
        axis=alt.Axis(values=[10.0**k for k in range(-4, 4, 2)], format="~g"),
    )
    return _grid(alt, rows, y, None, "Squared error of ε by truth, cells, records and estimator.")


def _row(found: Figures, value: float) -> dict[str, Any]:
    return {
        "estimator": NAMES[found.estimator],
        "truth": found.row.truth,
        "cells": f"{found.row.cells} cells",
        "records": found.row.records,
        "value": value,
    }


def _grid(alt: Any, rows: list[dict[str, Any]], y: Any, under: Any, description: str) -> Any:
    """One small plot per truth and number of cells."""
    present = {row["estimator"] for row in rows}
    names = [name for name in NAMES.values() if name in present]
    colours = [colour for name, colour in zip(NAMES.values(), COLOURS) if name in present]
    shapes = [shape for name, shape in zip(NAMES.values(), SHAPES) if name in present]
    x = alt.X(
        "records:Q",
        title="records",
        scale=alt.Scale(type="log", domain=[700, 140_000]),
        axis=alt.Axis(values=[1_000, 10_000, 100_000], format="~s"),
    )
    colour = alt.Color("estimator:N", title=None, scale=alt.Scale(domain=names, range=colours))
    shape = alt.Shape("estimator:N", title=None, scale=alt.Scale(domain=names, range=shapes))
    line = alt.Chart().mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour)
    dot = alt.Chart().mark_point(size=40, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape)
    layers = [line, dot] if under is None else [under, line, dot]
    plot = alt.layer(*layers, data=theme.data(rows)).properties(width=110, height=96)
    grid = plot.facet(
        column=alt.Column("truth:N", title=None, sort=list(TRUTHS)),
        row=alt.Row("cells:N", title=None, sort=[f"{cells} cells" for cells in LEVELS]),
    )
    return theme.finish(grid, description)
