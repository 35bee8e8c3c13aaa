"""What all estimators share: their interface and the streams of random numbers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from crossfair.counts import Counts
from crossfair.epsilon import Extremes
from crossfair.rate_counts import RateCounts

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Draws are made for so many cells at a time, which bounds the memory; part of the definition of the draws.
BLOCK = 4096


class Applied(Protocol):
    """An estimator applied to counts; it answers for the quantity that each rate is, or is one minus."""

    def point(self, counts: RateCounts) -> Floats:
        """One rate per cell, which names the driving cells."""
        ...

    def words(self, counts: RateCounts) -> str:
        """What stands behind the estimates, in words."""
        ...

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Highest and lowest rate of the supported cells and the overall rate, per draw."""
        ...


class Estimator(Protocol):
    """An estimator of ε: a frozen set of parameters that is applied to counts."""

    name: ClassVar[str]
    drawn: ClassVar[bool]
    summary: ClassVar[str]

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        ...

    def words(self) -> str:
        """The estimator and its prior, in words."""
        ...

    def apply(self, counts: Counts, seed: int) -> Applied:
        """Apply to counts; the same seed gives the same draws."""
        ...


def stream(seed: int, key: str) -> np.random.Generator:
    """Return the random numbers of one quantity: adding a metric leaves the draws of the others alone."""
    return np.random.default_rng([seed, zlib.crc32(key.encode())])


def blocks(cells: int) -> Iterator[slice]:
    """Cut the cells into blocks of bounded size."""
    for start in range(0, max(cells, 1), BLOCK):
        yield slice(start, min(start + BLOCK, cells))


def watched(point: Floats, supported: Mask) -> tuple[int, ...]:
    """Return the cells whose draws are kept: those with the highest and the lowest estimate.

    >>> watched(np.array([0.3, 0.1, 0.9]), np.array([True, True, False]))
    (0, 1)
    """
    if not supported.any():
        return ()
    return int(np.argmax(np.where(supported, point, -np.inf))), int(
        np.argmin(np.where(supported, point, np.inf))
    )
