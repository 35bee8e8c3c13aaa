"""SQL in three engines: each kind of value and column means what it means to `decide`, or is refused."""

from __future__ import annotations

import datetime
import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from components import require
from crossfair.cells import Cells
from crossfair.errors import InputError
from crossfair.outcomes import Outcomes
from crossfair.steps import Steps
from crossfair.terms import Source
from policies import small_policy

DAY, NEW_YEAR = datetime.date(2020, 2, 29), datetime.date(2021, 1, 1)
MIDNIGHT = datetime.datetime(2020, 2, 29)

ARROW = {
    "text": "string",
    "integer": "int32",
    "bigint": "int64",
    "boolean": "bool_",
    "date": "date32",
    "real": "float32",
    "float8": "float64",
    "timestamp": "timestamp",
}


@dataclass(frozen=True)
class Table:
    """Columns with their types, as all engines are given them; the names of the types are PostgreSQL's."""

    types: dict[str, str]
    columns: dict[str, list[Any]]

    def arrow(self) -> Any:
        arrow = require("pyarrow")
        made = {
            name: arrow.array(
                values, arrow.timestamp("us") if kind == "timestamp" else getattr(arrow, ARROW[kind])()
            )
            for (name, kind), values in zip(self.types.items(), self.columns.values())
        }
        return arrow.table(made)


class DuckDB:
    name = "duckdb"

    def __init__(self, folder):
        duckdb = require("duckdb")
        self.connection, self.refused = duckdb.connect(), duckdb.Error

    def run(self, statement, table, name):
        arrow = table.arrow()
        self.connection.register(name, arrow)
        return self.connection.execute(statement).fetchall()


class PostgreSQL:
    name = "postgresql"

    def __init__(self, connection):
        self.connection, self.refused = connection, require("psycopg").Error

    def run(self, statement, table, name):
        quoted = ['"' + column.replace('"', '""') + '"' for column in table.types]
        columns = ", ".join(f"{column} {kind}" for column, kind in zip(quoted, table.types.values()))
        target = '"' + name.replace('"', '""') + '"'
        self.connection.execute(f"DROP TABLE IF EXISTS {target}; CREATE TEMPORARY TABLE {target} ({columns})")
        with self.connection.cursor() as cursor, cursor.copy(f"COPY {target} FROM STDIN") as copy:
            for row in zip(*table.columns.values()):
                copy.write_row(row)
        return self.connection.execute(statement).fetchall()


class Spark:
    name = "spark"

    def __init__(self, session, folder):
        self.session, self.folder, self.numbers = session, folder, itertools.count()
        self.refused = require("pyspark.errors").PySparkException

    def run(self, statement, table, name):
        path = str(self.folder / f"{next(self.numbers)}.parquet")
        require("pyarrow.parquet").write_table(table.arrow(), path)
        self.session.read.parquet(path).createOrReplaceTempView("`" + name.replace("`", "``") + "`")
        return [tuple(row) for row in self.session.sql(statement).collect()]


@pytest.fixture(scope="module", params=["duckdb", "postgresql", "spark"])
def engine(request, tmp_path_factory):
    """A real engine; only the one that is asked for is started."""
    folder = tmp_path_factory.mktemp("sql")
    if request.param == "duckdb":
        return DuckDB(folder)
    if request.param == "postgresql":
        return PostgreSQL(request.getfixturevalue("postgres"))
    return Spark(request.getfixturevalue("spark"), folder)


def run(engine, policy, table, name="people"):
    rows = engine.run(policy.to_sql(table=(name,), key="id", dialect=engine.name), table, name)
    return {key: (acceptance, decision) for key, acceptance, decision in rows}


def check(engine, policy, table, name="people"):
    """The statement gives each record the acceptance and the decision that `explain_one` gives it."""
    names = [policy.input_name, "id"]
    expected = {}
    for row in zip(*table.columns.values()):
        record = dict(zip(table.columns, row))
        told = policy.explain_one(
            {k: v for k, v in record.items() if k not in names},
            **{policy.source.kind: record[policy.input_name]},
            key=record["id"],
        )
        expected[record["id"]] = (told.acceptance, told.decision)
    assert run(engine, policy, table, name) == expected
    return expected


