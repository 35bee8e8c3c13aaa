"""Sums of weights in fixed point: the same bits whatever the order, engine or number of shards.

A sum is held in two int64 limbs: the whole part, and the fraction in units of 2⁻³². Floating-point sums
depend on the order of their terms; these do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import InputError, invalid

SCALE = 2**32
LARGEST_WEIGHT = 2.0**31
LARGEST_SUM = 2.0**62

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fixed:
    """An array of fixed-point sums; `fraction` is kept in [0, 2³²).

    >>> total = Fixed.from_floats(np.array([0.5, 0.25])).sum()
    >>> float(total.floats)
    0.75
    """

    whole: Ints
    fraction: Ints

    @classmethod
    def of(cls, whole: Ints, fraction: Ints) -> Self:
        """Carry whole units out of the fraction."""
        carry = fraction >> np.int64(32)
        return cls(np.asarray(whole + carry), np.asarray(fraction - (carry << np.int64(32))))

    @classmethod
    def from_floats(cls, values: Floats) -> Self:
        """Round each value to the nearest multiple of 2⁻³² (half up), as every engine does."""
        whole = np.floor(values)
        fraction = np.floor((values - whole) * SCALE + 0.5)
        return cls.of(whole.astype(np.int64), fraction.astype(np.int64))

    @classmethod
    def zeros(cls, shape: int | tuple[int, ...]) -> Self:
        """An array of empty sums."""
        return cls(np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    @property
    def floats(self) -> Floats:
        """The sums as floating-point numbers, each rounded once."""
        return np.asarray(self.whole + self.fraction / SCALE)

    def __add__(self, other: Self) -> Self:
        return self.of(self.whole + other.whole, self.fraction + other.fraction)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fixed):
            return NotImplemented
        return np.array_equal(self.whole, other.whole) and np.array_equal(self.fraction, other.fraction)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, index: Any) -> Self:
        return type(self)(np.asarray(self.whole[index]), np.asarray(self.fraction[index]))

    def sum(self, axis: int | tuple[int, ...] | None = None) -> Self:
        """Sum along an axis, exactly."""
        return self.of(np.asarray(self.whole.sum(axis=axis)), np.asarray(self.fraction.sum(axis=axis)))

    def gather(self, index: Ints, size: int) -> Self:
        """Add the rows that share an index: the sums per group of the first axis."""
        sums = self.zeros((size, *self.whole.shape[1:]))
        np.add.at(sums.whole, index, self.whole)
        np.add.at(sums.fraction, index, self.fraction)
        return self.of(sums.whole, sums.fraction)


@dataclass(frozen=True)
class Weights:
    """Σw and Σw² of the records in each place of a table, in fixed point."""

    total: Fixed
    squares: Fixed

    def __add__(self, other: Self) -> Self:
        _check_sums(self, other)
        return type(self)(self.total + other.total, self.squares + other.squares)

    def impossible(self, n: Ints | Floats) -> NDArray[np.bool_]:
        """Where no n weights can have these sums: a limb out of its range, or (Σw)² > n · Σw²."""
        limbs = [limb for sums in (self.total, self.squares) for limb in (sums.whole, sums.fraction)]
        outside = np.logical_or.reduce([limb < 0 for limb in limbs])
        outside |= (self.total.fraction >= SCALE) | (self.squares.fraction >= SCALE)
        total, squares = self.total.floats, self.squares.floats
        rounding = n * (n + 2 * total) / SCALE
        return np.asarray(outside | (total * total > n * squares * (1 + 1e-6) + rounding))

    def gather(self, index: Ints, size: int) -> Self:
        """Add the rows that share an index."""
        _check_sums(self)
        return type(self)(self.total.gather(index, size), self.squares.gather(index, size))


def check_overflow(records: int, largest: float, argument: str = "weight") -> None:
    """Refuse weights whose sum, or sum of squares, might not fit in 63 bits."""
    if records * max(largest, largest * largest) >= LARGEST_SUM:
        raise _too_large(f"a largest weight of {largest:g} over {records} records", argument)


def check_resolution(records: float, weights: Weights) -> None:
    """Refuse weights so small that rounding to multiples of 2⁻³² could tell in their sums.

    The rounding moves Σw² by up to n · 2⁻³³, which must stay below a 10,000th of it.
    """
    squares = float(weights.squares.floats.sum())
    if weights.total.floats.sum() > 0 and squares < 1e4 * records / (2 * SCALE):
        raise invalid(
            "weight",
            "weights are too small to be added up exactly",
            got=f"a mean square of {squares / records:.3g}",
            hint="Multiply all weights by a constant, so that they are about 1.",
        )


def _check_sums(*weights: Weights) -> None:
    """Refuse sums that might not fit in 63 bits once they are added up."""
    largest = max(
        sum(float(held.floats.sum()) for held in sums)
        for sums in zip(*((one.total, one.squares) for one in weights))
    )
    if largest >= LARGEST_SUM:
        raise _too_large(f"a sum of {largest:g}", "weight")


def _too_large(came: str, argument: str) -> InputError:
    return invalid(
        argument,
        "weights are too large for their sum of squares",
        got=came,
        hint="Divide all weights by a constant; only their ratios matter.",
    )
