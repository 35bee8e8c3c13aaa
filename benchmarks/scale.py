"""Many records, cells and scores, beside the bare group-by of each engine: the tables of docs/scale.md."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks.common import CACHE, ratio, seconds, table
from benchmarks.scale_task import BITS, BY, ENGINES
from benchmarks.scored import BY as SCORED_BY
from benchmarks.scored import scored

SIZES = (2, 5, 7, 10)  # values per attribute: 700 cells
ROWS = 100_000_000
FEWER = 10_000_000
CELLS, PER_CELL = 100_000, 30
ATTRIBUTES = (2, 5, 6, 4, 8, 3, 10, 12)  # values per attribute: 691,200 possible cells
ESTIMATORS = ("smoothed", "bootstrap", "bayes", "hierarchical", "guaranteed")
SCORED_CELLS, SCORES = 10_000, 10_000_000

Measured = dict[str, float]


def records(rows: int) -> str:
    """A file of records, made once; all scores are distinct."""
    path = CACHE / f"scale-{rows}.parquet"
    if not path.exists():
        import duckdb

        keys = ", ".join(f"'{name} ' || (hash(i, {n}) % {size}) AS {name}"
                         for n, (name, size) in enumerate(zip(BY, SIZES)))  # fmt: skip
        score = "(hash(i, 10) >> 11)::DOUBLE / 9007199254740992"
        outcomes = f"(hash(i, 11) % 10 < 3)::TINYINT AS label, ({score} >= 0.7)::TINYINT AS prediction"
        query = f"SELECT {keys}, {score} AS score, {outcomes} FROM range({rows}) AS t(i)"
        connection = duckdb.connect(config={"memory_limit": "3GB", "preserve_insertion_order": "false"})
        CACHE.mkdir(parents=True, exist_ok=True)
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return str(path)


def many_cells() -> str:
    """A file of counts with as many observed cells as asked, of very different size, made once."""
    path = CACHE / f"cells-{CELLS}.counts"
    if not path.exists():
        import crossfair as cf

        CACHE.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(0)
        share = rng.dirichlet(np.full(CELLS, 0.8))
        cell = np.concatenate([np.arange(CELLS), rng.choice(CELLS, size=CELLS * (PER_CELL - 1), p=share)])
        label = rng.random(len(cell)) < rng.beta(3, 9, size=CELLS)[cell]
        prediction = rng.random(len(cell)) < np.where(label, 0.6, 0.1)
        possible = rng.choice(int(np.prod(ATTRIBUTES)), size=CELLS, replace=False)
        keys = np.unravel_index(possible[cell], ATTRIBUTES)
        columns: dict[str, Any] = {f"a{i}": key for i, key in enumerate(keys)}
        counts = cf.count(
            columns | {"y": label, "p": prediction}, by=list(columns), label="y", prediction="p"
        )
        counts.save(path)
    return str(path)


def many_scores() -> str:
    """A file of exact curves with many cells and scores, made once."""
    path = CACHE / f"scored-{SCORED_CELLS}.curves"
    if not path.exists():
        import crossfair as cf

        CACHE.mkdir(parents=True, exist_ok=True)
        cf.curves(scored(SCORED_CELLS, SCORES), by=SCORED_BY, label="label", score="score").save(path)
    return str(path)


def run(*task: Any, repeat: int) -> Measured:
    """Run one task in its own process."""
    command = [sys.executable, "-m", "benchmarks.scale_task", json.dumps([*task, repeat])]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return dict(json.loads(found.stdout.splitlines()[-1]))


def compared(engine: str, what: str, rows: int, repeat: int) -> list[str]:
    """One row: the bare group-by of an engine beside crossfair's."""
    bare, ours = (run("read", engine, what, mine, records(rows), repeat=repeat) for mine in (False, True))
    words = "counts" if what == "counts" else f"curves, 2^{BITS} bins"
    times = (seconds(bare["seconds"]), seconds(ours["seconds"]), ratio(ours["seconds"], bare["seconds"]))
    return [engine, words, f"{rows:,}", *times, megabytes(bare), megabytes(ours)]


def megabytes(measured: Measured) -> str:
    """A peak of memory."""
    return f"{measured['peak']:,.0f} MB"


def reading() -> str:
    """The table of engines."""
    rows = [compared(engine, what, FEWER, 3) for what in ("counts", "curves") for engine in ENGINES]
    rows += [compared(engine, "counts", ROWS, 3) for engine in ("DuckDB", "polars", "Spark")]
    rows.append(compared("DuckDB", "curves", ROWS, 2))
    headings = ["engine", "what", "records", "bare group-by", "crossfair", "ratio", "bare, peak", "peak"]
    return table(headings, rows)


def whole_audits() -> str:
    """The table of whole commands, from the start of the process to its end, beside the counting alone."""
    path = records(ROWS)
    bare = run("read", "DuckDB", "counts", False, path, repeat=3)
    rows = [["the bare group-by of DuckDB", seconds(bare["seconds"]), "", megabytes(bare)]]
    for estimator in ("hierarchical", "bayes", "smoothed"):
        found = run("command", path, "--estimator", estimator, repeat=2)
        more = seconds(found["seconds"] - bare["seconds"])
        rows.append(
            [f"`crossfair audit --estimator {estimator}`", seconds(found["seconds"]), more, megabytes(found)]
        )
    return table([f"{ROWS:,} records, 700 cells", "time", "more than the group-by", "peak"], rows)


def audits() -> str:
    """The table of estimators where there are many cells."""
    rows = []
    for estimator in ESTIMATORS:
        found = run("measure", estimator, many_cells(), repeat=1)
        rows.append([f"`{estimator}`", seconds(found["seconds"]), megabytes(found)])
    return table([f"all metrics, {CELLS:,} cells of {len(ATTRIBUTES)} attributes", "time", "peak"], rows)


def repairs() -> str:
    """The table of methods where there are many scores."""
    rows = []
    for method in ("derived", "threshold"):
        found = run("repair", method, many_scores(), repeat=1)
        rows.append([f"`{method}`", seconds(found["seconds"]), megabytes(found)])
    return table([f"equalized odds, {SCORED_CELLS:,} cells, {SCORES:,} scores", "time", "peak"], rows)


def section() -> str:
    """The measured part of docs/scale.md."""
    return (
        f"Reading, beside the group-by that one would write by hand:\n\n{reading()}\n"
        f"Whole commands on a Parquet file, from start to end:\n\n{whole_audits()}\n"
        f"Many cells, from a file of counts:\n\n{audits()}\n"
        f"Many scores, from exact curves:\n\n{repairs()}"
    )


if __name__ == "__main__":
    print(section())
