"""Frames that lie in parts on several machines: columns computed part by part, where the parts are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.dependencies as known

from crossfair.errors import invalid, missing_extra
from crossfair.frames import source, spark

Compute = Callable[[Any], Any]


def is_partitioned(data: Any) -> bool:
    """Whether data lie in parts that this process need not hold: frames of Spark, Dask or Ibis."""
    return spark.is_frame(data) or known.is_dask_dataframe(data) or known.is_ibis_table(data)


def column(data: Any, names: Sequence[str], compute: Compute, name: str, kind: str) -> Any:
    """Return a lazy column of a Spark or Dask frame, computed from some columns of each part.

    `compute` takes these columns of a part as a pandas frame and gives an array; `kind` is int64 or float64.
    """
    if known.is_ibis_table(data):
        raise invalid("data", "a policy decides on Ibis tables by SQL", got="an Ibis table",
                      hint="Run policy.to_sql(table=…, key=…, dialect=…) on its backend.")  # fmt: skip
    chosen = list(dict.fromkeys(names))
    source.open_source(data).take(
        {f"c{i}": wanted for i, wanted in enumerate(chosen)}
    )  # refuses unknown names
    return (_of_spark if spark.is_frame(data) else _of_dask)(data, chosen, compute, name, kind)


def _of_dask(data: Any, names: list[str], compute: Compute, name: str, kind: str) -> Any:
    pandas = known.get_pandas()

    def part(frame: Any) -> Any:
        return pandas.Series(compute(frame), index=frame.index, name=name, dtype=kind)

    return data[names].map_partitions(part, meta=(name, kind))


def _of_spark(data: Any, names: list[str], compute: Compute, name: str, kind: str) -> Any:
    try:
        import pandas
        from pyspark.sql import functions
        from pyspark.sql.pandas.functions import pandas_udf
    except ImportError as error:
        raise missing_extra("pandas", "spark", "Deciding on Spark frames") from error
    quoted = ["`" + wanted.replace("`", "``") + "`" for wanted in names]

    def part(frame: pandas.DataFrame) -> pandas.Series:
        return pandas.Series(compute(frame.set_axis(names, axis=1)), dtype=kind)

    # The hints of `part` say it too, but not in this process' own words: annotations are texts here.
    part.__annotations__ = {"frame": pandas.DataFrame, "return": pandas.Series}
    make: Any = pandas_udf  # its many hints know no annotations as texts
    decided = make(part, "bigint" if kind == "int64" else "double")
    fields = [data[text].alias(f"c{i}") for i, text in enumerate(quoted)]
    return decided(functions.struct(*fields)).alias(name)
