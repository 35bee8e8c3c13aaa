"""From records to counts and curves, beside the bare group-by of the same engine: time and peak of memory."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import CACHE, FAIRLEARN, peer, ratio, seconds, table
from benchmarks.reading_task import BY, ENGINES

SIZES = (2, 5, 7, 10)  # values per attribute: 700 cells
ROWS = (1_000_000, 10_000_000)
AIF360 = ["aif360", "pandas", "pyarrow"]
ROUNDS = 2


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


def run(engine: str, what: str, way: str, path: Path, repeat: int) -> dict[str, float]:
    """Run one task in its own process."""
    argument = json.dumps([engine, what, way, str(path), repeat])
    command = [sys.executable, "-m", "benchmarks.reading_task", argument]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return dict(json.loads(found.stdout))


def side_by_side(
    engine: str, what: str, ways: Sequence[str], path: Path, repeat: int
) -> list[dict[str, float]]:
    """Run the ways of one task in turns, so that what disturbs the machine disturbs all of them alike."""
    rounds = [[run(engine, what, way, path, repeat) for way in ways] for _ in range(ROUNDS)]
    return [{key: min(turn[key] for turn in turns) for key in turns[0]} for turns in zip(*rounds)]


def counting(rows: int, repeat: int) -> str:
    """The table of counts, engine by engine."""
    lines = []
    for engine, path in _paths(rows).items():
        bare, ours = side_by_side(engine, "counts", ("bare", "ours"), path, repeat)
        in_time = ours["seconds"] <= 1.2 * bare["seconds"] + 0.02
        holds = in_time and ours["peak"] <= 1.3 * bare["peak"]
        lines.append([engine, *_times(bare, ours), *_peaks(bare, ours), "yes" if holds else "no"])
    headings = ["engine", "bare group-by", "`cf.count`", "ratio", "bare, peak", "`cf.count`, peak", "ratio"]
    return table([*headings, "holds"], lines)


def curves(rows: int, repeat: int) -> str:
    """The table of exact scores, engine by engine."""
    lines = []
    for engine, path in _paths(rows).items():
        bare, ordered, ours = side_by_side(engine, "curves", ("bare", "ordered", "ours"), path, repeat)
        holds = ours["seconds"] <= 1.3 * bare["seconds"]
        against = [
            seconds(ordered["seconds"]),
            *_times(bare, ours),
            ratio(ours["seconds"], ordered["seconds"]),
        ]
        lines.append([engine, *against, *_peaks(bare, ours), "yes" if holds else "no"])
    return table(
        ["engine", "group-by, sorted", "bare group-by", "`cf.curves`", "ratio to bare", "ratio to sorted",
         "bare, peak", "`cf.curves`, peak", "ratio", "holds"],
        lines,
    )  # fmt: skip


def _paths(rows: int) -> dict[str, Path]:
    parquet, text = files(rows)
    return {engine: text if engine.endswith("CSV") else parquet for engine in ENGINES}


def _times(bare: dict[str, float], ours: dict[str, float]) -> list[str]:
    return [seconds(bare["seconds"]), seconds(ours["seconds"]), ratio(ours["seconds"], bare["seconds"])]


def _peaks(bare: dict[str, float], ours: dict[str, float]) -> list[str]:
    return [f"{bare['peak']:,.0f} MB", f"{ours['peak']:,.0f} MB", ratio(ours["peak"], bare["peak"])]


def section(rows: tuple[int, ...] = ROWS) -> str:
    """The section of docs/benchmarks.md."""
    text = (
        "## Reading\n\n4 attributes, 700 cells, a label and a prediction or a score; all scores are "
        "distinct. Each figure is the best of processes of their own, which took turns; a peak of memory "
        "includes the data where they are in memory.\n"
    )
    for size in rows:
        repeat = 7 if size <= 1_000_000 else 2
        text += (
            f"\nCounts of {size:,} records. The limit is 1.2 times the bare group-by and 20 ms, and 1.3 "
            f"times its peak:\n\n{counting(size, repeat)}\nExact curves of the scores of {size:,} records. A "
            "curve is sorted by cell and score, and its rows are checked; the engine's own table is not, so "
            "that it stands here as it comes and sorted. The limit is 1.3 times the bare group-by:\n\n"
            f"{curves(size, repeat)}"
        )
    return text + f"\nThe same rates per cell by the peers, 1,000,000 records:\n\n{peers()}"


def peers(rows: int = 1_000_000) -> str:
    """Fairlearn and AIF360, each in an environment of its own, beside `cf.count` and the rates from it."""
    parquet = files(rows)[0]
    ours = run("pandas, categories", "counts", "ours", parquet, 5)
    lines = [("`cf.count`, pandas", seconds(ours["seconds"]), "1 ×", f"{ours['peak']:,.0f} MB")]
    for name, packages in (("fairlearn", FAIRLEARN), ("aif360", AIF360)):
        found = peer(name, packages, f"peer_reading_{name}.py", {"path": str(parquet), "cells": 10})
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
