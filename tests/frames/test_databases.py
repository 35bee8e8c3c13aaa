"""Tables of databases, counted where they are: the same counts and curves as from a dict, to the last bit."""

from __future__ import annotations

import dataclasses
import datetime
import sqlite3
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossfair as cf
from components import require
from crossfair.cli.app import run
from crossfair.errors import InputError
from crossfair.frames import database, read_counts, read_curves, sql
from crossfair.frames.dialects import quoted
from crossfair.reading import Reading
from engines import as_text
from frames.test_same_counts import READ, expected, hostile

TYPES = {
    "né`e.'": "text",
    "age": "double precision",
    "k0": "integer",
    "n": "integer",
    '"score"': "double precision",
}
TYPES |= {"weight": "double precision", "unused": "text"}


def fill_sqlite(connection: Any, table: str, columns: Mapping[str, list[Any]]) -> None:
    connection.execute(f"CREATE TABLE {table} ({', '.join(map(quoted, columns))})")
    places = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO {table} VALUES ({places})", list(zip(*columns.values())))


def fill_postgres(connection: Any, table: str, columns: Mapping[str, list[Any]], types: list[str]) -> None:
    connection.execute(f"DROP TABLE IF EXISTS {table}")
    named = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(columns, types))
    connection.execute(f"CREATE TABLE {table} ({named})")
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
        for row in zip(*columns.values()):
            copy.write_row(row)


@pytest.fixture
def lite() -> Any:
    """An SQLite database."""
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


@pytest.fixture
def duck() -> Any:
    """A connection of DuckDB."""
    connection = require("duckdb").connect()
    yield connection
    connection.close()


