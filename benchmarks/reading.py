"""From records to counts and curves, beside the bare group-by of the same engine: time and peak of memory."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import CACHE, peer, ratio, seconds, table
from benchmarks.reading_task import BY, ENGINES

SIZES = (2, 5, 7, 10)  # values per attribute: 700 cells
ROWS = (1_000_000, 10_000_000)
FAIRLEARN = ["fairlearn", "pandas", "pyarrow"]
AIF360 = ["aif360", "pandas", "pyarrow"]


def files(rows: int) -> tuple[Path, Path]:
    """The records as Parquet and as CSV, made once; all scores are distinct."""
    parquet, text = CACHE / f"people-{rows}.parquet", CACHE / f"people-{rows}.csv"
    CACHE.mkdir(parents=True, exist_ok=True)
    if not text.exists():
        import duckdb
        import pyarrow
        import pyarrow.parquet

        rng = np.random.default_rng(rows)
        columns: dict[str, Any] = {}
        for name, size in zip(BY, SIZES):
            words = pyarrow.array([f"{name} {i}" for i in range(size)])
            columns[name] = words.take(pyarrow.array(rng.integers(size, size=rows)))
        columns["score"] = rng.permutation(rows) / rows
        columns["label"] = (rng.random(rows) < 0.3).astype(np.int64)
        columns["prediction"] = (columns["score"] >= 0.7).astype(np.int64)
        pyarrow.parquet.write_table(pyarrow.table(columns), parquet)
        duckdb.connect().execute(f"COPY (FROM '{parquet}') TO '{text}' (HEADER)")
    return parquet, text


def run(engine: str, what: str, ours: bool, path: Path, repeat: int) -> dict[str, float]:
    """Run one task in its own process."""
    argument = json.dumps([engine, what, ours, str(path), repeat])
    command = [sys.executable, "-m", "benchmarks.reading_task", argument]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return dict(json.loads(found.stdout))


def compared(what: str, rows: int, repeat: int) -> str:
    """The table of one task, engine by engine."""
    parquet, text = files(rows)
    lines = []
    for engine in ENGINES:
        path = text if engine.endswith("CSV") else parquet
        bare, ours = (run(engine, what, mine, path, repeat) for mine in (False, True))
        lines.append(
            (
                engine,
                seconds(bare["seconds"]),
                seconds(ours["seconds"]),
                ratio(ours["seconds"], bare["seconds"]),
                f"{bare['peak']:,.0f} MB",
                f"{ours['peak']:,.0f} MB",
                ratio(ours["peak"], bare["peak"]),
            )
        )
    call = "`cf.count`" if what == "counts" else "`cf.curves`"
    headings = ["engine", "bare group-by", call, "ratio", "bare, peak", f"{call}, peak", "ratio"]
    return table(headings, lines)


def section(rows: tuple[int, ...] = ROWS) -> str:
    """The section of docs/benchmarks.md."""
    text = (
        "## Reading\n\n4 attributes, 700 cells, a label and a prediction or a score; all scores are "
        "distinct. Each figure is of a process of its own; its peak of memory includes data that are "
        "in memory.\n"
    )
    for size in rows:
        repeat = 5 if size <= 1_000_000 else 3
        text += f"\nCounts of {size:,} records:\n\n{compared('counts', size, repeat)}"
        text += f"\nExact tables of scores of {size:,} records:\n\n{compared('curves', size, repeat)}"
    return text + f"\nThe same rates per cell by the peers, 1,000,000 records:\n\n{peers()}"


def peers(rows: int = 1_000_000) -> str:
    """Fairlearn and AIF360, each in an environment of its own, beside `cf.count` and the rates from it."""
    parquet = files(rows)[0]
    ours = run("pandas, categories", "counts", True, parquet, 5)
    lines = [("`cf.count`, pandas", seconds(ours["seconds"]), "1 ×", f"{ours['peak']:,.0f} MB")]
    for name, packages in (("fairlearn", FAIRLEARN), ("aif360", AIF360)):
        found = peer(name, packages, f"peer_reading_{name}.py", {"path": str(parquet)})
        lines.append(
            (
                found["name"],
                seconds(found["seconds"]),
                ratio(found["seconds"], ours["seconds"]),
                f"{found['peak']:,.0f} MB",
            )
        )
    return table(["library", "time", "ratio", "peak"], lines)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    print(section(tuple(arguments.parse_args().rows)))
