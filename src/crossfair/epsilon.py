"""Rates → ε: the least ε ≥ 0 for which a metric's inequalities hold. Sole owner of the 0/0 rule.

A zero rate beside a positive one gives ∞; all rates zero give 0. Never NaN, never a cap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from crossfair.metrics import Comparison

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Extremes:
    """The highest and the lowest rate among cells, and the overall rate: all that ε depends on.

    Each is an array over draws (of length 1 for a point). NaN stands where no cell has a rate.
    """

    highest: Floats
    lowest: Floats
    overall: Floats
    rest: Self | None = None

    @classmethod
    def of(cls, rates: Floats, overall: Floats | float, rest: Self | None = None) -> Self:
        """Take the extremes over the last axis; a NaN rate is a cell without one, and left out.

        `rest` are the extremes of 1 − rate where they are known better than by subtraction, which makes
        what is left beside a rate of nearly 1 an exact 0, and ε infinite.
        """
        if rates.shape[-1] == 0:
            rates = np.full((*rates.shape[:-1], 1), np.nan)
        highest, lowest = np.fmax.reduce(rates, axis=-1), np.fmin.reduce(rates, axis=-1)
        return cls(highest, lowest, np.broadcast_to(overall, highest.shape), rest)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The extremes of some draws followed by those of others."""
        rests = [part.rest for part in parts if part.rest is not None]
        return cls(
            np.concatenate([part.highest for part in parts]),
            np.concatenate([part.lowest for part in parts]),
            np.concatenate([part.overall for part in parts]),
            cls.joined(rests) if rests else None,
        )

    def complement(self) -> Self:
        """The extremes of 1 − rate."""
        if self.rest is not None:
            return self.rest
        return type(self)(1.0 - self.lowest, 1.0 - self.highest, 1.0 - self.overall)

    def merge(self, other: Self) -> Self:
        """The extremes over the cells of both; the overall rates add up, as parts of one whole."""
        return type(self)(
            np.fmax(self.highest, other.highest),
            np.fmin(self.lowest, other.lowest),
            self.overall + other.overall,
            None if self.rest is None or other.rest is None else self.rest.merge(other.rest),
        )


def log_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return log(numerator / denominator): 0 for 0/0, and for NaN, which stands for no rate at all.

    >>> log_ratio(np.array([0.0, 0.5, 0.5]), np.array([0.0, 0.0, 0.25])).tolist()
    [0.0, inf, 0.6931471805599453]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(numerator) - np.log(denominator)
    return np.where(np.isnan(ratio), 0.0, ratio)


def epsilon(extremes: Extremes, comparison: Comparison) -> Floats:
    """Return ε per draw: log(max / min) between cells, or the largest |log(rate / overall)|.

    >>> rates = np.array([[0.1, 0.2, 0.4]])
    >>> epsilon(Extremes.of(rates, 0.2), "between").round(4).tolist()  # log 4
    [1.3863]
    >>> epsilon(Extremes.of(rates, 0.2), "population").round(4).tolist()  # log 2
    [0.6931]
    """
    if comparison == "between":
        found = log_ratio(extremes.highest, extremes.lowest)
    else:
        above = log_ratio(extremes.highest, extremes.overall)
        found = np.maximum(above, log_ratio(extremes.overall, extremes.lowest))
        # An overall rate of 0 says that all raw rates are 0, whatever smoothing has made of them.
        found = np.where(extremes.overall > 0, found, 0.0)
    return np.maximum(found, 0.0)


def driving(
    rates: Floats, supported: NDArray[np.bool_], overall: float, comparison: Comparison
) -> tuple[int, int]:
    """Return the positions of the highest and the lowest cell that set ε; −1 stands for the population.

    Ties go to the first cell in canonical order; with no supported cell both are −1.
    """
    if not supported.any():
        return -1, -1
    highest = int(np.argmax(np.where(supported, rates, -np.inf)))
    lowest = int(np.argmin(np.where(supported, rates, np.inf)))
    if comparison == "between":
        return highest, lowest
    point = np.array([overall])
    above, below = log_ratio(rates[[highest]], point)[0], log_ratio(point, rates[[lowest]])[0]
    return (highest, -1) if above >= below else (-1, lowest)
