"""Files as lazy tables, by DuckDB: explicit types, nothing guessed, no code downloaded."""

from __future__ import annotations

import atexit
import contextlib
import csv
import functools
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

from crossfair.errors import invalid, malformed, missing_extra, nearest
from crossfair.frames import headers
from crossfair.frames.headers import Header
from crossfair.frames.paths import Files, ending

Frame = nw.LazyFrame[Any]
Positions = Mapping[str, int]

# Keys of JSON lines are looked for in so many records before the whole file is searched.
SAMPLE = 1_000

_memory: ContextVar[str | None] = ContextVar("memory_limit", default=None)


@dataclass(frozen=True)
class FileTable:
    """The columns of files: names in order, how to pick some, and what a raw value means."""

    names: Sequence[str]
    pick: Callable[[Positions], Frame]
    decode: Callable[[Any], Any] | None = None
    connection: Any = None


def open_files(files: Files, table: str | None, needed: Sequence[str]) -> FileTable:
    """Return the table that files of one kind hold; `needed` columns are looked for in all JSON lines."""
    connection = _connect()
    return replace(_opened(connection, files, table, needed), connection=connection)


def _opened(connection: Any, files: Files, table: str | None, needed: Sequence[str]) -> FileTable:
    if (table is not None) != (files.kind == "DuckDB database"):
        return _database(connection, files.paths, table) if table is None else _no_tables(files, table)
    if files.kind == "DuckDB database":
        return _database(connection, files.paths, table)
    if files.kind == "Parquet":
        return _parquet(connection, files.paths)
    if files.kind == "JSON lines":
        return _json_lines(connection, files.paths, needed)
    return _csv(connection, files)


def project(relation: Any, names: Sequence[str], at: Positions) -> Any:
    """Select columns of a relation under new names, quoted so that any name is safe."""
    return relation.project(", ".join(f"{_name(names[i])} AS {_name(new)}" for new, i in at.items()))


@contextlib.contextmanager
def memory_limit(size: str) -> Iterator[None]:
    """Read files in at most so much memory, for as long as this lasts; what does not fit goes to the disk.

    >>> with memory_limit("2GB"):
    ...     pass
    """
    if not re.fullmatch(r"\d+(\.\d+)? *[KMGT]i?B", size, re.IGNORECASE):
        raise invalid("memory-limit", "must be a size like 500MB or 2GB", got=repr(size))
    token = _memory.set(size)
    try:
        yield
    finally:
        _memory.reset(token)


@contextlib.contextmanager
def errors(source: str) -> Iterator[None]:
    """Turn what DuckDB says about a file into an error that names the file, the line and the rule."""
    duckdb = _duckdb()
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        rule = "there must be memory, and room on the disk, to group the records in"
        hint = "Raise the memory limit, name fewer attributes, or bin the scores."
        raise invalid("data", rule, got=str(error).partition("\n")[0], hint=hint) from error
    except duckdb.Error as error:
        raise _explained(str(error), source) from error
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error  # which is what DuckDB means


def _duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise missing_extra("duckdb", "cli", "Reading files") from error
    return duckdb


def _connect() -> Any:
    config = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": os.path.join(tempfile.gettempdir(), f"crossfair-{os.getpid()}"),
    }
    most = _memory.get()
    return _duckdb().connect(config=config if most is None else config | {"memory_limit": most})


def _explained(message: str, source: str) -> Exception:
    file = re.search(r"^ *file = (.*)$", message, re.MULTILINE)
    at = file.group(1) if file else source
    ragged = re.search(r"CSV Error on Line: (\d+)\n(?:Original Line: ?(.*)\n)?(.*)", message)
    if not ragged:
        return malformed(at, "cannot be read", got=message.partition("\n")[0].rstrip(". "))
    line, text, problem = ragged.groups()
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        rule = f"line {line} must have {widths.group(1)} fields, as the header has"
        return malformed(at, rule, got=f"{widths.group(2)}: {(text or '')[:80]!r}")
    if "unterminated quote" in message:
        return malformed(at, f"line {line} cannot be read", got="a quote that is not closed")
    return malformed(at, f"line {line} cannot be read", got=problem.strip().rstrip("."))


def _csv(connection: Any, files: Files) -> FileTable:
    delimiter = "\t" if files.kind == "TSV" else None
    found = [_header(connection, path, delimiter) for path in files.paths]
    for path, header in zip(files.paths, found):
        if header != found[0]:
            raise malformed(path, f"must have the header of {files.paths[0]}", got=", ".join(header.names))
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(found[0].names)))
    relation = connection.sql(
        f"SELECT * FROM read_csv({_paths(files.paths)}, auto_detect=false, header=true, skip=0, "
        f"columns={{{columns}}}, delim={_text(found[0].delimiter)}, quote='\"', escape='\"', "
        "nullstr='', allow_quoted_nulls=false, null_padding=false)"
    )
    return FileTable(found[0].names, _picker(relation))


