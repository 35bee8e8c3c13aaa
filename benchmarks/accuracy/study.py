"""Run the study, row by row, and keep what came out, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import crossfair as cf
from benchmarks.accuracy import worlds
from benchmarks.accuracy.worlds import Row
from crossfair import files
from crossfair.auditing import Settings
from crossfair.estimators.base import Estimator
from crossfair.metrics import metric

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "accuracy"
# What a kept result depends on: a change in any of these starts the study anew.
SOURCES = (
    "benchmarks/accuracy/truths.py",
    "benchmarks/accuracy/worlds.py",
    "src/crossfair/estimators/*.py",
    "src/crossfair/epsilon.py",
    "src/crossfair/measure.py",
)
RUNS = 400
FEWER = 200  # runs of the paper's two simulating estimators with 256 cells
CHUNK = 20

ESTIMATORS: dict[str, Estimator] = {
    "hierarchical": cf.Hierarchical(),
    "bayes": cf.Bayes(),
    "bootstrap": cf.Bootstrap(),
    "smoothed": cf.Smoothed(),
    "guaranteed": cf.Guaranteed(),
}


@dataclass(frozen=True)
class Result:
    """One estimator in one row: truth, point, low, high and seconds of every run; NaN where there is none."""

    row: Row
    estimator: str
    runs: NDArray[np.float64]


@cache
def fingerprint() -> str:
    """A short hash of the code that the results come from."""
    paths = sorted(path for pattern in SOURCES for path in ROOT.glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


def applies(estimator: str, row: Row) -> bool:
    """Whether an estimator takes such data: guaranteed bounds take no weights."""
    return not (estimator == "guaranteed" and row.part == "weights")


def runs_of(estimator: str, row: Row, runs: int) -> int:
    """How many runs a row gets."""
    return min(runs, FEWER) if row.cells == 256 and estimator in ("bayes", "bootstrap") else runs


def kept(runs: int) -> Iterator[Result]:
    """Yield the results that are there."""
    for estimator in ESTIMATORS:
        for row in worlds.rows():
            path = _path(estimator, row)
            if path.exists():
                found = np.array(json.loads(path.read_text()), dtype=np.float64)
                yield Result(row, estimator, found[: runs_of(estimator, row, runs)])


def run(runs: int, estimators: Iterable[str], workers: int) -> None:
    """Run what is missing; each row is kept as soon as it is done.

    A quarter of the runs comes first for all, then the rest estimator by estimator.
    """
    chosen = list(estimators)
    turns = [*product(chosen, [4]), *product(chosen, [2, 1])]
    # Fresh processes of one thread each: the matrices are small.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for (estimator, share), row in product(turns, worlds.rows()):
            if applies(estimator, row):
                _complete(pool, estimator, row, runs_of(estimator, row, runs) // share)


def _complete(pool: ProcessPoolExecutor, estimator: str, row: Row, runs: int) -> None:
    path = _path(estimator, row)
    found = json.loads(path.read_text()) if path.exists() else []
    if len(found) >= runs:
        return
    starts = range(len(found), runs, CHUNK)
    parts = [pool.submit(perform, estimator, row.key, n, min(n + CHUNK, runs)) for n in starts]
    for part in parts:
        found += part.result()
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.replacing(path) as unfinished:
        unfinished.write_text(json.dumps(found))
    print(f"{time.strftime('%H:%M:%S')} {estimator}: {row.key}", flush=True)


def perform(estimator: str, key: str, start: int, stop: int) -> list[list[float]]:
    """Return truth, point, low, high and seconds of some runs of one row."""
    row = next(row for row in worlds.rows() if row.key == key)
    return [_measure(estimator, row, number) for number in range(start, stop)]


def _measure(estimator: str, row: Row, number: int) -> list[float]:
    sample = row.sample(number)
    settings = Settings(ESTIMATORS[estimator], min_support=sample.min_support, seed=number)
    start = time.process_time()
    point, low, high = settings.measurement(sample.counts).interval(metric(sample.metric))
    seconds = time.process_time() - start
    bounds = [math.nan if bound is None else bound for bound in (low, high)]
    return [sample.truth, point, *bounds, seconds]


def _path(estimator: str, row: Row) -> Path:
    return KEPT / fingerprint() / estimator / f"{row.key}.json"
