"""The contract of serving: the same records get the same decisions everywhere, bit for bit.

A hundred thousand records with hostile names and values, in every library, one by one, in batches, and in
three real SQL engines; by a policy fitted to typed columns, and by one fitted to a CSV, where all is text.
"""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import engines
from components import require
from crossfair import mitigate

SIZE = 100_000
NAME, CODE, ALIVE, BORN, AGE = BY = ['na"me', "co.de", "Über'leben", "born`", "age; drop table people"]
SCORE, LABEL, KEY = "the score", "y", "key"
TABLE = "people; drop"


def _draw(rng, values, shares=None):
    return [values[i] for i in rng.choice(len(values), SIZE, p=shares)]


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(8)
    day = datetime.date
    names = [
        "O'Brien",
        '"',
        "'; DROP TABLE people; --",
        "",
        None,
        "José\u00e9",
        "${env:HOME}",
        "a\\nb",
        "a\nb",
    ]
    age = [None if a > 90 else round(float(a), 3) for a in rng.uniform(15, 92, SIZE)]
    score = rng.beta(2, 3, SIZE)
    return {
        NAME: _draw(rng, names),
        CODE: _draw(rng, [0, 1, -7, None]),
        ALIVE: _draw(rng, [True, False, None], [0.5, 0.4, 0.1]),
        BORN: _draw(rng, [day(1970, 1, 1), day(2020, 2, 29), None], [0.5, 0.4, 0.1]),
        AGE: age,
        SCORE: score.tolist(),
        LABEL: (rng.random(SIZE) < score).astype(int).tolist(),
        KEY: [f"{i}'{'é' if i % 3 else '; --'}" for i in range(SIZE)],
    }


def _fit(data):
    return mitigate(
        data,
        by=BY,
        bins={AGE: [30.5, 50]},
        label=LABEL,
        score=SCORE,
        limits={"statistical_parity": 0.3, "tpr_parity": 0.4},
        salt='salt\'s "own\\n" ${spark.app.name}',
    )


@pytest.fixture(scope="module", params=["typed", "csv"])
def policy(request, columns, tmp_path_factory):
    folder = tmp_path_factory.mktemp("serving")
    return _fit(columns if request.param == "typed" else engines.write_csv(folder / "people.csv", columns))


@pytest.fixture(scope="module")
def expected(policy, columns):
    """Decisions of the dict of columns, which the others must equal; coins and both sure answers occur."""
    chances = policy.acceptance(columns)
    assert policy.needs_coins
    unsure = np.count_nonzero((chances > 0) & (chances < 1))
    assert unsure > SIZE / 1000
    breaks = set(policy.steps.breaks.tolist())
    assert sum(score in breaks for score in columns[SCORE]) > 50
    return policy.decide(columns, key=KEY)


BUILDERS = {engine.name: engine for engine in engines.EVERY}


@pytest.mark.parametrize(
    "name",
    [
        "pandas",
        "pandas nullable",
        "pandas arrow",
        "polars",
        "polars lazy",
        "pyarrow",
        "pyarrow dictionary",
        "duckdb",
        "dask",
        "csv",
        "parquet",
    ],
)
def test_every_library_decides_alike(name, policy, columns, expected, tmp_path):
    data = BUILDERS[name](columns, tmp_path)
    found = policy.decide(data, key=KEY)
    if name == "dask":
        found = found.compute()
    elif name == "polars lazy":
        found = data.select(found).collect().to_series()
    assert np.array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_files_in_a_stream_are_decided_alike(name, policy, columns, expected, tmp_path):
    found = policy.decide_files(BUILDERS[name](columns, tmp_path), tmp_path / "out.parquet", key=KEY)
    table = require("pyarrow.parquet").read_table(tmp_path / "out.parquet")
    _check(list(zip(*(column.to_pylist() for column in table.columns))), columns, expected)
    assert found.columns() == policy.changes(columns, key=KEY).columns()


def test_single_records_are_decided_alike(policy, columns, expected):
    rows = zip(*(columns[name] for name in BY))
    single = [
        policy.decide_one(dict(zip(BY, row)), score=score, key=key)
        for row, score, key in zip(rows, columns[SCORE], columns[KEY])
    ]
    assert single == expected.tolist()


def test_batches_in_any_order_are_decided_alike(policy, columns, expected):
    order = np.random.default_rng(1).permutation(SIZE)
    frame = require("polars").DataFrame(columns)
    found = np.empty(SIZE, dtype=np.int64)
    for batch in np.array_split(order, [1, 17, 40_000, 40_001]):
        found[batch] = policy.decide(frame[batch.tolist()], key=KEY).to_numpy()
    assert np.array_equal(found, expected)


def _check(rows, columns, expected):
    """The statement's rows, in any order, against the expected decisions by their keys."""
    assert len(rows) == SIZE
    assert {key: decision for key, _, decision in rows} == dict(zip(columns[KEY], expected.tolist()))


def test_duckdb_decides_alike(policy, columns, expected, tmp_path):
    duckdb = require("duckdb")
    table = BUILDERS["pyarrow"](columns, tmp_path)
    with duckdb.connect() as connection:
        connection.register(TABLE, table)
        found = connection.execute(policy.to_sql(table=(TABLE,), key=KEY, dialect="duckdb")).fetchall()
    _check(found, columns, expected)
    chances = dict(zip(columns[KEY], policy.acceptance(columns).tolist()))
    assert {key: acceptance for key, acceptance, _ in found} == chances


def test_postgresql_decides_alike(policy, columns, expected, postgres):
    types = {NAME: "text", CODE: "integer", ALIVE: "boolean", BORN: "date", AGE: "float8", SCORE: "float8"}
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    listed = ", ".join(f"{name} {types.get(plain, 'text')}" for name, plain in zip(quoted, columns))
    postgres.execute(f'CREATE TEMPORARY TABLE "{TABLE}" ({listed})')
    try:
        with postgres.cursor() as cursor:
            with cursor.copy(f'COPY "{TABLE}" FROM STDIN') as copy:
                for row in zip(*columns.values()):
                    copy.write_row(row)
            found = cursor.execute(policy.to_sql(table=(TABLE,), key=KEY, dialect="postgresql")).fetchall()
        _check(found, columns, expected)
    finally:
        postgres.execute(f'DROP TABLE "{TABLE}"')


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")
def test_spark_decides_alike(policy, columns, expected, spark, tmp_path):
    BUILDERS["parquet"](columns, tmp_path)
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    frame.createOrReplaceTempView("people")
    found = spark.sql(policy.to_sql(table="people", key=KEY, dialect="spark"))
    table = found.toArrow()
    _check(list(zip(*(column.to_pylist() for column in table.columns))), columns, expected)
    decided = policy.decide(frame, key=KEY)  # by Python, where Spark keeps the records
    table = frame.select(frame[KEY], decided.alias("acceptance"), decided).toArrow()
    _check(list(zip(*(column.to_pylist() for column in table.columns))), columns, expected)
