"""One task of benchmarks.reading in a process of its own, so that its peak of memory is its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import best

BY = ["sex", "race", "age", "region"]
KEYS = [*BY, "label", "prediction"]
STEPS = [*BY, "label", "score"]


def polars_scan(path: str) -> Any:
    import polars

    return polars.scan_parquet(path)


def arrow_table(path: str) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path)


def pandas_frame(path: str) -> Any:
    import pandas

    frame = pandas.read_parquet(path)
    return frame.astype(dict.fromkeys(BY, "category"))


def polars_bare(data: Any, keys: list[str], ordered: bool) -> Any:
    import polars

    grouped = data.group_by(keys).agg(polars.len())
    return (grouped.sort(keys) if ordered else grouped).collect(engine="streaming")


def arrow_bare(data: Any, keys: list[str], ordered: bool) -> Any:
    grouped = data.group_by(keys).aggregate([([], "count_all")])
    return grouped.sort_by([(key, "ascending") for key in keys]) if ordered else grouped


def pandas_bare(data: Any, keys: list[str], ordered: bool) -> Any:
    return data.groupby(keys, observed=True, dropna=False, sort=ordered).size()


def duckdb_bare(path: str, keys: list[str], ordered: bool) -> Any:
    import duckdb

    source = f"read_parquet('{path}')"
    if path.endswith(".csv"):
        with open(path, encoding="utf-8") as file:
            names = file.readline().strip().split(",")
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
        source = f"read_csv('{path}', auto_detect=false, header=true, delim=',', columns={{{columns}}})"
    order = " ORDER BY ALL" if ordered else ""
    grouped = duckdb.connect().sql(f"SELECT {', '.join(keys)}, count(*) FROM {source} GROUP BY ALL{order}")
    return grouped.fetchall() if keys == KEYS else grouped.fetchnumpy()


Load = Callable[[str], Any]
ENGINES: dict[str, tuple[Load, Callable[[Any, list[str], bool], Any]]] = {
    "polars, lazy": (polars_scan, polars_bare),
    "PyArrow": (arrow_table, arrow_bare),
    "pandas, categories": (pandas_frame, pandas_bare),
    "DuckDB, Parquet": (str, duckdb_bare),
    "DuckDB, CSV": (str, duckdb_bare),
}


def task(engine: str, what: str, way: str, path: str) -> Callable[[], Any]:
    """Return what is to be timed, its data loaded: "bare", "ordered" (the same, sorted) or "ours"."""
    load, bare = ENGINES[engine]
    data = load(path)
    if way != "ours":
        return lambda: bare(data, KEYS if what == "counts" else STEPS, way == "ordered")
    from crossfair.frames import read_counts, read_curves
    from crossfair.reading import Reading

    if what == "counts":
        reading = Reading(
            by=BY, label="label", prediction="prediction", positive="1" if path.endswith("csv") else 1
        )
        return lambda: read_counts(data, reading)
    scores = Reading(by=BY, label="label", score="score", positive="1" if path.endswith("csv") else 1)
    return lambda: read_curves(data, scores)


def main() -> None:
    """Run the task that the arguments name; print its best seconds and the peak of memory in MB."""
    engine, what, way, path, repeat = json.loads(sys.argv[1])
    timed = best(task(engine, what, way, path), repeat)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({"seconds": timed, "peak": peak}))


if __name__ == "__main__":
    main()