def of_levels(levels, **changes):
    """A policy with a chance of its own for each level of attribute a, and one for the others."""
    cells = Cells.of(["a"], [(level,) for level in levels])
    steps = Steps.of([([0.5], [0.0, (i + 1) / 20]) for i in range(len(cells))])
    parts = {"cells": cells, "decide_by": ("a",), "steps": steps, "certificate": None}
    return small_policy(**{**parts, "unseen": "pooled", "fallback": Steps.of([([], [0.95])]), **changes})


COLUMNS = {
    "text": (
        "text",
        ["O'Brien", '"', "; drop table", "", "é", "e\u0301", "a\\", "\\'", "${x}", "%s :p ?", "\n\t", None],
    ),
    "integers": ("integer", [0, 1, -7, 3, None]),
    "spelt integers": ("text", ["0", "1", "-7", "3", None]),
    "floats": ("float8", [0.0, -0.0, 1.0, -7.0, 3.0, 1e7, float("nan"), None]),
    "booleans": ("boolean", [True, False, None]),
    "spelt booleans": ("text", ["true", "False", "TRUE", "other", None]),
    "dates": ("date", [DAY, NEW_YEAR, datetime.date(1, 1, 1), None]),
    "spelt dates": ("text", ["2020-02-29", "2021-01-01", "2021", None]),
    "midnights": ("timestamp", [MIDNIGHT, None]),
}
MEET = [
    (["O'Brien", '"', "; drop table", "", "é", "a\\", "\\'", "${x}", "%s :p ?", "\n\t", None], ["text"]),
    (["O'Brien"], ["text"]),
    ([0, 1, -7, 10**7, None], ["integers", "spelt integers", "floats"]),
    (["0", "1", "-7", "10000000", "x"], ["integers", "spelt integers", "floats"]),
    ([True, False, None], ["booleans", "spelt booleans"]),
    (["True", "FALSE", "other"], ["booleans", "spelt booleans"]),
    ([DAY, NEW_YEAR, None], ["dates", "spelt dates", "midnights"]),
    (["2020-02-29", "2021-01-01", "1"], ["dates", "spelt dates", "midnights"]),
    (["x", None], ["floats", "integers", "booleans", "midnights"]),
    (["nan", "NaN", "x"], ["floats"]),
]
# Levels, and a column of which some values are refused: they read like a level but are spelt differently, or
# are no values. The others are levels, or merely unseen.
NOON = datetime.datetime(2020, 2, 29, 12)
REFUSED = [
    ([0, 1, -7, None], "text", ["01", "1.0", "+1", "-0", "-07", "007", "7", "01\n", "1", None]),
    ([0, 1, None], "boolean", [True, None]),
    ([0, 1, None], "float8", [1.5, 1e-7, float("inf"), 1.0, 7.0, 1e40, float("nan"), None]),
    (["0", "1"], "boolean", [True]),
    (["0", "1"], "float8", [1.5, 1.0, 7.0, float("nan")]),
    (["true", "5"], "boolean", [True, False]),
    (["01", "1", "+3"], "integer", [1, 3, 7]),
    (["01", "1"], "float8", [1.0, 7.0]),
    ([True, None], "integer", [1, 7, None]),
    ([True, None], "float8", [1.0, float("nan")]),
    ([True, None], "text", ["1", "07", "x", "TRUE"]),
    (["1.5", "F"], "float8", [1.5, 2.0]),
    (["F", None], "float8", [1.5, 2.0, float("nan")]),
    (["F"], "timestamp", [NOON, MIDNIGHT]),
    ([DAY], "timestamp", [NOON, MIDNIGHT]),
]


def table_of(kind, values, score=0.75, name="a"):
    """Each value once, with keys that are hostile."""
    keys = [f"{i}'; --é" for i in range(len(values))]
    return Table(
        {name: kind, "p": "float8", "id": "text"}, {name: values, "p": [score] * len(values), "id": keys}
    )


