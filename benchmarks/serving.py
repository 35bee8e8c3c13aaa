"""Deciding: a frame of ten million records beside a join, one record, SQL, and files in a stream."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars

import crossfair as cf
from benchmarks.common import best, ratio, seconds, table
from crossfair.outcomes import Outcomes
from crossfair.steps import Steps
from crossfair.terms import Source, Terms

RECORDS = 10_000_000
ATTRIBUTES = {
    "region": [f"region {i}" for i in range(7)],
    "sex": ["Female", "Male"],
    "group": [f"group {letter}" for letter in "ABCDE"],
}
COINS = 0.05  # the share of scores that lie between the two breaks of their cell


def policy() -> cf.Policy:
    """One policy for 70 cells: no below a threshold, a coin just above it, then yes."""
    cells = [(a, b, c) for a in ATTRIBUTES["region"] for b in ATTRIBUTES["sex"] for c in ATTRIBUTES["group"]]
    low = np.random.default_rng(0).uniform(0.3, 0.7, len(cells)).tolist()
    return cf.Policy(
        cells=cf.Cells.of(list(ATTRIBUTES), cells),
        decide_by=tuple(ATTRIBUTES),
        steps=Steps.of([([t, t + COINS], [0.0, 0.4, 1.0]) for t in low]),
        source=Source("score", "score", 0.5, Outcomes((False, True), True)),
        terms=Terms("derived", {"statistical_parity": 0.2}),
        salt="0123456789abcdef",
    )


def people(records: int) -> polars.DataFrame:
    """Records with three attributes as text, a score, and a number as key."""
    rng = np.random.default_rng(1)
    drawn = {
        name: polars.Series(values).gather(rng.integers(len(values), size=records))
        for name, values in ATTRIBUTES.items()
    }
    return polars.DataFrame({"id": np.arange(records), **drawn, "score": rng.random(records)})


def joined(frame: polars.DataFrame, served: cf.Policy) -> Any:
    """The least that a decision can cost: one threshold per cell, joined in order of the rows, compared."""
    columns = {name: [cell[i] for cell in served.cells.values] for i, name in enumerate(ATTRIBUTES)}
    thresholds = polars.DataFrame({**columns, "threshold": served.steps.breaks[::2]}).lazy()
    records = frame.lazy().select(*ATTRIBUTES, "score")
    met = records.join(thresholds, on=list(ATTRIBUTES), how="left", maintain_order="left")
    return met.select(polars.col("score") >= polars.col("threshold")).collect()


def in_duckdb(frame: polars.DataFrame, served: cf.Policy) -> Callable[[], Any]:
    """The policy's statement over the same records; what it decides is added up, so that all is computed."""
    connection = duckdb.connect()
    arrow = frame.to_arrow()
    connection.register("people", arrow)
    statement = served.to_sql(table="people", key="id", dialect="duckdb")
    return lambda: connection.execute(f"SELECT sum(decision) FROM ({statement}\n)").fetchone()


def frames() -> str:
    """The table of times for a whole frame."""
    served, frame = policy(), people(RECORDS)
    chances = served.acceptance(frame).to_numpy()
    share = float(((chances > 0) & (chances < 1)).mean())
    statement = in_duckdb(frame, served)
    (decided,) = statement()
    assert decided == served.decide(frame, key="id").sum()
    join = best(lambda: joined(frame, served))
    times = {
        "one threshold per cell, joined and compared (polars)": join,
        "`policy.acceptance`": best(lambda: served.acceptance(frame)),
        "`policy.decide`": best(lambda: served.decide(frame, key="id")),
        "`policy.to_sql` in DuckDB": best(statement),
    }
    rows = [[name, seconds(time_of), ratio(time_of, join)] for name, time_of in times.items()]
    heading = f"{RECORDS:,} records, {len(served.cells)} cells, {100 * share:.1f} % need a coin"
    return table([heading, "seconds", "ratio"], rows)


def single() -> str:
    """The table of times for one record."""
    served = policy()
    record = {"region": "region 3", "sex": "Male", "group": "group C"}
    low = float(served.steps.row(served.cells.index[tuple(record.values())])[0][0])
    rows = []
    for name, score in (("sure", low - 0.1), ("by a coin", low + COINS / 2)):

        def decide(score: float = score) -> None:
            for key in range(100_000):
                served.decide_one(record, score=score, key=key)

        rows.append([f"`policy.decide_one`, {name}", f"{10 * best(decide, 3):.2f} µs"])
    return table(["one record", "time"], rows)


COMMAND = """
import re, sys
from crossfair.cli.app import run
assert run(["decide", *sys.argv[1:], "--key", "id", "--quiet"]) == 0
status = open("/proc/self/status").read()  # unlike getrusage it leaves out what the parent held
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status).group(1)) // 1024)
"""


def streamed() -> str:
    """The table of times and memory of the command line."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        served, out = Path(folder, "policy.json"), Path(folder, "out.parquet")
        policy().save(served)
        for kind in ("parquet", "csv"):
            for records in (RECORDS // 10, RECORDS):
                path = Path(folder, f"people.{kind}")
                getattr(people(records), f"write_{kind}")(path)
                start = time.perf_counter()
                command = [sys.executable, "-c", COMMAND, *map(str, (path, "--policy", served, "-o", out))]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                took = time.perf_counter() - start
                size = f"{path.stat().st_size / 1e6:,.0f} MB"
                rows.append(
                    [f"{kind}, {records:,} records", size, seconds(took), f"{done.stdout.split()[0]} MB"]
                )
    return table(["`crossfair decide --quiet`", "file", "seconds", "peak memory"], rows)


def section() -> str:
    """The section of docs/benchmarks.md."""
    return (
        "## Serving\n\nDecisions on a polars frame, beside the least that they could cost, and in SQL:\n\n"
        f"{frames()}\nDecisions one by one, as a service takes them:\n\n{single()}\n"
        f"Decisions on files, in a stream:\n\n{streamed()}"
    )


if __name__ == "__main__":
    print(section())
