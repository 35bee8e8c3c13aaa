"""The paper's synthetic experiment: ε of the impact ratio as the data grow, where the truth is known.

Every figure comes from the public estimators, applied to one data set at a time. The paper does not say
which sizes it took; `SIZES` covers the range from most cells nearly empty to all estimators close.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from crossfair.auditing import Settings
from crossfair.counts import Counts
from crossfair.metrics import metric
from crossfair.paper.estimators import ESTIMATORS, LEVEL

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: The paper's base rates: how likely each of the six cells is, and a positive label in it.
CELL_SHARES = (0.05, 0.55, 0.1, 0.1, 0.1, 0.1)
POSITIVE_RATES = (0.05, 0.95, 0.5, 0.5, 0.5, 0.5)
TRUTH = math.log(0.95 / 0.05)

SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)

#: How many data sets of a size an estimator sees at most: its cost is some fifty times the others'.
MOST = {"hierarchical": 300}

CHUNK = 10

#: What tells the libraries of linear algebra how many threads to take.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Task:
    """One estimator on some of the data sets of one size."""

    size: int
    estimator: str
    tables: Ints
    seeds: Ints


@dataclass(frozen=True)
class Series:
    """ε of one estimator on all data sets of one size: a row of point, low and high each, NaN where none."""

    size: int
    estimator: str
    estimates: Floats
    seconds: float

    @property
    def squared_errors(self) -> Floats:
        """(ε − truth)² per data set."""
        return (self.estimates[:, 0] - TRUTH) ** 2

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Whether the interval of each data set holds the truth."""
        return np.asarray((self.estimates[:, 1] <= TRUTH) & (self.estimates[:, 2] >= TRUTH))

    @property
    def widths(self) -> Floats:
        """Width of the interval of each data set."""
        return np.asarray(self.estimates[:, 2] - self.estimates[:, 1])


def run(
    datasets: int,
    seed: int,
    *,
    sizes: Sequence[int] = SIZES,
    estimators: Sequence[str] = tuple(ESTIMATORS),
    workers: int | None = None,
    advance: Callable[[float], None] = lambda _: None,
) -> list[Series]:
    """Estimate ε on `datasets` data sets of each size; `advance` is told the share of the work just done.

    The first data sets are the same however many there are, and so is what comes out for them.
    """
    tasks = [task for size in sizes for task in _tasks(size, estimators, datasets, seed)]
    found: dict[tuple[int, str], list[tuple[Floats, float]]] = {}
    for task, result in zip(tasks, _map(tasks, workers or os.cpu_count() or 1)):
        found.setdefault((task.size, task.estimator), []).append(result)
        advance(1 / len(tasks))
    return [
        Series(size, name, np.concatenate([rows for rows, _ in parts]), sum(spent for _, spent in parts))
        for (size, name), parts in found.items()
    ]


def tables(size: int, datasets: int, seed: int) -> Ints:
    """Draw data sets as records over [data set, cell, label].

    >>> tables(50, 3, seed=0).sum(axis=(1, 2)).tolist()
    [50, 50, 50]
    """
    shares, rates = np.array(CELL_SHARES), np.array(POSITIVE_RATES)
    joint = np.stack([shares * (1 - rates), shares * rates], axis=1)
    drawn = np.random.default_rng([seed, size]).multinomial(size, joint.ravel(), size=datasets)
    return drawn.reshape(datasets, *joint.shape)


def estimate(name: str, table: Ints, seed: int) -> tuple[float, float, float]:
    """Return ε of one data set with its interval, NaN where there is none.

    Cells without records count, since the paper takes the cells as known; those without a prior for them
    leave them out.

    >>> point, _, _ = estimate("smoothed", tables(1_000_000, 1, seed=0)[0], seed=0)
    >>> abs(point - TRUTH) < 0.1
    True
    """
    settings = Settings(ESTIMATORS[name], level=LEVEL, min_support=0, seed=seed)
    counts = replace(_template(), n=table[:, :, None])
    point, low, high = settings.measurement(counts).interval(metric("impact_ratio"))
    return point, math.nan if low is None else low, math.nan if high is None else high


@cache
def _template() -> Counts:
    """Counts over the six cells, to be filled."""
    columns = {"first": [0, 0, 0, 1, 1, 1] * 2, "second": [0, 1, 2] * 4, "label": [0] * 6 + [1] * 6}
    return Counts.from_table({**columns, "n": [1] * 12}, by=["first", "second"], label="label")


def _tasks(size: int, estimators: Sequence[str], datasets: int, seed: int) -> Iterator[Task]:
    drawn = tables(size, datasets, seed)
    seeds = np.random.default_rng([seed, size, 1]).integers(2**31, size=datasets)
    for start in range(0, datasets, CHUNK):
        for name in estimators:
            part = slice(start, min(start + CHUNK, MOST.get(name, datasets)))
            if part.start < part.stop:
                yield Task(size, name, drawn[part], seeds[part])


def _perform(task: Task) -> tuple[Floats, float]:
    start = time.perf_counter()
    rows = [estimate(task.estimator, table, int(seed)) for table, seed in zip(task.tables, task.seeds)]
    return np.array(rows), time.perf_counter() - start


def _map(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Floats, float]]:
    if workers == 1:
        yield from map(_perform, tasks)
        return
    # Fresh processes: a fork would copy the threads of a progress bar halfway through their work.
    with _one_thread_each(), ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_perform, tasks)


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have processes that start meanwhile compute in one thread: each has a core, and threads would fight."""
    given = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in given.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
