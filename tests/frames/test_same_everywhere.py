"""The same 200,000 records, weighted, wherever they lie: the same audit, curves and repair, bit for bit.

Whole on each engine, and in 20 shards counted by all engines in turn and added up in a random order.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossfair as cf
from components import require

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
]

RECORDS, SHARDS = 200_000, 20
BY: dict[str, Any] = {"by": ["sex", "race", "age"], "bins": {"age": [30, 50]}, "label": "y", "weight": "w"}
Engine = Callable[[int | None], tuple[Any, dict[str, Any]]]
LIMITS = {"equalized_odds": 0.1}
TYPES = {"sex": "text", "race": "text", "age": "integer", "y": "integer", "p": "float8", "w": "float8"}


@functools.cache
def people() -> dict[str, np.ndarray[Any, Any]]:
    """Records whose scores and weights are spread over all bits of a floating-point number."""
    rng = np.random.default_rng(2019)
    race = rng.choice(4, size=RECORDS, p=[0.7, 0.2, 0.07, 0.03])
    label = rng.random(RECORDS) < 0.2 + 0.05 * race
    return {
        "sex": np.array(["Female", "Male"])[rng.integers(2, size=RECORDS)],
        "race": np.array(["White", "Black", "Asian", "Other"])[race],
        "age": rng.integers(17, 91, size=RECORDS),
        "y": label.astype(np.int64),
        "p": np.clip(rng.normal(0.35 + 0.2 * label, 0.15, RECORDS), 0, 1),
        "w": rng.gamma(2.0, 0.7, RECORDS),
    }


def rows_of(part: int | None) -> slice:
    """The records of a shard, or all of them."""
    size = RECORDS // SHARDS
    return slice(None) if part is None else slice(part * size, (part + 1) * size)


def in_parquet(folder: Path, part: int | None) -> str:
    """The file of a shard, or of all records."""
    return str(folder / f"{part}.parquet")


def in_postgres(part: int | None) -> str:
    """The view of a shard, or the table of all records."""
    return "everyone.people" if part is None else f"everyone.shard_{part}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records as files: all, and each shard."""
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("people")
    for part in (None, *range(SHARDS)):
        chosen = {name: column[rows_of(part)] for name, column in people().items()}
        parquet.write_table(arrow.table(chosen), in_parquet(folder, part), row_group_size=RECORDS // 4)
    return folder


def fill(postgres: Any) -> Any:
    """Put the records into a table of PostgreSQL, with a view of it for each shard."""
    postgres.execute("DROP SCHEMA IF EXISTS everyone CASCADE; CREATE SCHEMA everyone")
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    postgres.execute(f"CREATE TABLE everyone.people (id integer, {columns})")
    with postgres.cursor() as cursor, cursor.copy("COPY everyone.people FROM STDIN") as copy:
        for row in zip(range(RECORDS), *(column.tolist() for column in people().values())):
            copy.write_row(row)
    for part in range(SHARDS):
        rows = rows_of(part)
        chosen = f"SELECT * FROM everyone.people WHERE id >= {rows.start} AND id < {rows.stop}"
        postgres.execute(f"CREATE VIEW {in_postgres(part)} AS {chosen}")
    return postgres


@pytest.fixture(scope="module")
def engines(folder: Path, postgres: Any, spark: Any, workers: Any) -> dict[str, Engine]:
    """For each engine, the data and the options that read a shard, or all records."""
    assert len(workers.scheduler_info()["workers"]) == 2
    pandas, polars, duckdb = require("pandas"), require("polars"), require("duckdb")
    dask, connection = require("dask.dataframe"), fill(postgres)

    return {
        "pandas": lambda part: (pandas.DataFrame(people())[rows_of(part)], {}),
        "polars": lambda part: (polars.DataFrame(people())[rows_of(part)], {}),
        "DuckDB": lambda part: (duckdb.connect().read_parquet(in_parquet(folder, part)), {}),
        "PostgreSQL": lambda part: (connection, {"table": in_postgres(part)}),
        "Dask": lambda part: (dask.read_parquet(in_parquet(folder, part), split_row_groups=1), {}),
        "Spark": lambda part: (spark.read.parquet(in_parquet(folder, part)), {}),
    }


def audited(data: Any, **options: Any) -> str:
    """An audit of everything, as text."""
    return cf.audit(data, **options).to_json()


def repaired(data: Any, **options: Any) -> dict[str, Any]:
    """A derived policy, but for its seconds and the names of the columns, which curves do not hold."""
    policy = cf.mitigate(data, **options, limits=LIMITS, method="derived", salt="salt")
    found: dict[str, Any] = json.loads(policy.to_json())
    assert found.pop("run").keys() == {"seconds"}
    assert found.pop("source")["kind"] == "score"
    return found


@functools.cache
def expected() -> tuple[str, cf.Curves, dict[str, Any]]:
    """What a dict of columns gives."""
    return (
        audited(people(), **BY, score="p", threshold=0.45),
        cf.curves(people(), **BY, score="p"),
        repaired(people(), **BY, score="p"),
    )


@pytest.mark.parametrize("name", ["pandas", "polars", "DuckDB", "PostgreSQL", "Dask", "Spark"])
def test_every_engine_gives_the_same(engines: dict[str, Engine], name: str) -> None:
    data, options = engines[name](None)
    audit, curves, policy = expected()
    assert audited(data, **BY, **options, score="p", threshold=0.45) == audit
    assert cf.curves(data, **BY, **options, score="p") == curves
    assert repaired(data, **BY, **options, score="p") == policy


def test_twenty_shards_of_all_engines_in_a_random_order_give_the_same(
    engines: dict[str, Engine], tmp_path: Path
) -> None:
    names = [list(engines)[i % len(engines)] for i in range(SHARDS)]
    for i, name in enumerate(names):
        data, options = engines[name](i)
        cf.count(data, **BY, **options, score="p", threshold=0.45).save(tmp_path / f"{i}.counts")
        cf.curves(data, **BY, **options, score="p").save(tmp_path / f"{i}.curves")
    audit, curves, policy = expected()
    for seed in range(3):
        order = random.Random(seed).sample(range(SHARDS), SHARDS)
        assert audited([tmp_path / f"{i}.counts" for i in order]) == audit
        assert cf.curves([tmp_path / f"{i}.curves" for i in order]) == curves
    assert repaired([tmp_path / f"{i}.curves" for i in order]) == policy
