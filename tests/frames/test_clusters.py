"""Frames of Spark, Dask and Ibis: counted and decided where they are, with the same bits as from a dict."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossfair as cf
from components import require
from crossfair.errors import InputError
from crossfair.frames import read_counts, read_curves
from frames.test_same_counts import READ, expected, hostile

pytestmark = pytest.mark.filterwarnings(
    "ignore::crossfair.errors.SimilarCellsWarning",
    "ignore:PySpark does not yet fully support:FutureWarning",
    "ignore:fetch_arrow_table:DeprecationWarning",  # Ibis calls DuckDB by an old name
)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile records as a file."""
    path = tmp_path_factory.mktemp("hostile") / "people.parquet"
    require("pyarrow.parquet").write_table(require("pyarrow").table(hostile()), path)
    return path


def check_hostile(frame: Any) -> None:
    counts, curves = expected(False)
    assert read_counts(frame, READ) == counts
    assert read_curves(frame, READ) == curves
    assert read_curves(frame, READ, bits=6) == curves.quantise(bins=64)


def test_spark_gives_the_same_bits(spark, parquet):
    check_hostile(spark.read.parquet(str(parquet)))


def test_dask_on_two_workers_gives_the_same_bits(workers, parquet):
    frame = require("dask.dataframe").from_pandas(require("pandas").read_parquet(parquet), npartitions=5)
    assert len(workers.scheduler_info()["workers"]) == 2
    check_hostile(frame)


def test_ibis_gives_the_same_bits(parquet):
    check_hostile(require("ibis").duckdb.connect().read_parquet(parquet))


CONNECT = """
    import warnings

    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession
    from crossfair.frames import read_counts, read_curves
    from frames.test_same_counts import READ, expected

    builder = SparkSession.builder.remote("local[2]")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    frame = session.read.parquet({path!r})
    counts, curves = expected(False)
    print(
        type(frame).__module__,
        read_counts(frame, READ) == counts,
        read_curves(frame, READ, bits=6) == curves.quantise(bins=64),
    )
    session.stop()
"""


def test_spark_connect_gives_the_same_bits(spark, parquet):
    """In a process of its own: one process holds a classic session or a Connect one."""
    require("grpc_status")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CONNECT).format(path=str(parquet))],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent,
    )  # fmt: skip
    assert done.stdout.split() == ["pyspark.sql.connect.dataframe", "True", "True"], done.stderr


@pytest.fixture(scope="module")
def policy() -> cf.Policy:
    rng = np.random.default_rng(0)
    people = {
        "sex": [("F", "M", None)[i] for i in rng.integers(3, size=2_000)],
        "old.er": (rng.random(2_000) < 0.5).tolist(),
        "y": rng.integers(2, size=2_000).tolist(),
        "p`": rng.random(2_000).round(2).tolist(),
    }
    return cf.mitigate(people, by=["sex", "old.er"], label="y", score="p`", limits={"equalized_odds": 0.02})


def records(size: int = 1_000) -> dict[str, list[Any]]:
    rng = np.random.default_rng(1)
    return {
        "id": list(range(size)),
        "sex": [("F", "M", None)[i] for i in rng.integers(3, size=size)],
        "old.er": (rng.random(size) < 0.5).tolist(),
        "p`": rng.random(size).tolist(),
    }


def test_spark_decides_as_pandas(spark, policy):
    frame = require("pandas").DataFrame(records())
    there = spark.createDataFrame(list(zip(*records().values())), list(records())).repartition(3)
    assert policy.needs_coins
    found = there.withColumn("chance", policy.acceptance(there)).withColumn(
        "yes", policy.decide(there, key="id")
    )
    rows = sorted(map(tuple, found.select("id", "chance", "yes").collect()))
    assert [row[1] for row in rows] == policy.acceptance(frame).tolist()
    assert [row[2] for row in rows] == policy.decide(frame, key="id").tolist()


def test_dask_decides_as_pandas(policy):
    frame = require("pandas").DataFrame(records())
    there = require("dask.dataframe").from_pandas(frame, npartitions=3)
    there = there[there["id"] >= 400]  # the first part is empty
    chance, yes = policy.acceptance(there), policy.decide(there, key="id")
    assert type(chance).__module__.startswith("dask")
    assert chance.compute().tolist() == policy.acceptance(frame[400:]).tolist()
    assert yes.compute().tolist() == policy.decide(frame[400:], key="id").tolist()


def test_coins_without_a_key_are_refused_in_parts(policy):
    there = require("dask.dataframe").from_pandas(require("pandas").DataFrame(records()), npartitions=2)
    with pytest.raises(InputError, match="seed: coins drawn anew would be alike in every part"):
        policy.decide(there, seed=1)
    with pytest.raises(InputError, match=r"has no column 'sex'"):
        policy.acceptance(there.drop(columns="sex"))


