"""What the runs of a row come to: coverage, width, error, bias, time; and what was asked of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.study import Result
from benchmarks.accuracy.worlds import Row

LEVEL = 0.95
#: What the default estimator must cover; less where 256 cells make the truth hardest to tell.
LEAST, LEAST_OF_HARDEST = 0.90, 0.85
HARDEST = ("main effects", "heavy tails")


@dataclass(frozen=True)
class Figures:
    """The figures of one estimator in one row; NaN where the estimator has no interval."""

    row: Row
    estimator: str
    runs: int
    coverage: float
    low_misses: float
    width: float
    squared_error: float
    bias: float
    seconds: float
    median_low: float

    @classmethod
    def of(cls, result: Result) -> Figures:
        """Sum up the runs."""
        truth, point, low, high, seconds = result.runs.T
        has_interval = not np.isnan(low).any()
        # The truth is the logarithm of other roundings than the draws are.
        inside = (low <= truth + 1e-12) & (truth <= high + 1e-12)
        with np.errstate(invalid="ignore", over="ignore"):
            return cls(
                result.row,
                result.estimator,
                len(truth),
                float(inside.mean()) if has_interval else math.nan,
                float((low > truth + 1e-12).mean()) if has_interval else math.nan,
                float(np.median(high - low)),
                float(((point - truth) ** 2).mean()),
                float((point - truth).mean()),
                float(seconds.mean()),
                float(np.median(low)),
            )

    @property
    def error_of_coverage(self) -> float:
        """Standard error of the coverage."""
        return math.sqrt(max(self.coverage * (1 - self.coverage), 0.25 / self.runs) / self.runs)

    @property
    def short(self) -> bool:
        """Whether the coverage is less than what is asked in this row."""
        return self.coverage < asked_of(self.row)


def asked_of(row: Row) -> float:
    """The least coverage that is asked in a row."""
    return LEAST_OF_HARDEST if row.cells == 256 and row.truth in HARDEST else LEAST


Table = Mapping[tuple[str, str], Figures]


def table(results: Sequence[Result]) -> dict[tuple[str, str], Figures]:
    """The figures by row and estimator."""
    return {(result.row.key, result.estimator): Figures.of(result) for result in results}


@dataclass(frozen=True)
class Claim:
    """Something that was asked of the default estimator, in how many rows, and the rows that fall short."""

    words: str
    rows: int
    short: tuple[str, ...]


def ratios(results: Sequence[Result], one: str, other: str) -> list[tuple[Row, float]]:
    """Squared error of one estimator by that of another, on the runs that both have, row by row."""
    runs = {(result.row.key, result.estimator): result.runs for result in results}
    found = []
    for row in {result.row.key: result.row for result in results}.values():
        if (row.key, one) in runs and (row.key, other) in runs:
            common = min(len(runs[row.key, one]), len(runs[row.key, other]))
            errors = [_squared_error(runs[row.key, name][:common]) for name in (one, other)]
            found.append((row, errors[0] / errors[1]))
    return found


def _squared_error(runs: NDArray[np.float64]) -> float:
    return float(((runs[:, 1] - runs[:, 0]) ** 2).mean())


def claims(results: Sequence[Result], default: str = "hierarchical") -> list[Claim]:
    """Check what was asked of the default estimator."""
    mine = [(result.row, Figures.of(result)) for result in results if result.estimator == default]
    pairs = ratios(results, default, "bayes")
    many = [(row, ratio) for row, ratio in pairs if row.cells >= 64 and row.records == 10_000]
    equal = [
        (row, found.median_low)
        for row, found in mine
        if row.truth == "all equal" and row.cells == 16 and row.records == 10_000
    ]
    short = [(row, found.coverage) for row, found in mine if found.short]
    return [
        _claim(
            "coverage of the 95 % interval at least 90 % (85 % in the hardest rows)", mine, short, "{:.1%}"
        ),
        _claim(
            "squared error at most 1.05 of that of `Bayes()`",
            pairs,
            [(row, ratio) for row, ratio in pairs if ratio > 1.05],
            "{:.2f}",
        ),
        _claim(
            "squared error at most 1/20 of that of `Bayes()`, from 64 cells on at 10,000 records",
            many,
            [(row, ratio) for row, ratio in many if ratio > 0.05],
            "1/{:.1f}",
        ),
        _claim(
            "all equal: the median lower bound below 0.05",
            equal,
            [(row, low) for row, low in equal if low >= 0.05],
            "{:.3f}",
        ),
    ]


def _claim(words: str, among: Sequence[object], short: Sequence[tuple[Row, float]], how: str) -> Claim:
    told = [f"{name_of(row)}: {how.format(1 / value if '1/' in how else value)}" for row, value in short]
    return Claim(words, len(among), tuple(told))


def name_of(row: Row) -> str:
    """A row in words."""
    return f"{row.truth}, {row.cells} cells, {row.records:,} records" + (
        f" ({row.part})" if row.part in ("weights", "classifier") else ""
    )
