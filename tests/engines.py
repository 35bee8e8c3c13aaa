"""The same table on every engine: each builder takes typed columns, None for missing, and gives data."""

from __future__ import annotations

import datetime
import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from components import require
from crossfair.values import spell

Columns = Mapping[str, list[Any]]


@dataclass(frozen=True)
class Engine:
    """How to hand a table over, and which reading options that takes."""

    name: str
    build: Callable[[Columns, Path], Any]
    options: Mapping[str, Any]

    def __call__(self, columns: Columns, folder: Path) -> Any:
        return self.build(columns, folder)


def as_text(columns: Columns) -> dict[str, list[str | None]]:
    """The table as a text file holds it."""
    return {name: [None if v is None else _text(v) for v in column] for name, column in columns.items()}


def write_csv(path: Path, columns: Columns, delimiter: str = ",", newline: str = "\n") -> Path:
    """Write text in quotes, so that an empty text is not a missing one."""

    def field(item: Any) -> str:
        return "" if item is None else '"' + _text(item).replace('"', '""') + '"'

    rows = [list(columns), *zip(*columns.values())]
    text = "".join(delimiter.join(map(field, row)) + newline for row in rows)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else spell(value)


def _arrays(columns: Columns, _folder: Path) -> Any:
    def array(column: list[Any]) -> Any:
        plain = np.array(column) if None not in column else None
        return plain if plain is not None and plain.dtype.kind != "O" else np.array(column, dtype=object)

    return {name: array(column) for name, column in columns.items()}


def _pandas(columns: Columns, _folder: Path) -> Any:
    return require("pandas").DataFrame(dict(columns))


def _pandas_object(columns: Columns, _folder: Path) -> Any:
    return require("pandas").DataFrame(dict(columns), dtype=object)


def _pandas_nullable(columns: Columns, folder: Path) -> Any:
    return _pandas(columns, folder).convert_dtypes()


def _pandas_arrow(columns: Columns, folder: Path) -> Any:
    require("pyarrow")
    return _pandas(columns, folder).convert_dtypes(dtype_backend="pyarrow")


def _pandas_categories(columns: Columns, folder: Path) -> Any:
    frame = _pandas(columns, folder)
    discrete = [name for name in frame if frame[name].dtype.kind not in "f"]
    return frame.astype(dict.fromkeys(discrete, "category"))


def _polars(columns: Columns, _folder: Path) -> Any:
    return require("polars").DataFrame(dict(columns), strict=False, infer_schema_length=None)


def _polars_lazy(columns: Columns, folder: Path) -> Any:
    return _polars(columns, folder).lazy()


def _pyarrow(columns: Columns, _folder: Path) -> Any:
    arrow = require("pyarrow")
    return arrow.table([arrow.array(column) for column in columns.values()], names=list(columns))


def _pyarrow_dictionary(columns: Columns, folder: Path) -> Any:
    """Text as dictionaries, in chunks whose dictionaries differ."""
    arrow = require("pyarrow")
    table = _pyarrow(columns, folder)
    half = table.num_rows // 2

    def encoded(column: Any) -> Any:
        if not arrow.types.is_string(column.type):
            return column
        parts = [column.slice(0, half), column.slice(half)]
        return arrow.chunked_array([part.combine_chunks().dictionary_encode() for part in parts])

    return arrow.table([encoded(column) for column in table.columns], names=table.column_names)


def _duckdb(columns: Columns, folder: Path) -> Any:
    duckdb = require("duckdb")
    path = str(_parquet(columns, folder))
    return duckdb.connect().read_parquet(path)


def _dask(columns: Columns, folder: Path) -> Any:
    return require("dask.dataframe").from_pandas(_pandas(columns, folder), npartitions=3)


def _parquet(columns: Columns, folder: Path) -> Path:
    parquet = require("pyarrow.parquet")
    path = folder / "people.parquet"
    parquet.write_table(_pyarrow(columns, folder), path)
    return path


def _arrow_file(columns: Columns, folder: Path) -> Path:
    feather = require("pyarrow.feather")
    path = folder / "people.arrow"
    feather.write_feather(_pyarrow(columns, folder), path, compression="uncompressed")
    return path