def _header(connection: Any, path: str, delimiter: str | None) -> Header:
    try:
        if ending(path)[1] == ".zst":
            return headers.parse(_lines(connection, path), path, delimiter)
        with headers.open_text(path) as file:
            return headers.parse(file, path, delimiter)
    except (EOFError, OSError, csv.Error) as error:
        raise malformed(path, "has no header that can be read", got=str(error)) from error


def _lines(connection: Any, path: str) -> list[str]:
    """The first lines of a text file that only DuckDB can decompress."""
    relation = connection.sql(
        f"SELECT line FROM read_csv({_paths([path])}, auto_detect=false, header=false, delim='\x01', "
        "quote='', escape='', columns={'line': 'VARCHAR'}) LIMIT 100"
    )
    return [f"{line or ''}\n" for (line,) in relation.fetchall()]


def _parquet(connection: Any, paths: Sequence[str]) -> FileTable:
    relation = connection.sql(f"SELECT * FROM read_parquet({_paths(paths)})")
    schema = connection.sql(f"SELECT name, num_children FROM parquet_schema({_paths(paths[:1])})").fetchall()
    names = _top_level(schema)
    return FileTable([*names, *relation.columns[len(names) :]], _picker(relation))


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """The names of the columns as the file has them: DuckDB alters those that differ only by case."""
    names, depth = [], [schema[0][1] or 0]
    for name, children in schema[1:]:
        if len(depth) == 1:
            names.append(name)
        depth[-1] -= 1
        if children:
            depth.append(children)
        while len(depth) > 1 and not depth[-1]:
            depth.pop()
    return names


def _json_lines(connection: Any, paths: Sequence[str], needed: Sequence[str]) -> FileTable:
    objects = f"read_ndjson_objects({_paths(paths)})"
    names: dict[str, None] = {}
    for (line,) in connection.sql(f"SELECT json::VARCHAR FROM {objects} LIMIT {SAMPLE}").fetchall():
        record = json.loads(line)
        if not isinstance(record, dict):
            raise malformed(paths[0], "each line must hold one JSON object", got=line[:80])
        names.update(dict.fromkeys(record))
    if not names.keys() >= set(needed):
        everywhere = connection.sql(f"SELECT DISTINCT unnest(json_keys(json)) FROM {objects}").fetchall()
        names.update(dict.fromkeys(sorted(name for (name,) in everywhere)))
    known = list(names)

    def pick(at: Positions) -> Frame:
        pointers = [f"/{known[i].replace('~', '~0').replace('/', '~1')}" for i in at.values()]
        extract = f"json_extract(json, [{', '.join(map(_text, pointers))}])"
        values = ", ".join(f"nullif(x[{n}]::VARCHAR, 'null') AS {_name(new)}" for n, new in enumerate(at, 1))
        return lazy(connection.sql(f"SELECT {values} FROM (SELECT {extract} AS x FROM {objects})"))

    return FileTable(known, pick, decode=lambda raw: json.loads(raw) if isinstance(raw, str) else raw)


def _database(connection: Any, paths: Sequence[str], table: str | None) -> FileTable:
    if len(paths) > 1:
        raise invalid("data", "must be one file where it is a database", got=f"{len(paths)} files")
    connection.execute(f"ATTACH {_text(paths[0])} AS source (READ_ONLY)")
    listed = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' UNION ALL "
        "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'source' AND NOT internal"
    ).fetchall()
    known = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in listed}
    if table not in known:
        rule = "must name a table of the database" if table is None else f"there is no table {table!r}"
        hint = None if table is None else nearest(table, known)
        raise invalid("table", rule, got=f"the tables {', '.join(sorted(known)) or 'none'}", hint=hint)
    schema, name = known[table]
    relation = connection.sql(f"SELECT * FROM source.{_name(schema)}.{_name(name)}")
    return FileTable(relation.columns, _picker(relation))


def _no_tables(files: Files, table: str) -> FileTable:
    raise invalid("table", "is for databases only", got=f"{table!r} with {files.kind}")


def _picker(relation: Any) -> Callable[[Positions], Frame]:
    names = relation.columns
    return lambda at: lazy(project(relation, names, at))


def lazy(relation: Any) -> Frame:
    """Return a relation as a lazy frame."""
    frame: Frame = nw.from_native(relation).lazy()
    _exit_quietly()
    return frame


@functools.cache
def _exit_quietly() -> None:
    """Have narwhals forget at exit what it keeps of DuckDB: thirty lines on leaks would end every script."""
    kept: Any = getattr(sys.modules.get("narwhals._namespace"), "_builtin_namespace", None)
    forget = getattr(kept, "cache_clear", None)
    if forget is not None:
        atexit.register(forget)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _paths(paths: Sequence[str]) -> str:
    """Paths as SQL; what would be a pattern to DuckDB is already a file's name here."""
    exact = [re.sub(r"([*?\[])", r"[\1]", path) for path in paths]
    return f"[{', '.join(map(_text, exact))}]"
