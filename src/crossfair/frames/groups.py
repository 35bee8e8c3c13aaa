"""Groups: what any engine's group-by delivers, and the constants every engine computes with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Code of a number that is missing or not finite: in a binned attribute, or as a score.
NO_NUMBER = -1

# More groups than this are not fetched: enough for 250,000 cells with a label and a prediction.
MOST_GROUPS = 1_000_000


# The columns of WeightSums that add up.
LIMBS = ("whole", "fraction", "square_whole", "square_fraction", "bad")


@dataclass(frozen=True)
class WeightSums:
    """Per group: Σw and Σw² in whole and fractional limbs, bad weights, and the largest good one."""

    whole: Ints
    fraction: Ints
    square_whole: Ints
    square_fraction: Ints
    bad: Ints
    largest: float

    def gather(self, group: Ints, size: int) -> Self:
        """Add up the rows of each group."""

        def summed(column: Ints) -> Ints:
            sums = np.zeros(size, dtype=np.int64)
            np.add.at(sums, group, column)
            return sums

        limbs = {name: summed(getattr(self, name)) for name in LIMBS}
        return type(self)(**limbs, largest=self.largest)


@dataclass(frozen=True)
class Groups:
    """One row per distinct combination of attributes, label and prediction.

    A binned attribute comes as codes of its ranges, a score as codes 0 and 1 for below the threshold or not;
    everything else is what the engine delivered.
    """

    keys: Sequence[Sequence[Any]]
    label: Sequence[Any] | None
    prediction: Sequence[Any] | None
    n: Ints
    weights: WeightSums | None

    def decoded(self, decode: Callable[[Any], Any]) -> Self:
        """Return the groups with every raw value decoded."""
        keys = [[decode(raw) for raw in column] for column in self.keys]
        label, prediction = (
            None if column is None else [decode(raw) for raw in column]
            for column in (self.label, self.prediction)
        )
        return replace(self, keys=keys, label=label, prediction=prediction)
