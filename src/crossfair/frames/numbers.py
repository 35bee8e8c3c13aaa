"""Columns as numbers, on any dataframe library: float64, text parsed strictly, everything else refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import narwhals as nw

from crossfair.errors import InputError, invalid
from crossfair.frames import fetch, objects, pandas_like
from crossfair.parsing import NO_NUMERAL, NUMERAL
from crossfair.reading import Reading

Frame = nw.LazyFrame[Any]
Column = TypeVar("Column", nw.Expr, "nw.Series[Any]")


def parts(reading: Reading) -> list[str]:
    """The parts that are read as numbers: binned attributes, score and weight."""
    binned = [f"k{i}" for i, name in enumerate(reading.attributes) if name in reading.edges]
    return binned + [part for part in ("score", "weight") if part in reading.columns]


def convert(frame: Frame, reading: Reading) -> tuple[Frame, list[str]]:
    """Replace the numeric parts by float64; return also the parts that were text.

    For each text part a column `bad_<part>` holds 1 where the text spells no number.
    """
    numeric = parts(reading)
    if not numeric:
        return frame, []
    schema = frame.collect_schema()
    if frame.implementation.is_pandas():
        of_objects = [part for part in numeric if schema[part] == nw.Object]
        names = {part: (argument(part), reading.columns[part]) for part in of_objects}
        frame = pandas_like.with_floats(frame, names) if names else frame
        schema = frame.collect_schema()
    texts = [part for part in numeric if _is_text(schema[part])]
    columns = []
    for part in numeric:
        if part in texts:
            columns += [_parsed(part).alias(part), _unparsable(part).alias(f"bad_{part}")]
        else:
            _check_numeric(schema[part], part, reading)
            columns.append(as_float(nw.col(part), schema[part], frame.implementation))
    return frame.with_columns(*columns), texts


def as_float(column: Column, dtype: Any, library: nw.Implementation) -> Column:
    """Return numbers as float64. Arrow, which may be inside pandas, rounds none beyond 2⁵³: halves do."""
    may_be_arrow = library.is_pyarrow() or library.is_pandas_like() or library.is_dask()
    if dtype not in (nw.Int64, nw.UInt64) or not may_be_arrow:
        return column.cast(nw.Float64)
    high = column // 2**32
    return high.cast(nw.Float64) * 2.0**32 + (column - high * 2**32).cast(nw.Float64)


def valid(part: str) -> nw.Expr:
    """Whether a number is finite; for a null it is null or False.

    Comparing with the largest float would do, but not on DuckDB: it drops a comparison that the statistics
    of a Parquet file seem to answer, and these leave NaN out.
    """
    return nw.col(part).is_finite()


def unparsable(frame: Frame, counts: Mapping[str, int], reading: Reading) -> InputError:
    """Build the error for text that spells no number, with an example from the data."""
    part, count = next((part, count) for part, count in counts.items() if count)
    wrong = frame.filter(_unparsable(part) == 1).select(nw.col(part).cast(nw.String)).head(1)
    return objects.text_error(argument(part), reading.columns[part], fetch.columns(wrong)[part][0], count)


def argument(part: str) -> str:
    """The argument a user gave a part by."""
    return "bins" if part.startswith("k") else part


def _is_text(dtype: Any) -> bool:
    return dtype in (nw.String, nw.Categorical, nw.Enum)


def _check_numeric(dtype: Any, part: str, reading: Reading) -> None:
    if not dtype.is_numeric() and dtype not in (nw.Boolean, nw.Unknown):
        raise invalid(
            argument(part), f"{reading.columns[part]!r} must hold numbers", got=f"a column of type {dtype}"
        )


def _text(part: str) -> nw.Expr:
    return nw.col(part).cast(nw.String).str.strip_chars()


def _parsed(part: str) -> nw.Expr:
    return nw.when(_text(part).str.contains(NUMERAL)).then(_text(part)).cast(nw.Float64)


def _unparsable(part: str) -> nw.Expr:
    spells = _text(part).str.contains(NUMERAL) | _text(part).str.contains(NO_NUMERAL)
    return nw.when(~nw.col(part).is_null() & ~spells).then(nw.lit(1)).otherwise(nw.lit(0))