def _json_lines(columns: Columns, folder: Path, name: str = "people.jsonl") -> Path:
    path = folder / name
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8") as file:
        for row in zip(*columns.values()):
            record = {name: json_value(item) for name, item in zip(columns, row)}
            file.write(json.dumps(record) + "\n")
    return path


def json_value(item: Any) -> Any:
    """A value as JSON holds it."""
    return item.isoformat() if isinstance(item, datetime.date) else item


def _database(columns: Columns, folder: Path) -> Path:
    duckdb = require("duckdb")
    path = folder / "people.duckdb"
    source = str(_parquet(columns, folder))
    with duckdb.connect(str(path)) as connection:
        connection.read_parquet(source).create("people")
    return path


def _csv(columns: Columns, folder: Path) -> Path:
    return write_csv(folder / "people.csv", columns)


def _csv_gz(columns: Columns, folder: Path) -> Path:
    return write_csv(folder / "people.csv.gz", columns, newline="\r\n")


def _csv_zst(columns: Columns, folder: Path) -> Path:
    return _zst(_csv(columns, folder))


def _zst(plain: Path) -> Path:
    """The same bytes, compressed."""
    path = plain.with_name(plain.name + ".zst")
    require("duckdb").connect().execute(
        f"COPY (SELECT content FROM read_text('{plain}')) TO '{path}' "
        "(FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '', COMPRESSION zstd)"
    )
    return path


def _tsv(columns: Columns, folder: Path) -> Path:
    return write_csv(folder / "people.tsv", columns, delimiter="\t")


def _engine(name: str, build: Callable[[Columns, Path], Any], **options: Any) -> Engine:
    return Engine(name, build, options)


TYPED = [
    _engine("dict", lambda columns, _: dict(columns)),
    _engine("arrays", _arrays),
    _engine("pandas", _pandas),
    _engine("pandas objects", _pandas_object),
    _engine("pandas nullable", _pandas_nullable),
    _engine("pandas arrow", _pandas_arrow),
    _engine("pandas categories", _pandas_categories),
    _engine("polars", _polars),
    _engine("polars lazy", _polars_lazy),
    _engine("pyarrow", _pyarrow),
    _engine("pyarrow dictionary", _pyarrow_dictionary),
    _engine("duckdb", _duckdb),
    _engine("dask", _dask),
    _engine("parquet", _parquet),
    _engine("arrow file", _arrow_file),
    _engine("json lines", _json_lines),
    _engine("database", _database, table="people"),
]
TEXT = [
    _engine("csv", _csv),
    _engine("tsv", _tsv),
    _engine("csv.gz", _csv_gz),
    _engine("csv.zst", _csv_zst),
]
EVERY = [*TYPED, *TEXT]


def _shards(columns: Columns) -> list[Columns]:
    thirds = [slice(i, None, 3) for i in range(3)]
    return [{name: column[rows] for name, column in columns.items()} for rows in thirds]


def _folder(columns: Columns, folder: Path) -> Path:
    """A folder of Parquet files, one of them deeper than the others."""
    (folder / "deep").mkdir()
    for i, shard in enumerate(_shards(columns)):
        _parquet(shard, folder).rename(folder / ("deep" if i else "") / f"part-{i}.parquet")
    return folder


def _glob(columns: Columns, folder: Path) -> str:
    for i, shard in enumerate(_shards(columns)):
        write_csv(folder / f"part-{i}.csv{'.gz' if i else ''}", shard)
    return f"{folder}/part-*.csv*"


def _arrow_packed(columns: Columns, folder: Path) -> Path:
    path = folder / "packed.feather"
    require("pyarrow.feather").write_feather(_pyarrow(columns, folder), path, compression="zstd")
    return path


# The other kinds of file, for the tests that compare them all.
MORE = [
    _engine("json lines.gz", lambda columns, folder: _json_lines(columns, folder, "people.ndjson.gz")),
    _engine("json lines.zst", lambda columns, folder: _zst(_json_lines(columns, folder))),
    _engine("arrow file, packed", _arrow_packed),
    _engine("folder of parquet", _folder),
]
MORE_TEXT = [
    _engine("glob of csv and csv.gz", _glob),
    _engine("tsv.gz", lambda columns, folder: write_csv(folder / "people.tsv.gz", columns, delimiter="\t")),
]
