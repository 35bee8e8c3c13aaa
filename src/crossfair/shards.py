"""Shards: files of counts or curves, made in different places on different days, as one table.

Counts and curves add up exactly, so neither the order of the shards nor who counted them can tell.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from crossfair import files
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import InputError, invalid, malformed

T = TypeVar("T", Counts, Curves)

COUNTS = (".counts", ".counts.gz")
CURVES = (".curves",)


def load(data: Any) -> Any:
    """Return the sum of the counts or curves files that `data` names; any other data are given back as is.

    A glob that ends like such files names all that match it.

    >>> load({"sex": ["F"]})
    {'sex': ['F']}
    """
    named = paths(data)
    if named is None:
        return data
    if all(path.endswith(COUNTS) for path in named):
        return _sum([_Part(path, 1, Counts.load(path)) for path in named])
    return _sum([_Part(path, 1, Curves.load(path)) for path in named])


def paths(data: Any) -> list[str] | None:
    """Return the files of counts or of curves that `data` names, or None where it names something else."""
    items = list(data) if isinstance(data, (list, tuple)) else [data]
    if not items or not all(isinstance(item, (str, os.PathLike)) for item in items):
        return None
    given = [os.fspath(item) for item in items]
    kinds = {_kind(path) for path in given}
    if kinds == {None}:
        return None
    if len(kinds) > 1:
        others = ", ".join(sorted("records" if kind is None else kind for kind in kinds))
        raise invalid("data", "all files must be of one kind", got=others,
                      hint="Count the records first: crossfair count … -o part.counts.")  # fmt: skip
    found = [path for item in given for path in _expand(item)]
    files.check_distinct(found)
    return found


def check_ending(path: str | os.PathLike[str], kind: str) -> None:
    """Refuse a name to write to by which the file would not be known as what it is, when it is read.

    >>> check_ending("may.json", "counts")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: out: a file of counts must end in .counts or .counts.gz; got 'may.json'.
    """
    if _kind(os.fspath(path)) != kind:
        endings = " or ".join(COUNTS if kind == "counts" else CURVES)
        raise invalid("out", f"a file of {kind} must end in {endings}", got=repr(os.fspath(path)))


def _kind(path: str) -> str | None:
    return "counts" if path.endswith(COUNTS) else "curves" if path.endswith(CURVES) else None


def _expand(path: str) -> list[str]:
    if os.path.exists(path) or not glob.has_magic(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise malformed(path, "matches no file", hint="Check the path, and the folder it starts from.")
    return found


@dataclass(frozen=True)
class _Part(Generic[T]):
    """The sum of some files, known by the first of them."""

    first: str
    files: int
    table: T

    @property
    def words(self) -> str:
        return self.first if self.files == 1 else f"{self.first} and {self.files - 1} more"

    def __add__(self, other: _Part[T]) -> _Part[T]:
        try:
            table = self.table + other.table
        except InputError as error:
            raise invalid("data", f"{self.words} and {other.words} do not add up", got=str(error).rstrip("."),
                          hint="Count them by the same options.") from error  # fmt: skip
        return _Part(self.first, self.files + other.files, table)


def _sum(parts: Sequence[_Part[T]]) -> T:
    """Add up neighbours in rounds: each table is then merged a few times, however many there are."""
    left = list(parts)
    while len(left) > 1:
        pairs = [left[i] + left[i + 1] for i in range(0, len(left) - 1, 2)]
        left = pairs + left[2 * len(pairs) :]
    return left[0].table
