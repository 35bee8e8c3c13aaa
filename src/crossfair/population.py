"""Population: who a policy was fitted to, per cell; and how far those who come later have moved from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import malformed
from crossfair.fields import Fields

if TYPE_CHECKING:
    from crossfair.counts import Counts
    from crossfair.curve import Curves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIELDS = {"mass", "positives", "squares"}


@dataclass(frozen=True, eq=False)
class Population:
    """Per cell Σw and Σw² of its records, and Σw of the positive ones; numbers of records without weights.

    `positives` is None where labels are not known.

    >>> people = Population.of([30, 70], [3, 35])
    >>> people.shares.tolist(), people.base_rates.tolist()
    ([0.3, 0.7], [0.1, 0.5])
    """

    mass: Floats
    squares: Floats
    positives: Floats | None

    @classmethod
    def of(cls, mass: Any, positives: Any = None, squares: Any = None) -> Self:
        """Build from lists, of records without weights unless `squares` are given."""
        columns = mass, mass if squares is None else squares, positives
        return cls(*(None if one is None else np.asarray(one, dtype=np.float64) for one in columns))  # type: ignore[arg-type]

    @classmethod
    def of_curves(cls, curves: Curves) -> Self:
        """Return those whose scores the curves hold."""
        cell, size = curves.cell_of_step, len(curves.cells)
        negatives, positives = (np.bincount(cell, column, size) for column in curves.mass.T)
        weighted = curves.weights is not None and curves.squares is not None
        squares = curves.squares.floats.sum(axis=1) if weighted and curves.squares is not None else None
        return cls.of(negatives + positives, positives, squares)

    @classmethod
    def of_counts(cls, counts: Counts) -> Self:
        """Return those who were counted."""
        code = counts.outcomes.positive_code
        positives = counts.mass[:, code].sum(axis=1) if counts.has_label else None
        squares = None if counts.weights is None else counts.weights.squares.floats.sum(axis=(1, 2))
        return cls.of(counts.mass.sum(axis=(1, 2)), positives, squares)

    def gathered(self, into: Ints, size: int) -> Population:
        """Return the population in other cells: `into` says where each cell falls."""

        def summed(column: Floats) -> Floats:
            return np.bincount(into, column, size).astype(np.float64)

        positives = None if self.positives is None else summed(self.positives)
        return Population(summed(self.mass), summed(self.squares), positives)

    @property
    def shares(self) -> Floats:
        """The share of each cell."""
        return np.asarray(self.mass / self.mass.sum())

    @property
    def base_rates(self) -> Floats:
        """The share of positives in each cell; NaN where it is empty, or labels are not known."""
        positives = np.full(len(self.mass), np.nan) if self.positives is None else self.positives
        empty = np.full(len(self.mass), np.nan)
        return np.asarray(np.divide(positives, self.mass, out=empty, where=self.mass > 0))

    def to_json(self) -> dict[str, list[float] | None]:
        """Return the JSON form."""
        positives = None if self.positives is None else _plain(self.positives)
        return {"mass": _plain(self.mass), "squares": _plain(self.squares), "positives": positives}

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """Read the JSON form; whether it fits a policy is for its rules."""
        return cls.of(
            _numbers(fields, "mass"), fields.optional("positives", lambda name: _numbers(fields, name)),
            _numbers(fields, "squares"),
        )  # fmt: skip


@dataclass(frozen=True)
class Shift:
    """How far a population has moved: what the samples show, and bounds on what holds of the populations.

    `by_cell` is what each cell adds to it, up or down; NaN where it is left out.
    """

    value: float
    low: float
    high: float
    by_cell: Floats


def shift_of_shares(then: Population, now: Population, confidence: float) -> Shift:
    """Return the total variation distance of the shares of cells: the share of people who changed cells.

    The bounds hold whatever the shares are: a sample's own distance from its population exceeds `radius` for
    none of the 2^cells sets of cells, by Hoeffding's inequality for each.

    >>> found = shift_of_shares(Population.of([500, 500]), Population.of([400, 600]), 0.95)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.1, 0.0, 0.201)
    """
    by_cell = now.shares - then.shares
    value = float(np.abs(by_cell).sum() / 2)
    spread = sum(
        radius(len(by_cell), (1 - confidence) / 2, float(one.squares.sum() / one.mass.sum() ** 2))
        for one in (then, now)
    )
    return Shift(value, max(0.0, value - spread), min(1.0, value + spread), by_cell)


def shift_of_base_rates(then: Population, now: Population, confidence: float) -> Shift | None:
    """Return the mean distance of the base rates of cells, weighted by the people who come now.

    Cells that either lacks are left out; None where nothing is left. The bounds are as for the shares: the
    signs of all distances are one of 2^cells, and Hoeffding's inequality holds for each.
    """
    common = (then.mass > 0) & (now.mass > 0)
    if then.positives is None or now.positives is None or not common.any():
        return None
    weight = np.where(common, now.mass, 0.0) / now.mass[common].sum()
    by_cell = np.where(common, weight * (now.base_rates - then.base_rates), np.nan)
    value = float(np.nansum(np.abs(by_cell)))
    spread = 0.0
    for one in (then, now):
        variance = (weight[common] ** 2 * one.squares[common] / one.mass[common] ** 2).sum()
        spread += radius(int(common.sum()), (1 - confidence) / 2, float(variance))
    return Shift(value, max(0.0, value - spread), min(1.0, value + spread), by_cell)


def radius(cells: int, error: float, variance: float) -> float:
    """How far off a sample may be in any of 2^cells sums at once, but for a chance of `error`.

    `variance` is one over the effective number of records, or the sum of squared weights of independent ones.
    """
    return math.sqrt(variance / 2 * (cells * math.log(2) + math.log(1 / error)))


def _plain(column: Floats) -> list[float]:
    return [int(item) if item == int(item) else item for item in column.tolist()]


def _numbers(fields: Fields, name: str) -> list[float]:
    found = fields.item(name)
    if not isinstance(found, list) or not all(
        type(item) in (int, float) and 0 <= item < math.inf for item in found
    ):
        raise malformed(
            fields.source, f"{name} of {fields.what} must be a list of numbers, 0 or more", got=repr(found)
        )
    return found
