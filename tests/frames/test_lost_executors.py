"""A process of a cluster that dies in the middle of a count: its part is counted again, exactly once."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import crossfair as cf
from components import require

PARTS, RECORDS = 8, 8_000
PATIENCE = 60.0


def spark_frame(spark: Any, marks: Path) -> Any:
    """Records made slowly, in parts; each part leaves a mark: itself, and the executor that begins it."""
    folder = str(marks)

    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        forked = Path(
            f"/proc/{os.getppid()}/stat"
        ).read_text()  # Python's workers stem from a daemon of Java's
        executor = forked.rpartition(") ")[2].split()[1]
        part = TaskContext.get().partitionId()
        Path(folder, f"{part}-{executor}-{time.time_ns()}").touch()
        time.sleep(0.4)
        yield from batches

    made = spark.range(0, RECORDS, 1, PARTS).selectExpr("id % 2 AS sex", "id % 3 % 2 AS y")
    return made.mapInArrow(slow, made.schema)


def dask_frame(_: Any, marks: Path) -> Any:
    """The same records, by Dask."""
    folder = str(marks)

    def slow(part: Any) -> Any:
        Path(folder, f"{part.index[0]}-{os.getpid()}-{time.time_ns()}").touch()
        time.sleep(0.4)
        return part

    ids = range(RECORDS)
    made = require("pandas").DataFrame({"sex": [i % 2 for i in ids], "y": [i % 3 % 2 for i in ids]})
    parts = require("dask.dataframe").from_pandas(made, npartitions=PARTS)
    return parts.map_partitions(slow, meta=made[:0])


def marked(marks: Path) -> list[tuple[str, int]]:
    """Which part was begun by which process."""
    found = (path.name.split("-") for path in marks.iterdir())
    return [(part, int(process)) for part, process, _ in found]


def kill_at_work(marks: Path) -> int:
    """Kill the first process that has begun a second part, so that it has done one and is at another."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        begun = Counter(process for _, process in marked(marks))
        if begun and begun.most_common(1)[0][1] >= 2:
            victim = begun.most_common(1)[0][0]
            os.kill(victim, signal.SIGKILL)
            return victim
        time.sleep(0.02)
    pytest.fail(f"no process began a second part: {marked(marks)}")


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")
@pytest.mark.parametrize(
    ("cluster", "build"), [("spark", spark_frame), ("workers", dask_frame)], ids=["Spark", "Dask"]
)
def test_a_count_survives_the_loss_of_a_process(
    request: pytest.FixtureRequest, tmp_path: Path, cluster: str, build: Callable[[Any, Path], Any]
) -> None:
    frame = build(request.getfixturevalue(cluster), tmp_path)
    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(cf.count, frame, by="sex", label="y")
        victim = kill_at_work(tmp_path)
        counts = counting.result(PATIENCE)
    ids = range(RECORDS)
    assert counts == cf.count(
        {"sex": [i % 2 for i in ids], "y": [i % 3 % 2 for i in ids]}, by="sex", label="y"
    )
    begun = marked(tmp_path)
    lost = {part for part, process in begun if process == victim}
    again = {part for part, process in begun if process != victim}
    assert len(lost) >= 2
    assert len(again) == PARTS  # what the victim had done already was lost with it
