"""One task of benchmarks.scale in a process of its own, so that its peak of memory is its own."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import best

BY = ["sex", "race", "age", "region"]
KEYS = [*BY, "label", "prediction"]
BITS = 10
REPAIR = {"equalized_odds": 0.5}

Run = Callable[[], Any]


def duckdb_bare(path: str, what: str) -> Run:
    import duckdb

    bin_of = f"floor(score * {2**BITS}) / {2**BITS}"
    keys = ", ".join(KEYS if what == "counts" else [*BY, "label", bin_of])
    query = f"SELECT {keys}, count(*) FROM read_parquet('{path}') GROUP BY ALL"
    if what == "counts":
        return lambda: duckdb.connect().sql(query).fetchall()
    return lambda: duckdb.connect().sql(query).fetchnumpy()


def polars_scan(path: str) -> Any:
    import polars

    return polars.scan_parquet(path)


def polars_bare(path: str, what: str) -> Run:
    import polars

    score = (polars.col("score") * 2**BITS).floor() / 2**BITS
    keys = KEYS if what == "counts" else [*BY, "label", score]
    return lambda: polars_scan(path).group_by(keys).agg(polars.len()).collect(engine="streaming")


def dask_parts(path: str) -> Any:
    import dask.dataframe

    return dask.dataframe.read_parquet(path, split_row_groups=8)


def dask_bare(path: str, what: str) -> Run:
    def count() -> Any:
        frame = dask_parts(path)
        if what == "counts":
            return frame[KEYS].groupby(KEYS, observed=True, dropna=False).size().compute()
        binned = frame[[*BY, "label"]].assign(score=(frame["score"] * 2**BITS).floordiv(1) / 2**BITS)
        return binned.groupby([*BY, "label", "score"], observed=True, dropna=False).size().compute()

    return count


def spark_table(path: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    session = builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session.read.parquet(path)


def spark_bare(path: str, what: str) -> Run:
    from pyspark.sql import functions

    frame = spark_table(path)
    score = functions.floor(frame["score"] * 2**BITS) / 2**BITS
    keys = KEYS if what == "counts" else [*BY, "label", score.alias("score")]

    def count() -> Any:
        grouped = frame.groupBy(*keys).agg(
            functions.count("*")
        )  # anew, or Spark would take what it did before
        return grouped.collect() if what == "counts" else grouped.toArrow()

    return count


# For each engine: how the data are handed over, and the group-by that a user would write.
ENGINES: dict[str, tuple[Callable[[str], Any], Callable[[str, str], Run]]] = {
    "DuckDB": (str, duckdb_bare),
    "polars": (polars_scan, polars_bare),
    "Dask": (dask_parts, dask_bare),
    "Spark": (spark_table, spark_bare),
}


def read(engine: str, what: str, ours: bool, path: str) -> Run:
    """Return the counting of a file by an engine, by crossfair or bare."""
    import crossfair as cf

    hand_over, bare = ENGINES[engine]
    if not ours:
        return bare(path, what)
    data = hand_over(path)
    if what == "counts":
        return lambda: cf.count(data, by=BY, label="label", prediction="prediction")
    return lambda: cf.curves(data, by=BY, label="label", score="score", bits=BITS)


def command(path: str, *options: str) -> Run:
    """Return a whole `crossfair audit` of a file, from the start of its process to the end."""
    program = Path(sys.executable).with_name("crossfair")
    columns = ["--by", ",".join(BY), "--label", "label", "--prediction", "prediction"]
    call = [program, "audit", path, *columns, *options]
    return partial(subprocess.run, call, check=True, stdout=subprocess.DEVNULL)


def measure(estimator: str, path: str) -> Run:
    """Return the audit of a file of counts, by all metrics."""
    import crossfair as cf
    from crossfair.estimators import registry

    counts = cf.Counts.load(path)
    return partial(cf.audit, counts, estimator=registry.build(estimator))


def repair(method: str, path: str) -> Run:
    """Return the repair of a file of curves."""
    import crossfair as cf

    curves = cf.Curves.load(path)
    return partial(cf.mitigate, curves, limits=REPAIR, method=method, min_support=1)


TASKS: dict[str, Callable[..., Run]] = {
    "read": read,
    "command": command,
    "measure": measure,
    "repair": repair,
}


def family(process: int) -> list[int]:
    """A process that runs and those that stem from it, as Spark's Java does."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            parent = entry.read_text(encoding="utf-8").rpartition(") ")[2].split()[1]
            parents.setdefault(int(parent), []).append(int(entry.parent.name))
    return [process, *(other for child in parents.get(process, []) for other in family(child))]


def peak() -> float:
    """The peak of memory in MB, of this process and those that it started."""
    running = 0
    for process in family(os.getpid()):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
            running += int((status.partition("VmHWM:")[2].split() or ["0"])[0])
    return max(running, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


def main() -> None:
    """Run the task that the arguments name; print its best seconds and the peak of memory in MB."""
    task, *arguments, repeat = json.loads(sys.argv[1])
    seconds = best(TASKS[task](*arguments), repeat)
    print(json.dumps({"seconds": seconds, "peak": peak()}))


if __name__ == "__main__":
    main()
