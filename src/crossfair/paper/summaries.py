"""What the synthetic experiment found, as rows: per size and estimator, and pairs on the same data sets.

Each mean over data sets stands beside its Monte-Carlo standard error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair.paper.synthetic import Series

Row = dict[str, Any]

#: So many data sets of each size are kept as they came out, so that they can be compared with another run's.
KEPT = 10

#: What is compared on the same data sets: the first against the second.
PAIRS = (("bayes", "smoothed"), ("bayes", "bootstrap"), ("bootstrap", "smoothed"), ("hierarchical", "bayes"))


def summarise(series: Sequence[Series]) -> dict[str, list[Row]]:
    """Return the rows of one run, in the order of its sizes."""
    found = {(one.size, one.estimator): one for one in series}
    sizes = dict.fromkeys(one.size for one in series)
    pairs = [
        _pair(found[size, first], found[size, second])
        for size in sizes
        for first, second in PAIRS
        if (size, first) in found and (size, second) in found
    ]
    return {"summaries": [_summary(one) for one in series], "pairs": pairs}


def seconds(series: Iterable[Series]) -> list[Row]:
    """Return the seconds per data set."""
    return [
        {"size": one.size, "estimator": one.estimator, "seconds": one.seconds / len(one.estimates)}
        for one in series
    ]


def _summary(one: Series) -> Row:
    mse, mse_error = mean(one.squared_errors)
    row: Row = {
        "size": one.size,
        "estimator": one.estimator,
        "datasets": len(one.estimates),
        "mean": mean(one.estimates[:, 0])[0],
        "mse": mse,
        "mse_error": mse_error,
        "coverage": None,
        "coverage_error": None,
        "width": None,
        "first": [[_known(value) for value in row] for row in one.estimates[:KEPT].tolist()],
    }
    if not np.isnan(one.estimates[:, 1]).any():
        row["coverage"], row["coverage_error"] = mean(one.covered.astype(np.float64))
        row["width"] = float(np.median(one.widths))
    return row


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _pair(first: Series, second: Series) -> Row:
    """Compare on the data sets that both have seen."""
    number = min(len(first.estimates), len(second.estimates))
    difference, error = mean(first.squared_errors[:number] - second.squared_errors[:number])
    row: Row = {
        "size": first.size,
        "first": first.estimator,
        "second": second.estimator,
        "mse_difference": difference,
        "mse_difference_error": error,
        "wider": None,
    }
    if not np.isnan(second.estimates[:, 1]).any():
        row["wider"] = float(np.mean(first.widths[:number] > second.widths[:number]))
    return row


def mean(values: NDArray[np.float64]) -> tuple[float, float | None]:
    """Return a mean and its standard error; none where a value is infinite or stands alone.

    >>> mean(np.array([1.0, 3.0])), mean(np.array([1.0, np.inf]))
    ((2.0, 1.0), (inf, None))
    """
    centre = float(values.mean())
    if not math.isfinite(centre) or len(values) < 2:
        return centre, None
    return centre, float(values.std(ddof=1) / math.sqrt(len(values)))