@pytest.mark.parametrize(("levels", "kind"), [(levels, kind) for levels, kinds in MEET for kind in kinds])
def test_values_meet_columns_of_any_type(engine, levels, kind):
    check(engine, of_levels(levels), table_of(*COLUMNS[kind]))


@pytest.mark.parametrize("unseen", ["pooled", "given", "error"])
@pytest.mark.parametrize(("levels", "kind", "column"), REFUSED)
def test_what_is_refused_is_never_taken_for_unseen(engine, levels, kind, column, unseen):
    fallback = Steps.of([] if unseen == "error" else [([], [0.95])])
    policy = of_levels(levels, unseen=unseen, fallback=fallback)
    decided, refused = [], []
    for value in column:
        try:
            policy.decide_one({"a": value}, score=0.75, key=1)
            decided.append(value)
        except InputError:
            refused.append(value)
    assert refused
    check(engine, policy, table_of(kind, decided))
    message = "attribute 'a': |has not seen the cell" if unseen == "error" else "attribute 'a': .*; got "
    for value in refused:
        with pytest.raises(engine.refused, match=message):
            run(engine, policy, table_of(kind, [value]))


def test_changes_refuse_values_of_attributes_that_are_not_decided_by(engine):
    cells = Cells.of(("a", "b"), [("x", 0), ("x", 1)])
    policy = of_levels(["x"], cells=cells, unseen="error", fallback=Steps.of([]))
    statement = policy.to_sql(table="people", key="id", dialect=engine.name, changes=True)

    def changed(children):
        columns = {"a": ["x"], "b": [children], "id": ["1"], "p": [0.75]}
        table = Table({"a": "text", "b": "text", "id": "text", "p": "float8"}, columns)
        return [row[1] for row in engine.run(statement, table, "people")]

    assert changed("7") == ["7"]
    with pytest.raises(engine.refused, match=r"attribute 'b': .* spelt differently; got 01"):
        changed("01")


def test_scores_and_breaks_are_compared_bit_for_bit(engine):
    """Breaks of any magnitude, and scores at, just below and just above each; reals widen as in numpy."""
    breaks = [-1e300, -0.1, 5e-324, 1e-7, 0.1 + 0.2, float(2**53) + 2, 1.7976931348623157e308]
    steps = Steps.of([(breaks, [i / 7 for i in range(8)])])
    policy = of_levels(["F"], steps=steps)
    near = [np.nextafter(edge, way) for edge in breaks[:-1] for way in (-np.inf, edge, np.inf)]
    scores = [*map(float, near), *breaks, 0.0, -0.0]
    keys = list(range(len(scores)))
    table = Table(
        {"a": "text", "p": "float8", "id": "bigint"}, {"a": ["F"] * len(scores), "p": scores, "id": keys}
    )
    check(engine, policy, table)
    short = of_levels(["F"], steps=Steps.of([([0.1, float(np.float32(0.1))], [0.1, 0.2, 0.3])]))
    real = Table(
        {"a": "text", "p": "real", "id": "bigint"}, {"a": ["F"], "p": [float(np.float32(0.1))], "id": [1]}
    )
    assert check(engine, short, real)[1][0] == 0.3


def test_numbers_are_cut(engine):
    levels = ["≤ 30", "(30, 50.5]", "> 50.5", None]
    cells = Cells.of(["a"], [(level,) for level in levels], {"a": (30.0, 50.5)})
    values = [30.0, 30.1, 50.5, 51.0, -1e9, float("nan"), float("inf"), float("-inf"), None]
    check(engine, of_levels(levels, cells=cells), table_of("float8", values))
    whole = of_levels(
        levels[:3], cells=Cells.of(["a"], [(level,) for level in levels[:3]], {"a": (30.0, 50.5)})
    )
    check(engine, whole, table_of("integer", [30, 31, 51, None]))


