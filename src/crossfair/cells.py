"""Cells: the observed intersections of the attributes, always tuples of values in one canonical order."""

from __future__ import annotations

import itertools
import math
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair import checks, values
from crossfair.errors import SimilarCellsWarning, choose, invalid, malformed
from crossfair.values import Value

Cell = tuple[Value, ...]

# The value of an attribute over which small cells are merged, so that no small count can be told.
MERGED = "(merged)"
Ints = NDArray[np.int64]


def range_names(edges: Sequence[float]) -> list[str]:
    """Name the ranges that increasing edges cut the numbers into; each range holds its upper edge.

    >>> range_names([30, 50])
    ['≤ 30', '(30, 50]', '> 50']
    """
    shown = [str(int(edge)) if edge == int(edge) else repr(float(edge)) for edge in edges]
    middle = [f"({low}, {high}]" for low, high in itertools.pairwise(shown)]
    return [f"≤ {shown[0]}", *middle, f"> {shown[-1]}"]


def check_bins(bins: Mapping[str, Sequence[float]] | None, by: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Validate the edges of binned attributes: known, finite, increasing, at least one.

    >>> check_bins({"age": [50]}, ["sex", "age"])
    {'age': (50.0,)}
    """
    checked: dict[str, tuple[float, ...]] = {}
    given = {} if bins is None else checks.mapping("bins", bins, "must map attributes to edges")
    for name, edges in given.items():
        choose("bins", name, by)
        try:
            cuts = tuple(float(edge) for edge in np.atleast_1d(np.asarray(edges, dtype=np.float64)))
        except (TypeError, ValueError) as error:
            raise invalid("bins", f"the edges of {name!r} must be numbers", got=repr(edges)) from error
        increasing = all(low < high for low, high in itertools.pairwise(cuts))
        if not cuts or not increasing or not all(map(math.isfinite, cuts)):
            raise invalid("bins", f"the edges of {name!r} must be finite and increasing", got=list(cuts))
        checked[name] = cuts
    return checked


@dataclass(frozen=True)
class Cells:
    """Cells in canonical order: by attribute in `by` order; numbers, then text, missing last.

    >>> cells = Cells.of(["sex"], [("Male",), (None,), ("Female",)])
    >>> cells.values
    (('Female',), ('Male',), (None,))
    """

    by: tuple[str, ...]
    values: tuple[Cell, ...]
    bins: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(
        cls,
        by: Sequence[str],
        cells: Iterable[Cell],
        bins: Mapping[str, tuple[float, ...]] | None = None,
    ) -> Self:
        """Build from cells in any order; values of different type that read alike are refused."""
        cut, rows = dict(bins or {}), list(cells)
        for name in by:
            values.check_text(name, "by")
        columns = list(zip(*rows)) if rows else [()] * len(by)
        levels = [list(_ranks(column, name, cut.get(name))) for name, column in zip(by, columns)]
        distinct, _ = _distinct(_coded(columns, levels, len(rows)))
        return cls(tuple(by), _spelt(distinct, levels), cut)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def index(self) -> dict[Cell, int]:
        """Position of each cell."""
        return {cell: position for position, cell in enumerate(self.values)}

    @cached_property
    def levels(self) -> tuple[tuple[Value, ...], ...]:
        """The observed values of each attribute, in canonical order."""
        columns = zip(*self.values) if self.values else [()] * len(self.by)
        ranks = [_ranks(column, name, self.bins.get(name)) for name, column in zip(self.by, columns)]
        return tuple(tuple(rank) for rank in ranks)

    @cached_property
    def codes(self) -> Ints:
        """Level of each attribute in each cell, as an array (cells, attributes)."""
        columns = zip(*self.values) if self.values else [()] * len(self.by)
        return _coded(columns, self.levels, len(self))

    def marginal(self, names: Sequence[str]) -> tuple[Self, Ints]:
        """Return the cells of fewer attributes, and for each cell here the one it falls into."""
        chosen = [self.by.index(choose("by", name, self.by)) for name in names]
        if len(set(chosen)) < len(chosen):
            raise invalid("by", "must name each attribute once", got=list(names))
        bins = {name: edges for name, edges in self.bins.items() if name in names}
        distinct, into = _distinct(self.codes[:, chosen])
        found = _spelt(distinct, [self.levels[i] for i in chosen])
        return type(self)(tuple(self.by[i] for i in chosen), found, bins), into

    def union(self, other: Self) -> tuple[Self, Ints, Ints]:
        """Return the cells of both, and the position in it of each cell of either.

        Where one side has text and the other typed values, the typed ones are kept.
        """
        self.check_alike(other)
        mine, theirs = _retyped(self, other), _retyped(other, self)
        both = type(self).of(self.by, [*mine, *theirs], self.bins)
        return (
            both,
            np.array([both.index[cell] for cell in mine], dtype=np.int64),
            np.array([both.index[cell] for cell in theirs], dtype=np.int64),
        )

    def find(self, cells: Sequence[Cell]) -> Ints:
        """Return the position of each given cell, −1 for a cell not here; text meets typed values."""
        tables = []
        for i, name in enumerate(self.by):
            seen = list(dict.fromkeys(cell[i] for cell in cells))
            tables.append(values.match(seen, self.levels[i], f"attribute {name!r}"))
        known = [tuple(table.get(v, values.UNKNOWN) for table, v in zip(tables, cell)) for cell in cells]
        return np.array([self.index.get(cell, -1) for cell in known], dtype=np.int64)  # type: ignore[arg-type]

    def check_alike(self, other: Self) -> None:
        """Refuse tables of other attributes or other bins."""
        if self.by != other.by:
            raise invalid(
                "by",
                "tables must have the same attributes in the same order",
                got=f"{self.by} and {other.by}",
            )
        if dict(self.bins) != dict(other.bins):
            raise invalid(
                "bins",
                "tables must be cut at the same edges",
                got=f"{dict(self.bins)} and {dict(other.bins)}",
            )

    def warn_similar(self) -> None:
        """Warn when two values of an attribute differ only by case, spaces or Unicode form."""
        for name, level in zip(self.by, self.levels):
            folded: dict[str, str] = {}
            for value in level:
                if isinstance(value, str):
                    key = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
                    other = folded.setdefault(key, value)
                    if other != value:
                        message = (
                            f"attribute {name!r}: the values {other!r} and {value!r} differ only by case, "
                            "spaces or Unicode form, and count as two. Unify them if they mean the same."
                        )
                        warnings.warn(message, SimilarCellsWarning, stacklevel=4)

    def show(self, position: int) -> str:
        """Return a cell in words."""
        return show_cell(self.values[position])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form: attributes, bins, and each attribute's levels with a code per cell."""
        return {
            "by": list(self.by),
            "bins": {name: list(edges) for name, edges in self.bins.items()},
            "levels": [[values.to_json(value) for value in level] for level in self.levels],
            "codes": self.codes.T.tolist(),
        }

    @classmethod
    def from_json(cls, data: Any, source: str) -> Self:
        """Read the JSON form; anything out of order is refused."""
        try:
            by = [str(name) for name in data["by"]]
            bins = check_bins(data["bins"], by)
            levels = [[values.from_json(item, source) for item in level] for level in data["levels"]]
            columns = [
                [level[code] for code in codes] for level, codes in zip(levels, data["codes"], strict=True)
            ]
            cells = list(zip(*columns, strict=True))
            built = cls.of(by, cells, bins)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
            raise malformed(source, "its table of cells is damaged", got=f"{error!r}") from error
        canonical = len(columns) == len(by) == len(set(by)) > 0 and built.to_json()["codes"] == data["codes"]
        if not canonical or list(built.values) != cells or [list(level) for level in built.levels] != levels:
            raise malformed(source, "its cells must be distinct and in canonical order")
        return built


def show_cell(cell: Cell) -> str:
    """Return a cell in words.

    >>> show_cell(("Female", None))
    'Female · missing'
    """
    return " · ".join(values.show(value) for value in cell) if cell else "everyone"


def _ranks(column: Sequence[Value], name: str, edges: tuple[float, ...] | None) -> dict[Value, int]:
    values.check_column(column, f"by: {name!r}")
    level = set(column)
    if edges is None:
        return {value: rank for rank, value in enumerate(sorted(level, key=values.sort_key))}
    named: list[Value] = [*range_names(edges), None, MERGED]
    unknown = level.difference(named)
    if unknown:
        raise invalid(
            "bins", f"values of {name!r} must be its ranges {named[:-2]}", got=sorted(map(str, unknown))
        )
    return {value: rank for rank, value in enumerate(value for value in named if value in level)}


def _coded(columns: Iterable[Sequence[Value]], levels: Iterable[Sequence[Value]], size: int) -> Ints:
    """The level of each value of columns so long, as an array (cells, attributes)."""
    codes = []
    for column, level in zip(columns, levels):
        rank = {value: code for code, value in enumerate(level)}
        codes.append(np.fromiter(map(rank.__getitem__, column), dtype=np.int64, count=size))
    return np.array(codes, dtype=np.int64).reshape(len(codes), size).T


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct rows in canonical order, and which of them each row is."""
    order = np.lexsort([np.zeros(len(codes)), *codes.T[::-1]])  # the first key: there may be no attribute
    rows = codes[order]
    fresh = np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])[: len(rows)]
    into = np.empty(len(rows), dtype=np.int64)
    into[order] = np.cumsum(fresh) - 1
    return rows[fresh], into


def _spelt(codes: Ints, levels: Sequence[Sequence[Value]]) -> tuple[Cell, ...]:
    """The cells that rows of codes stand for."""
    columns = [map(level.__getitem__, column) for level, column in zip(levels, codes.T.tolist())]
    return tuple(zip(*columns)) if columns else ((),) * len(codes)


def _retyped(cells: Cells, other: Cells) -> list[Cell]:
    """The cells with text replaced by the typed value it spells in the other table."""
    tables: list[dict[Value, Value]] = []
    for name, mine, theirs in zip(cells.by, cells.levels, other.levels):
        matched = values.match(mine, theirs, f"attribute {name!r}")
        tables.append({v: matched.get(v, v) if isinstance(v, str) else v for v in mine})
    return [tuple(table[value] for table, value in zip(tables, cell)) for cell in cells.values]
