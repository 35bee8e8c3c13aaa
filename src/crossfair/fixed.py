"""Sums of weights in fixed point: the same bits whatever the order, engine or number of shards.

A sum is held in two int64 limbs: the whole part, and the fraction in units of 2⁻³². Floating-point sums
depend on the order of their terms; these do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import invalid

SCALE = 2**32
LARGEST_WEIGHT = 2.0**31

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
        return type(self)(self.total + other.total, self.squares + other.squares)

    def gather(self, index: Ints, size: int) -> Self:
        """Add the rows that share an index."""
        return type(self)(self.total.gather(index, size), self.squares.gather(index, size))


def check_overflow(records: int, largest: float, argument: str = "weight") -> None:
    """Refuse weights whose sum, or sum of squares, might not fit in 63 bits."""
    if records * max(largest, largest * largest) >= 2.0**62:
        raise invalid(
            argument,
            "weights are too large for their sum of squares",
            got=f"a largest weight of {largest:g} over {records} records",
            hint="Divide all weights by a constant; only their ratios matter.",
        )
