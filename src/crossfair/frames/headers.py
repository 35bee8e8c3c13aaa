"""The header of a CSV file: its names and its delimiter, read here so that nothing else has to guess."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from crossfair.errors import malformed

DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Header:
    """The names of the columns and what stands between them."""

    names: tuple[str, ...]
    delimiter: str


def parse(lines: Iterable[str], source: str, delimiter: str | None = None) -> Header:
    """Read the first record of a CSV file; the delimiter that gives most columns is taken.

    >>> parse(["sex;income\\n", "F;1,5\\n"], "people.csv")
    Header(names=('sex', 'income'), delimiter=';')
    """
    rest = iter(lines)
    first = next(rest, "").removeprefix("\ufeff")
    if not first.strip():
        raise malformed(source, "must begin with a header line", got="an empty file or line")
    delimiter = delimiter or max(DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign))))
    names = next(csv.reader(_chain(first, rest), delimiter=delimiter, strict=True))
    if any("\udc80" <= sign <= "\udcff" for sign in "".join(names)):
        raise malformed(
            source,
            "must begin with a header in UTF-8",
            got=delimiter.join(names)[:80].encode("utf-8", "replace"),
        )
    return Header(tuple(names), delimiter)


def open_text(path: str) -> IO[str]:
    """Open a plain or gzip text file as it is, keeping its line ends."""
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    # Whatever is wrong in later lines is found, with its line, by who reads them.
    file: IO[str] = opener(path, "rt", encoding="utf-8", errors="surrogateescape", newline="")
    return file


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest
