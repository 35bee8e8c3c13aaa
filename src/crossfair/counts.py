"""Counts: records and weight sums per (cell, label, prediction), the small table behind every figure.

A commutative monoid: the counts of shards and months add up exactly to the counts of the whole.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair import counts_file, counts_sum, counts_table, documents, outcomes, values
from crossfair.cells import Cells
from crossfair.errors import FormatError, invalid, malformed
from crossfair.fixed import Fixed, Weights, check_resolution
from crossfair.outcomes import Outcomes
from crossfair.shown import Shown, plain
from crossfair.values import Value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KIND, VERSION = "counts", 1


@dataclass(frozen=True, eq=False)
class Counts(Shown):
    """Records n, and Σw and Σw² when weighted, per cell, label and prediction.

    `n` has the shape (cells, labels, predictions); an axis of length 1 stands for a column that is absent.
    It holds integers, or fractions when the counts are expected ones. `suppressed_below` is k where cells are
    merged so that no count is under k.

    >>> table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 10, 70, 30]}
    >>> counts = Counts.from_table(table, by=["sex"], label="hired")
    >>> counts.records, counts.cells.values
    (200, (('F',), ('M',)))
    """

    cells: Cells
    outcomes: Outcomes
    n: Ints | Floats
    weights: Weights | None = None
    has_label: bool = True
    has_prediction: bool = True
    dropped: Mapping[str, int] = field(default_factory=dict)
    suppressed_below: int | None = None

    @property
    def by(self) -> tuple[str, ...]:
        """The attributes."""
        return self.cells.by

    @property
    def records(self) -> int | float:
        """Number of records counted (a fraction when the counts are expected ones)."""
        total = self.n.sum()
        return int(total) if self.n.dtype.kind == "i" else float(total)

    @property
    def support(self) -> Ints | Floats:
        """Records per cell."""
        return np.asarray(self.n.sum(axis=(1, 2)))

    @property
    def fractional(self) -> bool:
        """Whether the counts are expected ones, not whole records."""
        return self.n.dtype.kind == "f"

    @property
    def mass(self) -> Floats:
        """Σw per (cell, label, prediction): the records themselves without weights."""
        return self.n.astype(np.float64) if self.weights is None else self.weights.total.floats

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, Counts):
            return NotImplemented
        if self.suppressed_below is not None or other.suppressed_below is not None:
            raise invalid("counts", "with merged cells do not add up", got="counts with small cells merged",
                          hint="Add up the counts as they are, and suppress the sum.")  # fmt: skip
        cells, mine, theirs = self.cells.union(other.cells)
        merged, here, there = counts_sum.merge_outcomes(self, other)
        if (self.weights is None) != (other.weights is None):
            raise invalid("weight", "counts with weights and counts without do not add up", got="one of each")
        left = counts_sum.placed(self, mine, here, (len(cells), len(merged.values)))
        right = counts_sum.placed(other, theirs, there, (len(cells), len(merged.values)))
        weights = None if left[1] is None or right[1] is None else left[1] + right[1]
        dropped = {
            reason: self.dropped.get(reason, 0) + other.dropped.get(reason, 0)
            for reason in sorted({*self.dropped, *other.dropped})
        }
        return type(self)(
            cells, merged, left[0] + right[0], weights, self.has_label, self.has_prediction, dropped
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        there = (("label", self.has_label), ("prediction", self.has_prediction))
        columns = [name for name, known in there if known]
        merged = "" if self.suppressed_below is None else f"; none under {self.suppressed_below}"
        cells = f"{len(self.cells):,} cells of {plain(', '.join(self.by))}"
        return f"<Counts: {self.records:,} records in {cells}; {' and '.join(columns)}{merged}>"

    def marginal(self, by: str | Sequence[str]) -> Self:
        """Return the counts over fewer attributes, by adding up cells.

        >>> table = {"sex": ["F", "M"], "old": [True, True], "hired": [1, 0], "n": [3, 4]}
        >>> Counts.from_table(table, by=["sex", "old"], label="hired").marginal(["old"]).records
        7
        """
        names = [by] if isinstance(by, str) else list(by)
        if not names:
            raise invalid("by", "must name at least one attribute", got="none")
        return self.regrouped(*self.cells.marginal(names))

    def regrouped(self, cells: Cells, into: Ints) -> Self:
        """Return the counts over fewer cells; `into` says into which of them each cell here falls."""
        n = np.zeros((len(cells), *self.n.shape[1:]), dtype=self.n.dtype)
        np.add.at(n, into, self.n)
        weights = self.weights.gather(into, len(cells)) if self.weights else None
        return replace(self, cells=cells, n=n, weights=weights)

    def towards(self, positive: Any) -> Self:
        """Return the same counts with another positive outcome.

        >>> table = {"sex": ["F", "M"], "job": ["staff", "manager"], "n": [3, 4]}
        >>> counts = Counts.from_table(table, by="sex", label="job")
        >>> counts.towards("manager").outcomes.positive
        'manager'
        """
        return replace(self, outcomes=self.outcomes.towards(positive))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a JSON file, whole or not at all; compressed if named ….counts or ….gz.

        By the ending .counts `crossfair.audit` and the command line know the file for what it is.
        """
        documents.write(path, documents.dump(KIND, VERSION, self.to_json()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read counts from a file written by `save`; a damaged or newer file is refused."""
        source = os.fspath(path)
        return cls.from_json(documents.parse(documents.read(path, KIND), KIND, VERSION, source), source)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form: the header, and the rows that are not empty, column by column."""
        return counts_file.body(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any], source: str) -> Self:
        """Read the JSON form; a table that does not add up to its own total is refused."""
        try:
            read = cls(**counts_file.parts(body, source))
            return counts_file.checked(read, body, source)
        except FormatError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
            raise malformed(source, "its table of counts is damaged", got=repr(error)) from error

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        by: str | Sequence[str],
        label: str | None = None,
        prediction: str | None = None,
        positive: Any = None,
        n: str = "n",
        weight: str | None = None,
        weight_squared: str | None = None,
        bins: Mapping[str, Sequence[float]] | None = None,
    ) -> Self:
        """Build counts from a table of counts: one row per cell, label and prediction, `n` records in it.

        `table` is a dict of columns or a frame. Fractions of records (expected counts) are allowed, and rows
        with n = 0, whose cells then count. `weight` and `weight_squared` name the columns of Σw and Σw².
        """
        roles = counts_table.Roles(by, label, prediction, n, weight, weight_squared)
        return cls.assemble(**counts_table.read(table, roles, positive=positive, bins=bins))

    @classmethod
    def assemble(
        cls,
        *,
        by: Sequence[str],
        keys: Sequence[Sequence[Value]],
        labels: Sequence[Value] | None,
        predictions: Sequence[Value] | None,
        n: Ints | Floats,
        weights: Weights | None = None,
        positive: Any = None,
        bins: Mapping[str, tuple[float, ...]] | None = None,
        dropped: Mapping[str, int] | None = None,
    ) -> Self:
        """Build counts from long-form columns: for each row its key values, label, prediction and sums.

        Values are normalised and labels and predictions hold no missing one; rows of equal key add up.
        """
        rows = list(zip(*keys)) if len(keys) else []
        cells = Cells.of(by, rows, bins)
        resolved, of_label, of_prediction = outcomes.resolve(
            values.distinct(labels or []), values.distinct(predictions or []), positive
        )
        size = len(resolved.values)
        shape = (len(cells), 1 if labels is None else size, 1 if predictions is None else size)
        place = [
            np.array([cells.index[row] for row in rows], dtype=np.int64),
            np.zeros(len(rows), np.int64) if labels is None else _lookup(labels, of_label),
            np.zeros(len(rows), np.int64) if predictions is None else _lookup(predictions, of_prediction),
        ]
        flat = np.ravel_multi_index(place, shape) if rows else np.zeros(0, np.int64)
        if weights is not None:
            check_resolution(float(n.sum()), weights)
        return cls(
            cells,
            resolved,
            _gather(n, flat, shape),
            None if weights is None else _shaped(weights.gather(flat, int(np.prod(shape))), shape),
            labels is not None,
            predictions is not None,
            dict(dropped or {}),
        )

    def one_against_rest(self, outcome: Value) -> tuple[Floats, Floats, Floats | None]:
        """Return n, Σw and Σw² as tables (cells, 2, 2) over [label, prediction] being `outcome` or not.

        Along the axis of an absent column everything stands in the first place.
        """
        code = self.outcomes.values.index(outcome)
        codes = (code if self.has_label else None, code if self.has_prediction else None)
        squares = None if self.weights is None else self.weights.squares.floats
        return (
            _collapse(self.n.astype(np.float64), codes),
            _collapse(self.mass, codes),
            None if squares is None else _collapse(squares, codes),
        )


def _lookup(column: Sequence[Value], codes: dict[Value, int]) -> Ints:
    return np.array([codes[value] for value in column], dtype=np.int64)


def _gather(n: Ints | Floats, flat: Ints, shape: tuple[int, ...]) -> Ints | Floats:
    sums: NDArray[Any] = np.zeros(int(np.prod(shape)), dtype=n.dtype)
    np.add.at(sums, flat, n)
    return sums.reshape(shape)


def _shaped(weights: Weights, shape: tuple[int, ...]) -> Weights:
    return Weights(
        *(
            Fixed(sums.whole.reshape(shape), sums.fraction.reshape(shape))
            for sums in (weights.total, weights.squares)
        )
    )


def _collapse(table: Floats, codes: tuple[int | None, int | None]) -> Floats:
    """Add up (cells, labels, predictions) to (cells, 2, 2), each code against the rest."""
    for axis, code in enumerate(codes, start=1):
        if code is None:  # an absent column: everything in the first place
            chosen, rest = np.zeros_like(table), table
        else:
            chosen = np.take(table, [code], axis=axis)
            rest = np.delete(table, code, axis=axis).sum(axis=axis, keepdims=True)
        table = np.concatenate([rest, chosen], axis=axis)
    return table
