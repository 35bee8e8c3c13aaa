"""Which files a path, glob, folder or list means, of which kind, and whether they are what they say."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossfair import files
from crossfair.errors import invalid, malformed
from crossfair.frames import zstd

KINDS = {
    ".csv": "CSV", ".tsv": "TSV", ".tab": "TSV",
    ".parquet": "Parquet", ".pq": "Parquet",
    ".jsonl": "JSON lines", ".ndjson": "JSON lines",
    ".duckdb": "DuckDB database", ".ddb": "DuckDB database", ".db": "DuckDB database",
    ".arrow": "Arrow IPC", ".feather": "Arrow IPC", ".ipc": "Arrow IPC",
}  # fmt: skip
PACKED = {".gz": "gzip", ".zst": "zstd"}
TEXT = ("CSV", "TSV", "JSON lines")

_MAGIC = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow IPC",
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"SQLite format 3": "SQLite database",
    b"PK\x03\x04": "zip or Excel",
}


@dataclass(frozen=True)
class Files:
    """One or more files of one kind, in the order of their names."""

    paths: tuple[str, ...]
    kind: str


def find(data: Any) -> Files:
    """Return the files that a path, a glob, a folder or a list of these means.

    >>> find("people.xlsx")
    Traceback (most recent call last):
    ...
    crossfair.errors.FormatError: people.xlsx: there is no such file. ...
    """
    given = list(data) if isinstance(data, (list, tuple)) else [data]
    if not given:
        raise invalid("data", "must name at least one file", got="an empty list")
    paths = [path for item in given for path in _expand(os.fspath(item))]
    files.check_distinct(paths)
    kinds = {path: _kind(path) for path in paths}
    if len(set(kinds.values())) > 1:
        raise invalid("data", "all files must be of one kind", got=", ".join(sorted(set(kinds.values()))))
    for path, kind in kinds.items():
        _check_content(path, kind)
    return Files(tuple(paths), kinds[paths[0]])


def ending(path: str) -> tuple[str, str]:
    """Return the ending that tells the kind, and the one that tells the compression, if any.

    >>> ending("people.CSV.gz")
    ('.csv', '.gz')
    """
    stem, last = os.path.splitext(path.lower())
    return (os.path.splitext(stem)[1], last) if last in PACKED else (last, "")


def _expand(path: str) -> Sequence[str]:
    if os.path.isdir(path):
        inside = [str(found) for found in Path(path).rglob("*") if _wanted(found, Path(path))]
        if not inside:
            raise malformed(path, "the folder holds no file that can be read", hint=_readable())
        return sorted(inside)
    if os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise malformed(path, "there is no such file" if not glob.has_magic(path) else "matches no file",
                        hint="Check the path, and the folder it starts from.")  # fmt: skip
    return [file for item in found for file in (_expand(item) if os.path.isdir(item) else [item])]


def _wanted(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    return path.is_file() and not hidden and ending(str(path))[0] in KINDS


def _kind(path: str) -> str:
    kind = KINDS.get(ending(path)[0])
    if kind is None:
        raise malformed(
            path, "the ending of a file must tell its kind", got=os.path.basename(path), hint=_readable()
        )
    if ending(path)[1] and kind not in TEXT:
        raise malformed(path, f"a {kind} file cannot be read compressed", hint="Unpack it first.")
    return kind


def _readable() -> str:
    return f"Readable are {', '.join(KINDS)}, and text files also with {' or '.join(PACKED)}."


def _check_content(path: str, kind: str) -> None:
    """Refuse a file whose first bytes tell of another kind than its ending."""
    try:
        with open(path, "rb") as file:
            start = file.read(32)
    except OSError as error:
        raise malformed(path, "cannot be read", got=error.strerror or str(error)) from error
    found = next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)
    if start[8:12] == b"DUCK":
        found = "DuckDB database"
    expected = PACKED.get(ending(path)[1], kind)
    if found is None and expected not in TEXT and (start or expected != "DuckDB database"):
        found = "empty" if not start else "other"
    if found is None and expected in TEXT and b"\0" in start:
        found = "binary or UTF-16"
    if found not in (None, expected):
        raise malformed(path, f"must hold {expected}, as its ending says", got=f"{found} content")
    if found == "zstd":
        zstd.check(path)
