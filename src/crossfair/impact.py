"""Impact ratios: the selection rate of each category over that of the most selected one, by attribute."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from crossfair import checks
from crossfair.cells import show_cell
from crossfair.counts import Counts
from crossfair.errors import choose
from crossfair.presets import selection
from crossfair.rate_counts import RateCounts

Columns = dict[str, list[Any]]

ROW = ("attributes", "category", "records", "share", "selected", "selection_rate", "impact_ratio", "left_out")


def impact_ratios(counts: Counts, least_share: float, missing: Literal["level", "apart"]) -> Columns:
    """Return a row per category of every subset of the attributes, each subset on its own.

    `left_out` says why a category is in no ratio: "missing" where a value is unknown and `missing` is
    "apart", "small" where its share of the records is under `least_share`, "empty" where it has none. With
    weights `selected` is the sum of the weights of those selected, and the rates are weighted.

    >>> table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 10, 60, 40]}
    >>> counts = Counts.from_table(table, by=["sex"], label="hired")
    >>> impact_ratios(counts, 0.0, "level")["impact_ratio"]
    [0.25, 1.0]
    """
    checks.number("least_share", least_share)
    choose("missing", missing, ["level", "apart"])
    rows = [row for subset in _subsets(counts.by) for row in _rows(counts, subset, least_share, missing)]
    return {name: [row[place] for row in rows] for place, name in enumerate(ROW)}


def _subsets(by: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (subset for size in range(1, len(by) + 1) for subset in itertools.combinations(by, size))


def _rows(
    counts: Counts, subset: Sequence[str], least_share: float, missing: str
) -> Iterator[tuple[Any, ...]]:
    marginal = counts.marginal(subset)
    outcome = counts.outcomes.values[counts.outcomes.positive_code]
    found = RateCounts.of(marginal, selection(counts).rates[0], outcome)
    records = marginal.support.astype(np.float64)
    shares = (records / max(records.sum(), 1.0)).tolist()
    left_out = [
        "empty" if trials == 0 else "missing" if missing == "apart" and None in cell
        else "small" if share < least_share else None
        for cell, share, trials in zip(marginal.cells.values, shares, found.trials.tolist())
    ]  # fmt: skip
    rates = found.observed.tolist()
    most = max((rate for rate, why in zip(rates, left_out) if why is None), default=0.0)
    for place, why in enumerate(left_out):
        rate = None if why == "empty" else rates[place]
        ratio = None if why is not None or most == 0 else rates[place] / most
        category, selected = show_cell(marginal.cells.values[place]), float(found.successes[place])
        yield ", ".join(subset), category, float(records[place]), shares[place], selected, rate, ratio, why