def check_hostile(connection: Any, table: str, *, typed: bool) -> None:
    counts, curves = expected(not typed)
    reading = dataclasses.replace(READ, table=table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the two spellings of é
        assert read_counts(connection, reading) == counts
        assert read_curves(connection, reading) == curves
        assert read_curves(connection, reading, bits=6) == curves.quantise(bins=64)


@pytest.mark.filterwarnings("ignore::crossfair.errors.SimilarCellsWarning")
def test_sqlite_gives_the_same_bits(lite):
    fill_sqlite(lite, "people", hostile())
    check_hostile(lite, "people", typed=True)
    check_hostile(lite, "main.people", typed=True)


@pytest.mark.filterwarnings("ignore::crossfair.errors.SimilarCellsWarning")
def test_duckdb_gives_the_same_bits(duck):
    people = require("pyarrow").table(hostile())
    duck.register("arrow", people)
    duck.execute(
        "CREATE SCHEMA s; CREATE TABLE s.people AS FROM arrow; CREATE VIEW everyone AS FROM s.people"
    )
    check_hostile(duck, "s.people", typed=True)
    check_hostile(duck, "everyone", typed=True)


@pytest.mark.filterwarnings("ignore::crossfair.errors.SimilarCellsWarning")
def test_postgresql_gives_the_same_bits(postgres):
    postgres.execute('CREATE SCHEMA IF NOT EXISTS "s.1"')
    fill_postgres(postgres, '"s.1".people', hostile(), list(TYPES.values()))
    check_hostile(postgres, '"s.1".people', typed=True)
    fill_postgres(postgres, "texts", as_text(hostile()), ["text"] * len(TYPES))
    check_hostile(postgres, "texts", typed=False)


def test_an_audit_and_a_repair_of_a_table_are_those_of_the_records(postgres, lite):
    rng = np.random.default_rng(3)
    columns = {
        "sex": [("F", "M")[i] for i in rng.integers(2, size=2_000)],
        "y": rng.integers(2, size=2_000).tolist(),
        "p": (rng.integers(0, 100, size=2_000) / 100).tolist(),
    }
    read = {"by": "sex", "label": "y", "score": "p"}
    audit = cf.audit(columns, **read).to_json()
    policy = cf.mitigate(columns, **read, limits={"equalized_odds": 0.05})
    fill_sqlite(lite, "people", columns)
    fill_postgres(postgres, "people", columns, ["text", "int", "float8"])
    for connection in (lite, postgres):
        assert cf.audit(connection, table="people", **read).to_json() == audit
        found = cf.mitigate(connection, table="people", **read, limits={"equalized_odds": 0.05})
        assert found.steps.to_json() == policy.steps.to_json()
        assert found.evaluate(connection, table="people").to_json() == policy.evaluate(columns).to_json()


def count_by(connection: Any, by: str = "a", table: str = "t", **options: Any) -> cf.Counts:
    return cf.count(connection, by=by, label="y", table=table, **options)


POSTGRES_TYPES: dict[str, tuple[str, str, tuple[Any, ...]]] = {
    "padded text": ("character(3)", "'F'), ('F  '), ('Mx'", ("F", "Mx")),
    "enumeration": ("mood", "'sad'), ('ok'), (null", ("ok", "sad", None)),
    "date": (
        "date",
        "'2020-01-02'), ('1999-12-31'",
        (datetime.date(1999, 12, 31), datetime.date(2020, 1, 2)),
    ),
    "midnights": ("timestamp", "'2020-01-02 00:00'", (datetime.date(2020, 1, 2),)),
    "boolean": ("boolean", "true), (false), (null", (False, True, None)),
    "numeric": ("numeric", "1), (1.0), ('NaN'), (null), (2", (1, 2, None)),
    "floats": ("float8", "'NaN'), (null), (-0.0), (0), (7", (0, 7, None)),
    "floats of 32 bits": ("real", "'NaN'), (1), (2", (1, 2, None)),
    "large integers": ("bigint", "9223372036854775807), (-1", (-1, 2**63 - 1)),
}


@pytest.mark.parametrize(("kind", "rows", "cells"), POSTGRES_TYPES.values(), ids=POSTGRES_TYPES.keys())
def test_types_of_postgresql_are_values(postgres, kind, rows, cells):
    if kind == "mood":
        postgres.execute("DROP TYPE IF EXISTS mood CASCADE; CREATE TYPE mood AS ENUM ('sad', 'ok')")
    postgres.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t (a {kind}, y int DEFAULT 1)")
    postgres.execute(f"INSERT INTO t (a) VALUES ({rows})")
    assert count_by(postgres).cells.values == tuple((value,) for value in cells)


def test_a_collation_does_not_merge_values(postgres, lite):
    lite.execute("CREATE TABLE t (a TEXT COLLATE NOCASE, y)")
    lite.execute("INSERT INTO t VALUES ('b', 1), ('c', 0), ('d', 1), ('D', 1)")
    with pytest.warns(cf.SimilarCellsWarning):
        assert [cell for (cell,) in count_by(lite).cells.values] == ["D", "b", "c", "d"]
    postgres.execute(
        "CREATE COLLATION IF NOT EXISTS folded "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    postgres.execute("DROP TABLE IF EXISTS t; CREATE TABLE t (a text COLLATE folded, y int)")
    postgres.execute("INSERT INTO t VALUES ('d', 1), ('D', 1), ('c', 0)")
    with pytest.warns(cf.SimilarCellsWarning):
        assert [cell for (cell,) in count_by(postgres).cells.values] == ["D", "c", "d"]


def test_mixed_values_of_sqlite_are_values(lite):
    lite.execute("CREATE TABLE t (a, y)")
    lite.execute("INSERT INTO t VALUES (1, 1), (1.0, 1), (null, 0), (2, 1)")
    assert count_by(lite).cells.values == ((1,), (2,), (None,))
    lite.execute("INSERT INTO t VALUES (x'00ff', 1)")
    with pytest.raises(InputError, match="values must be text, integers, booleans, dates or missing; got b'"):
        count_by(lite)


@pytest.mark.parametrize(
    "score", [-1e300, -7.3, -0.25, -0.0, 0.1, 0.3, 0.5, 1.0, 12345.678, 2.0**52 + 0.5, 1e300]
)
@pytest.mark.parametrize("bits", [0, 3, 10, 20])
def test_bins_of_scores_of_any_size(lite, score, bits):
    lite.execute("CREATE TABLE t (a, y, p)")
    lite.execute("INSERT INTO t VALUES ('x', 1, ?), ('y', 0, 0)", (score,))
    reading = Reading(by="a", label="y", score="p", table="t")
    columns = {"a": ["x", "y"], "y": [1, 0], "p": [score, 0.0]}
    assert read_curves(lite, reading, bits=bits) == read_curves(
        columns, dataclasses.replace(reading, table=None), bits=bits
    )


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no table named": (
        lambda c: cf.count(c, by="a", label="y"),
        "table: must name the table of the database; got none",
    ),
    "a wrong table": (
        lambda c: count_by(c, table="tt"),
        "table: there is no table 'tt'; got the tables .*t.*Did you mean 't'",
    ),
    "an empty name": (lambda c: count_by(c, table=""), "table: there is no table ''"),
    "a wrong schema": (lambda c: count_by(c, table="nowhere.t"), "there is no table 'nowhere.t'"),
    "an injection": (lambda c: count_by(c, table="t; DROP TABLE t"), "there is no table 't; DROP TABLE t'"),
    "a wrong column": (lambda c: count_by(c, by="aa"), "has no column 'aa'.*Did you mean 'a'"),
    "words as weights": (
        lambda c: count_by(c, weight="s"),
        "weight: 's' must hold numbers; got 'many', one of 2 such records",
    ),
    "negative weights": (lambda c: count_by(c, weight="w"), "weight: 'w' must hold finite numbers from 0"),
    "words as bins": (
        lambda c: cf.count(c, by="s", bins={"s": [1]}, label="y", table="t"),
        "bins: 's' must hold",
    ),
    "words as scores": (
        lambda c: cf.curves(c, by="a", label="y", score="s", table="t"),
        "score: 's' must hold numbers; got 'many'",
    ),
    "missing scores": (
        lambda c: cf.curves(c, by="a", label="y", score="gap", table="t"),
        "score: 'gap' must be a finite number in every record",
    ),
    "overflow": (lambda c: count_by(c, weight="big"), "too large|moderate size to be added up exactly"),
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("engine", ["lite", "duck", "postgres"])
def test_what_is_wrong_is_said(engine, call, message, request):
    connection = request.getfixturevalue(engine)
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(
        "CREATE TABLE t (a text, y int, s text, "
        "w double precision, gap double precision, big double precision)"
    )
    row = "('x', 1, 'many', -1, null, 2147483648)"
    connection.execute(f"INSERT INTO t VALUES {row}, {row}")
    with pytest.raises(InputError, match=message):
        call(connection)
    assert count_by(connection).records == 2  # the table is there, and the connection of use


def test_columns_that_hold_no_values_are_refused(postgres):
    postgres.execute(
        "DROP TABLE IF EXISTS t; CREATE TABLE t (a jsonb, b int[], c bytea, d date, z int, y int)"
    )
    for name, kind in (("a", "jsonb"), ("b", "integer"), ("c", "bytea")):
        with pytest.raises(InputError, match=rf"by: '{name}' must hold text, .* got a column of type {kind}"):
            count_by(postgres, by=name)
    with pytest.raises(InputError, match="weight: 'd' must hold numbers; got a column of type date"):
        count_by(postgres, by="z", weight="d")


@pytest.fixture
def other(postgres) -> Any:
    """A second connection, as a user who may do little; it does not commit by itself."""
    psycopg = require("psycopg")
    postgres.execute("DROP TABLE IF EXISTS secret, t; CREATE TABLE secret (a int, y int)")
    postgres.execute("CREATE TABLE t (a int, y int); INSERT INTO t VALUES (1, 1)")
    postgres.execute("DO $$ BEGIN CREATE ROLE clerk LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    postgres.execute("GRANT SELECT ON t TO clerk; GRANT SELECT (a) ON secret TO clerk")
    with psycopg.connect(postgres.info.dsn, user="clerk") as connection:
        yield connection


def test_a_table_that_may_not_be_read(other):
    with pytest.raises(InputError, match="table: must be one that this user may read; got permission denied"):
        count_by(other, table="secret")
    assert count_by(other).records == 1


def test_a_transaction_of_the_user_survives_an_error(other, postgres):
    postgres.execute("GRANT INSERT ON t TO clerk")
    other.execute("INSERT INTO t VALUES (2, 0)")
    with pytest.raises(InputError):
        count_by(other, table="secret")
    assert count_by(other).records == 2
    other.rollback()
    assert count_by(other).records == 1


def test_a_column_that_vanishes_between_plan_and_run(postgres):
    postgres.execute("DROP TABLE IF EXISTS t; CREATE TABLE t (a int, y int)")
    reading = Reading(by="a", label="y", table="t")

    def plan_and_run() -> None:
        with database.opened(postgres, "t") as asked:
            postgres.execute("ALTER TABLE t DROP COLUMN y")
            sql.count(asked, reading)

    with pytest.raises(
        InputError, match='data: the database refused to count; got column "y" does not exist'
    ):
        plan_and_run()


def test_a_connection_that_is_lost(other, postgres):
    reading = Reading(by="a", label="y", table="t")

    def lose_it() -> None:
        with database.opened(other, "t") as asked:
            postgres.execute("SELECT pg_terminate_backend(%s)", (other.info.backend_pid,))
            sql.count(asked, reading)

    with pytest.raises(InputError, match=r"data: the connection to the database must last .* Connect again"):
        lose_it()
    with pytest.raises(InputError, match="connection to the database must last"):
        count_by(other)


def test_a_connection_that_was_closed():
    connection = sqlite3.connect(":memory:")
    connection.close()
    with pytest.raises(
        InputError, match="connection to the database must last until all is counted; got Cannot"
    ):
        count_by(connection)


def test_a_url_of_postgresql_is_counted(postgres, tmp_path, capsys):
    postgres.execute("DROP TABLE IF EXISTS t; CREATE TABLE t (a text, y int)")
    postgres.execute("INSERT INTO t VALUES ('x', 1), ('z', 0), ('x', 0)")
    url = f"postgresql://crossfair:secret@/postgres?host={postgres.info.host}"
    assert count_by(url) == count_by(postgres)
    options = ["--table", "public.t", "--by", "a", "--label", "y", "--estimator", "smoothed"]
    assert run(["audit", url, *options]) == 0
    shown = capsys.readouterr().out
    assert "3 records in 2 cells" in shown
    assert "secret" not in shown
    assert run(["count", url, *options[:6], "-o", str(tmp_path / "t.counts")]) == 0
    assert cf.Counts.load(tmp_path / "t.counts") == count_by(postgres)


def test_a_server_that_is_not_there(capsys):
    require("psycopg")
    url = "postgresql://ann:secret@/nowhere?host=/no/such/folder"
    assert run(["audit", url, "--table", "t", "--by", "a", "--label", "y"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        "Error: data: cannot connect to postgresql://ann:…@/nowhere?host=/no/such/folder; got "
    )
    assert "secret" not in said
    with pytest.raises(InputError, match="counted, not read row by row") as caught:
        cf.Counts.from_table(url, by="a", label="y")
    assert "secret" not in str(caught.value)


def test_a_file_of_sqlite_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a%20b?.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        fill_sqlite(connection, "t", {"a": ["x", "z"], "y": [1, 0]})
    connection.close()
    monkeypatch.chdir(tmp_path)
    for place in (path, str(path), f"sqlite:///{path}", "sqlite:///a%20b?.sqlite"):
        assert count_by(place).records == 2
    with pytest.raises(InputError, match=r"no\.sqlite: there is no such file"):
        count_by("no.sqlite")
    path.write_bytes(b"SQLite format 3\0" + bytes(500))
    with pytest.raises(InputError, match="data: the database refused to count; got file is not a database"):
        count_by(path)


def test_rows_are_read_whatever_the_connection_makes_of_them(lite, postgres):
    data = {"sex": ["F", "M", "é"] * 20, "y": [1, 0, 1] * 20, "p": [0.25, 0.5, 0.75] * 20}
    reading = Reading(by="sex", label="y", score="p", table="t")
    fill_sqlite(lite, "t", data)
    lite.row_factory = lambda cursor, row: {one[0]: item for one, item in zip(cursor.description, row)}
    lite.text_factory = bytes
    assert read_curves(lite, reading) == read_curves(data, dataclasses.replace(reading, table=None))
    assert lite.text_factory is bytes
    fill_postgres(postgres, "t", data, ["text", "int", "float8"])
    postgres.row_factory = require("psycopg.rows").dict_row
    try:
        assert read_curves(postgres, reading) == read_curves(lite, reading)
    finally:
        postgres.row_factory = require("psycopg.rows").tuple_row


def test_no_row_leaves_the_database(lite):
    """Of a hundred thousand records only the rows of the small tables are fetched."""
    fetched = []

    class Watched(sqlite3.Cursor):
        def fetchmany(self, size: int = 1) -> list[Any]:
            rows = super().fetchmany(size)
            fetched.extend(rows)
            return rows

        def fetchall(self) -> list[Any]:
            rows = super().fetchall()
            fetched.extend(rows)
            return rows

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Watched) -> Any:
            return super().cursor(factory)

    watched = sqlite3.connect(":memory:", factory=Connection)
    watched.execute("CREATE TABLE t (a, y, p)")
    watched.execute(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
        "INSERT INTO t SELECT i % 3, i % 2, (i % 64) / 64.0 FROM n"
    )
    assert count_by(watched, by="a").records == 100_000
    assert cf.curves(watched, by="a", label="y", score="p", table="t").records.sum() == 100_000
    watched.close()
    assert 0 < len(fetched) < 250