@pytest.mark.parametrize(
    ("outcomes", "kind", "column"),
    [
        (Outcomes(("no", "yes"), "yes"), "text", ["no", "yes", "1", "0", "TRUE", "false"]),
        (Outcomes(("no", "yes"), "yes"), "integer", [0, 1]),
        (Outcomes(("no", "yes"), "no"), "boolean", [True, False]),
        (Outcomes((0, 1), 1), "float8", [0.0, 1.0]),
        (Outcomes((1, 2), 2), "integer", [1, 2]),
        (Outcomes((False, True), True), "text", ["True", "false", "1"]),
    ],
)
def test_predictions(engine, outcomes, kind, column):
    steps = Steps.of([([1.0], [0.25, 0.75])])
    policy = of_levels(["F"], source=Source("prediction", "p", 1.0, outcomes), steps=steps)
    keys = list(range(len(column)))
    table = Table(
        {"a": "text", "p": kind, "id": "bigint"}, {"a": ["F"] * len(column), "p": column, "id": keys}
    )
    check(engine, policy, table)


def test_names_of_any_kind(engine):
    """Names that hold quotes, are alike but for case, or are names of the statement's own."""
    by = ("A", "a\"b`c'd.e", "at_least", "record_key")
    cells = Cells.of(by, [("1", "x", None, "y"), ("2", "x", "z", "y")])
    policy = of_levels([], cells=cells, decide_by=by, steps=Steps.of([([], [0.4]), ([], [0.6])]))
    columns = {"A": ["1", "2"], by[1]: ["x"] * 2, "at_least": [None, "z"], "record_key": ["y"] * 2}
    table = Table(
        dict.fromkeys([*by, "id"], "text") | {"p": "float8"}, {**columns, "id": ["a", "b"], "p": [0.1, 0.2]}
    )
    found = check(engine, policy, table, 'people `of` "a\'b"')
    assert [chance for chance, _ in found.values()] == [0.4, 0.6]


@pytest.mark.parametrize("name", ["policy", "Records", "chances", "policy_"])
def test_tables_named_as_those_of_the_statement(engine, name):
    check(engine, of_levels(["F"]), table_of("text", ["F", "x"]), name)


def test_no_attribute_and_no_coin(engine):
    policy = of_levels(["F"], decide_by=(), steps=Steps.of([([0.5], [0.0, 1.0])]), unseen="error",
                       fallback=Steps.of([]))  # fmt: skip
    table = Table({"p": "float8", "id": "text"}, {"p": [0.4, 0.5], "id": ["a", None]})
    assert run(engine, policy, table) == {"a": (0.0, 0), None: (1.0, 1)}


def test_changes_in_each_cell(engine):
    """Also by an attribute that the policy does not decide by, and one named as a figure."""
    by = ("given", "a", "age")
    cells = Cells.of(by, [("x'", 1, "≤ 30"), ("x'", 1, "> 30"), ("y", None, None)], {"age": (30.0,)})
    steps = Steps.of([([0.5], [0.5, 1.0]), ([0.5], [0.0, 0.5])])
    policy = of_levels([], cells=cells, decide_by=("a",), steps=steps, unseen="pooled")
    size = 60
    columns = {
        "given": ["x'", "y", None] * 20,
        "a": [1, None, 7, 1] * 15,
        "age": [30.0, 31.0, None, 30.5, 2.0] * 12,
        "p": [0.1, 0.5, 0.9, 0.7, 0.2, 0.4] * 10,
        "id": list(range(size)),
    }
    kinds = {"given": "text", "a": "integer", "age": "float8", "p": "float8", "id": "bigint"}
    statement = policy.to_sql(table=("people",), key="id", dialect=engine.name, changes=True)
    found = policy.changes(columns, key="id")
    assert found.total("up") > 3 < found.total("down")
    expected = {
        tuple(None if value is None else str(value) for value in cell): figures
        for cell, figures in zip(
            found.cells.values, zip(found.records, found.given, found.repaired, found.up, found.down)
        )
    }
    rows = engine.run(statement, Table(kinds, columns), "people")
    assert {tuple(row[:3]): tuple(map(float, row[3:])) for row in rows} == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": "X"}, "has not seen the cell of the record with key 7"),
        ({"a": None}, "has not seen the cell of the record with key 7"),
        ({"p": None}, "score must be a finite number; the record with key 7"),
        ({"p": float("nan")}, "score must be a finite number; the record with key 7"),
        ({"p": float("-inf")}, "score must be a finite number; the record with key 7"),
        ({"id": None}, "the key must be an integer or a text, and not missing: NULL"),
        ({"id": 7.5}, r"the key must be an integer or a text, and not missing: 7\.5"),
        ({"id": True}, "the key must be an integer or a text, and not missing: true"),
        ({"id": DAY}, "the key must be an integer or a text, and not missing: 2020-02-29"),
    ],
)
def test_what_decide_refuses_makes_the_statement_fail(engine, changes, message):
    policy = of_levels(["F"], unseen="error", fallback=Steps.of([]))
    row = {"a": "F", "p": 0.7, "id": 7, **changes}
    kind = {float: "float8", bool: "boolean", datetime.date: "date"}.get(type(row["id"]), "bigint")
    table = Table({"a": "text", "p": "float8", "id": kind}, {name: [value] for name, value in row.items()})
    with pytest.raises(engine.refused, match=message):
        run(engine, policy, table)


