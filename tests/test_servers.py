"""The servers that tests may ask for answer, and say what they are."""

from __future__ import annotations


def test_postgresql_answers(postgres):
    row = postgres.execute("SELECT 1 + 1, current_setting('server_encoding')").fetchone()
    assert row == (2, "UTF8")
    postgres.execute("CREATE TEMPORARY TABLE people AS SELECT 'é' AS name")
    assert postgres.execute("SELECT name FROM people").fetchone() == ("é",)


def test_spark_answers(spark):
    frame = spark.sql("SELECT * FROM VALUES ('é', 1), (NULL, 2) AS people (name, n)")
    assert [tuple(row) for row in frame.orderBy("n").collect()] == [("é", 1), (None, 2)]
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
