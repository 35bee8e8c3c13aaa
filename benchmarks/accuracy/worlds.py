"""Rows of the study: from a truth to one data set as counts, with the ε that holds in it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

import crossfair as cf
from benchmarks.accuracy.truths import LEVELS, TRUTHS, Floats, Rng, sizes
from crossfair.paper import synthetic

SEED = 71  # of data sets that no estimator was tuned on; take another one after tuning
RECORDS = (1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Sample:
    """One data set: its counts, the metric that is asked for, and the ε of the rates that made it."""

    counts: cf.Counts
    metric: str
    truth: float
    min_support: float = 1


@dataclass(frozen=True)
class Row:
    """One row of the study: a truth, so many cells and so many records, and what draws a data set of it."""

    part: str
    truth: str
    cells: int
    records: int
    draw: Callable[[Row, Rng], Sample]

    @property
    def key(self) -> str:
        """Name of the row, for files."""
        return f"{self.part}-{self.truth}-{self.cells}-{self.records}".replace(" ", "_")

    def sample(self, run: int) -> Sample:
        """Draw the data set of one run; all estimators see the same."""
        return self.draw(self, np.random.default_rng([SEED, zlib.crc32(self.key.encode()), run]))


def _rates(row: Row, rng: Rng) -> Sample:
    """Labels alone: the impact ratio."""
    rates = TRUTHS[row.truth].draw(rng, row.cells)
    n = sizes(rng, row.cells, row.records)
    yes = rng.binomial(n, rates)
    counts = replace(_template(row.cells, ("y",)), n=np.stack([n - yes, yes], axis=1)[:, :, None])
    return Sample(counts, "impact_ratio", _epsilon(rates[n > 0]))


def _classifier(row: Row, rng: Rng) -> Sample:
    """A classifier: labels with log odds as in "logit-normal", a score that is normal around a mean which
    depends on the cell, 1.5 higher for positive labels, and one threshold for all: equalized odds."""
    base = expit(rng.normal(-1.0, 0.5, row.cells))
    shift = rng.normal(0.0, 0.3, row.cells)
    true_positive, false_positive = ndtr(shift + 0.5), ndtr(shift - 1.0)
    n = sizes(rng, row.cells, row.records)
    positives = rng.binomial(n, base)
    negatives = n - positives
    accepted = np.stack([rng.binomial(negatives, false_positive), rng.binomial(positives, true_positive)], 1)
    labels = np.stack([negatives, positives], axis=1)
    counts = replace(_template(row.cells, ("y", "p")), n=np.stack([labels - accepted, accepted], axis=2))
    found = [_epsilon(true_positive[positives > 0]), _epsilon(false_positive[negatives > 0])]
    return Sample(counts, "equalized_odds", max(found))


def _weighted(row: Row, rng: Rng) -> Sample:
    """Labels with weights that are log-normal (0.5) and say nothing about the label."""
    rates = TRUTHS[row.truth].draw(rng, row.cells)
    n = sizes(rng, row.cells, row.records)
    cell = np.repeat(np.arange(row.cells), n)
    place = 2 * cell + (rng.random(len(cell)) < rates[cell])
    weight = rng.lognormal(0.0, 0.5, len(cell))
    sums = {
        name: np.bincount(place, values, 2 * row.cells)
        for name, values in (("n", np.ones(len(cell))), ("w", weight), ("w2", weight**2))
    }
    table = {**_table(row.cells, ("y",)), **sums, "n": sums["n"].astype(np.int64)}
    counts = cf.Counts.from_table(table, by=_BY, label="y", weight="w", weight_squared="w2")
    return Sample(counts, "impact_ratio", _epsilon(rates[n > 0]))


def _paper(row: Row, rng: Rng) -> Sample:
    """The paper's synthetic set; its cells are known, so that empty ones count."""
    table = synthetic.tables(row.records, 1, int(rng.integers(2**31)))[0]
    columns = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 1, 2] * 2}
    doubled = {name: np.repeat(values, 2) for name, values in columns.items()}
    rows = {**doubled, "y": [0, 1] * 6, "n": table.ravel()}
    counts = cf.Counts.from_table(rows, by=["a", "b"], label="y")
    return Sample(counts, "impact_ratio", synthetic.TRUTH, min_support=0)


_BY = ["first", "second", "third"]


def _table(cells: int, outcomes: tuple[str, ...]) -> dict[str, NDArray[np.int64]]:
    """A row for each cell and each combination of the outcomes."""
    shape = (*LEVELS[cells], *(2 for _ in outcomes))
    return dict(zip((*_BY, *outcomes), np.indices(shape).reshape(len(shape), -1)))


@cache
def _template(cells: int, outcomes: tuple[str, ...]) -> cf.Counts:
    table = _table(cells, outcomes)
    prediction = "p" if "p" in outcomes else None
    rows = {**table, "n": np.ones_like(table["first"])}
    return cf.Counts.from_table(rows, by=_BY, label="y", prediction=prediction)


def _epsilon(rates: Floats) -> float:
    return float(np.log(rates.max() / rates.min()))


def rows() -> list[Row]:
    """All rows, part by part."""
    found = [Row("rates", truth, c, n, _rates) for truth in TRUTHS for c in LEVELS for n in RECORDS]
    found += [Row("paper", "the paper's", 6, n, _paper) for n in synthetic.SIZES]
    found += [Row("classifier", "classifier", c, n, _classifier) for c in LEVELS for n in RECORDS[1:]]
    found += [Row("weights", "logit-normal", c, 10_000, _weighted) for c in LEVELS]
    return found
