"""Frames that need not be in this process' memory: columns computed part by part, where the parts are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import narwhals.dependencies as known

from crossfair.errors import invalid, missing_extra
from crossfair.frames import source, spark

Compute = Callable[[Any], Any]

# The backends of Ibis that take a function of Arrow columns.
_IBIS_BACKENDS = ("duckdb", "polars")


def is_partitioned(data: Any) -> bool:
    """Whether data lie in parts that this process need not hold: frames of Spark, Dask or Ibis."""
    return spark.is_frame(data) or known.is_dask_dataframe(data) or known.is_ibis_table(data)


def is_lazy(data: Any) -> bool:
    """Whether data are a plan of records to come: a frame in parts, or a lazy one of polars."""
    return is_partitioned(data) or known.is_polars_lazyframe(data)


def column(data: Any, names: Sequence[str], compute: Compute, name: str, kind: str) -> Any:
    """Return a lazy column of a lazy frame, computed from some columns of each part.

    `compute` takes these columns of a part as a frame in memory, of pandas, polars or PyArrow, and gives a
    column of its library; `kind` is int64 or float64.
    """
    chosen = list(dict.fromkeys(names))
    source.open_source(data).take(
        {f"c{i}": wanted for i, wanted in enumerate(chosen)}
    )  # refuses unknown names
    if spark.is_frame(data):
        return _of_spark(data, chosen, compute, name, kind)
    if known.is_ibis_table(data):
        return _of_ibis(data, chosen, compute, name, kind)
    return (_of_dask if known.is_dask_dataframe(data) else _of_polars)(data, chosen, compute, name, kind)


def _of_dask(data: Any, names: list[str], compute: Compute, name: str, kind: str) -> Any:
    pandas = known.get_pandas()

    def part(frame: Any) -> Any:
        return pandas.Series(compute(frame), index=frame.index, name=name, dtype=kind)

    return data[names].map_partitions(part, meta=(name, kind))


def _of_polars(_data: Any, names: list[str], compute: Compute, name: str, kind: str) -> Any:
    polars = known.get_polars()
    chosen = importlib.import_module("polars.selectors").by_name(names)  # where ^a.*$ is no pattern
    dtype = polars.Int64 if kind == "int64" else polars.Float64

    def part(rows: Any) -> Any:
        return compute(rows.struct.unnest())

    decided = polars.struct(chosen).map_batches(part, return_dtype=dtype, is_elementwise=True)
    return decided.alias(name)


def _of_ibis(data: Any, names: list[str], compute: Compute, name: str, kind: str) -> Any:
    backend = data.get_backend().name
    if backend not in _IBIS_BACKENDS:
        rule = f"a policy decides on Ibis tables of {' and '.join(_IBIS_BACKENDS)}, else by SQL"
        hint = "Run policy.to_sql(table=…, key=…, dialect=…) on its backend."
        raise invalid("data", rule, got=f"a table of {backend}", hint=hint)
    ibis, arrow = known.get_ibis(), importlib.import_module("pyarrow")

    def part(rows: Any) -> Any:
        table = arrow.Table.from_arrays(rows.flatten(), names=names)
        return compute(table).combine_chunks()

    rows = ibis.struct({f"c{i}": data[wanted] for i, wanted in enumerate(names)})
    decided = ibis.udf.scalar.pyarrow(part, signature=((rows.type(),), kind))
    return decided(rows).name(name)


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
