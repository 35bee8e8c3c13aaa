"""docs/choosing-an-estimator.md: which estimator when, with figures from the study."""

from __future__ import annotations

import math

from benchmarks.accuracy.charts import NAMES
from benchmarks.accuracy.summary import Figures, Table
from benchmarks.common import table

#: The rows that the page shows: part, truth, cells, records.
SHOWN = (
    ("many small cells", "rates", "logit-normal", 64, 10_000),
    ("few records", "rates", "logit-normal", 16, 1_000),
    ("few cells, many records", "rates", "logit-normal", 16, 100_000),
    ("nothing to find: all cells equal", "rates", "all equal", 16, 10_000),
    ("rates that add up from the attributes", "rates", "main effects", 256, 10_000),
    ("a few cells far apart from the rest", "rates", "two clusters", 64, 10_000),
    ("rare extremes", "rates", "heavy tails", 256, 10_000),
)


def text(figures: Table) -> str:
    """The page."""
    choices = table(["you want", "take", "because"], _CHOICES)
    return _HEAD + choices + _EFFECT + _table(figures) + _MIDDLE + _limits(figures)


def _table(figures: Table) -> str:
    rows = []
    for words, part, truth, cells, records in SHOWN:
        key = f"{part}-{truth}-{cells}-{records}".replace(" ", "_")
        found = [figures.get((key, name)) for name in NAMES]
        rows.append([f"{words}: {cells} cells, {records:,} records", *map(_tell, found)])
    return table(["data", *(f"`{name}`" for name in NAMES.values())], rows)


def _tell(found: Figures | None) -> str:
    """Coverage, width and typical error, as far as there is such a thing."""
    if found is None:
        return "–"
    error = (
        f"off by {math.sqrt(found.squared_error):.2g}" if math.isfinite(found.squared_error) else "off by ∞"
    )
    if math.isnan(found.coverage):
        return error
    width = f"{found.width:.2g}" if math.isfinite(found.width) else "∞"
    return f"{found.coverage:.0%}, width {width}, {error}"


def _limits(figures: Table) -> str:
    """What the default did worst, in its own words."""
    mine = [f for f in figures.values() if f.estimator == "hierarchical" and not math.isnan(f.coverage)]
    worst = sorted(mine, key=lambda f: f.coverage)[:3]
    told = [
        f"- {f.row.truth}, {f.row.cells} cells, {f.row.records:,} records: {f.coverage:.1%} of {f.runs} runs"
        for f in worst
    ]
    return "\n".join(
        [
            "## Where the default is weakest",
            "",
            "Nominal coverage is 95 %. The lowest in the study:",
            "",
            *told,
            "",
            _END,
        ]
    )


_CHOICES = (
    (
        "to know how unequal the groups are, and how sure that is",
        "`Hierarchical()`",
        "small cells borrow strength from the others; by how much is itself inferred",
    ),
    (
        "a bound that holds whatever the rates are, for an auditor or a court",
        "`Guaranteed()`",
        "exact intervals of all cells at once; no prior, and wide for it",
    ),
    (
        "the figures of the paper",
        "`Smoothed(α, β)`, `Bootstrap()`, `Bayes()`",
        "they are the paper's; with many small cells they are far off",
    ),
    ("the raw rates", "`Smoothed(0, 0)`", "nothing is added; ε is ∞ where a cell has none"),
    ("to use weights", "any but `Guaranteed()`", "cells count as their effective numbers of records"),
)

_HEAD = """# Which estimator?

Written by `python -m benchmarks.accuracy` with the figures of [the study](accuracy.md).

In short: keep the default. `Hierarchical()` is the one whose interval stays right with many small
cells, and it costs nothing where cells are few and large.

"""

_EFFECT = """
## What the choice does

How often the 95 % interval holds the truth, its median width, and by how much the point is off (root
mean square), on the same data:

"""

_MIDDLE = """
Why the paper's estimators are off: each cell is estimated on its own, and ε takes the extremes. Of 64
cells a few have ten records; by chance one of them has nearly none or nearly all positive, and that
pair sets ε. More resamples or draws do not help. `Hierarchical()` asks how much such cells differ when
they have many records, and believes small ones accordingly.

"""

_END = """Where the data hold little, the prior speaks: with a few records in each cell the interval says
how such rates usually differ. The finding tells: `finding.evidence.prior` names what was inferred,
`finding.lowest.shrinkage` how far the cells that set ε were drawn to the others, and an undecided
verdict how many more records would decide.
"""