def test_a_score_that_is_text_and_no_number(engine):
    table = Table({"a": "text", "p": "text", "id": "bigint"}, {"a": ["F"], "p": ["high"], "id": [7]})
    with pytest.raises(engine.refused, match="high"):
        run(engine, of_levels(["F"]), table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "oracle"}, "dialect: must be one of 'duckdb', 'postgresql', 'spark'; got oracle"),
        ({"key": ""}, "key: must name a column that identifies each record"),
        ({"key": "Decision"}, "other than acceptance and decision; got 'Decision'"),
        ({"table": ""}, "table: must be the name of a table"),
        ({"table": ("a", 1)}, r"got \('a', 1\)"),
        ({"table": None}, "table: must be the name of a table, .*; got None"),
        ({"columns": {"a": 3}}, "columns: must map names of the policy to those of columns; got {'a': 3}"),
        ({"columns": {"gender": "sex"}}, "columns: maps names of the policy, a, p; got 'gender'"),
        (
            {"dialect": "spark", "columns": {"a": "${env:HOME}"}},
            r"columns: Spark would replace \$\{…\} in a name",
        ),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        of_levels(["F"]).to_sql(**{"table": "t", "key": "id", **options})


@pytest.mark.parametrize(
    ("level", "dialect", "message"),
    [
        ("a\0b", "postgresql", "policy: holds a text with a NUL, which PostgreSQL cannot hold"),
        ("\ud800", "duckdb", "policy: holds a text that is no Unicode, so no SQL"),
    ],
)
def test_text_that_an_engine_cannot_hold(level, dialect, message):
    with pytest.raises(InputError, match=message):
        of_levels([level]).to_sql(table="t", key="id", dialect=dialect)


def test_a_nul_is_a_letter_like_any_other_in_duckdb(tmp_path):
    check(DuckDB(tmp_path), of_levels(["a\0b", "\0"]), table_of("text", ["a\0b", "\0", "ab", ""]))


def test_a_backslash_means_itself_whatever_the_server_was_set_to(postgres):
    postgres.execute("SET standard_conforming_strings = off; SET escape_string_warning = off")
    postgres.execute("SET datestyle = 'German'")
    try:
        engine = PostgreSQL(postgres)
        check(engine, of_levels(["\\'; --", "'", "a\\"]), table_of("text", ["\\'; --", "'", "a\\", "a"]))
        check(engine, of_levels([DAY, None]), table_of("date", [DAY, NEW_YEAR, None]))
    finally:
        postgres.execute("RESET ALL")


def test_no_name_or_method_can_end_a_comment():
    policy = of_levels(["F"])
    hostile = replace(policy, terms=replace(policy.terms, method="x\n; DROP TABLE t; --\r\x0b\u2028y"))
    lines = hostile.to_sql(table="t", key="id").splitlines()
    assert [line for line in lines if "DROP" in line] == [lines[0]]
    assert lines[0].startswith("--")
    assert lines[2].startswith("WITH policy")


def test_a_schema_stands_before_a_dot():
    statement = of_levels(["F"]).to_sql(table='my"schema.people', key="id")
    assert 'FROM "my""schema"."people" AS t' in statement
    assert 'FROM "a.b" AS t' in of_levels(["F"]).to_sql(table=("a.b",), key="id")