@pytest.mark.parametrize("backend", ["duckdb", "polars"])
def test_ibis_decides_as_pandas(policy, backend):
    ibis, rows = require("ibis"), require("pyarrow").table(records())
    connection = getattr(ibis, backend).connect()
    if backend == "duckdb":
        connection.con.register("arrow", rows)
        connection.con.execute("CREATE TABLE people AS FROM arrow")
        there = connection.table("people")
    else:
        there = connection.create_table("people", rows)
    there = there.filter(there["id"] >= 400)
    later = there.mutate(policy.acceptance(there), policy.decide(there, key="id")).order_by("id")
    found, frame = later.to_pyarrow(), require("pandas").DataFrame(records())[400:]
    assert found["acceptance"].to_pylist() == policy.acceptance(frame).tolist()
    assert found["decision"].to_pylist() == policy.decide(frame, key="id").tolist()


def test_a_policy_decides_on_other_tables_of_ibis_by_sql(policy, tmp_path):
    with sqlite3.connect(tmp_path / "people.sqlite") as connection:
        connection.execute('CREATE TABLE people (id integer, sex text, "old.er" integer, "p`" real)')
    table = require("ibis").sqlite.connect(tmp_path / "people.sqlite").table("people")
    with pytest.raises(
        InputError, match=r"Ibis tables of duckdb and polars, else by SQL; got a table of sqlite\. Run policy"
    ):
        policy.acceptance(table)


class TestNoRowComesToTheDriver:
    """Whatever is fetched is watched: it must be the result of a group-by, and small."""

    SIZE = 20_000
    READ: dict[str, Any] = {"by": ["sex"], "label": "y"}  # noqa: RUF012

    def columns(self) -> dict[str, Any]:
        rng = np.random.default_rng(0)
        return {
            "sex": [("F", "M")[i] for i in rng.integers(2, size=self.SIZE)],
            "y": rng.integers(2, size=self.SIZE).tolist(),
            "p": (rng.integers(100, size=self.SIZE) / 128).tolist(),
        }

    def use(self, frame: Any) -> None:
        """Everything that reads records."""
        cf.count(frame, **self.READ)
        cf.curves(frame, **self.READ, score="p")
        cf.audit(frame, **self.READ, score="p", estimator="smoothed")
        policy = cf.mitigate(frame, **self.READ, score="p", limits={"equalized_odds": 0.1})
        policy.evaluate(frame)

    def test_spark(self, spark, monkeypatch, tmp_path):
        require("pyarrow.parquet").write_table(
            require("pyarrow").table(self.columns()), tmp_path / "p.parquet"
        )
        frame = spark.read.parquet(str(tmp_path / "p.parquet"))
        fetched: list[tuple[str, int]] = []

        def watch(name: str) -> None:
            fetch = getattr(type(frame), name)

            def watched(self: Any, *arguments: Any, **options: Any) -> Any:
                found = fetch(self, *arguments, **options)
                plan = self._jdf.queryExecution().optimizedPlan().toString()
                fetched.append((plan, len(found)))
                return found

            monkeypatch.setattr(type(frame), name, watched)

        def trap(*_: Any) -> None:
            message = "rows were asked for one by one"
            raise AssertionError(message)

        for name in ("collect", "toArrow", "_collect_as_arrow"):
            watch(name)
        for name in ("toLocalIterator", "toPandas", "take", "head", "tail", "foreach"):
            monkeypatch.setattr(type(frame), name, trap)
        self.use(frame)
        assert fetched
        assert all("Aggregate" in plan for plan, _ in fetched)
        assert max(rows for _, rows in fetched) <= 400

    def test_dask(self, monkeypatch):
        dask = require("dask.dataframe")
        frame = dask.from_pandas(require("pandas").DataFrame(self.columns()), npartitions=4)
        compute, fetched = type(frame).compute, []

        def watched(self: Any, **options: Any) -> Any:
            fetched.append(len(found := compute(self, **options)))
            return found

        monkeypatch.setattr(type(frame), "compute", watched)
        self.use(frame)
        assert 0 < max(fetched) <= 400

    def test_ibis(self, monkeypatch):
        ibis = require("ibis")
        connection = ibis.duckdb.connect()
        connection.con.register("arrow", require("pyarrow").table(self.columns()))
        connection.con.execute("CREATE TABLE people AS FROM arrow")
        fetched: list[int] = []
        backend = type(connection)

        def watch(name: str) -> None:
            fetch = getattr(backend, name)

            def watched(self: Any, *arguments: Any, **options: Any) -> Any:
                found = fetch(self, *arguments, **options)
                fetched.append(len(found))
                return found

            monkeypatch.setattr(backend, name, watched)

        for name in ("to_pyarrow", "execute"):
            watch(name)
        self.use(connection.table("people"))
        assert 0 < max(fetched) <= 400


def test_what_spark_says_is_said(spark, parquet):
    """A file that vanishes between plan and run; a column that is not there."""
    copy = parquet.with_name("copy.parquet")
    copy.write_bytes(parquet.read_bytes())
    frame = spark.read.parquet(str(copy))
    copy.unlink()
    with pytest.raises(InputError, match=r"data: Spark could not count; got .*copy\.parquet"):
        read_counts(frame, READ)
    with pytest.raises(InputError, match="has no column 'gender'"):
        cf.count(spark.read.parquet(str(parquet)), by="gender", label="n")


def test_names_that_differ_by_case_alone(spark):
    frame = spark.createDataFrame([("F", "x", 1), ("M", "y", 0)], ["Sex", "sex", "y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cf.count(frame, by="sex", label="y").cells.values == (("x",), ("y",))
