"""Main effects as coefficients: a mean, and one number for each level of each attribute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Self

import numpy as np

from crossfair.estimators._likelihood import Floats, Ints

MOST_LEVELS = 100  # an attribute with more has no effects of its own: bounds the number of coefficients


@dataclass(frozen=True)
class Design:
    """The level of each cell, attribute by attribute, and where each attribute's coefficients start."""

    codes: tuple[Ints, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, codes: Ints) -> Self | None:
        """Return the design of cells (rows) by their levels; None where no attribute has effects."""
        sizes = [int(column.max()) + 1 for column in codes.T]
        kept = [k for k, size in enumerate(sizes) if 2 <= size <= MOST_LEVELS and size < len(codes)]
        if not kept:
            return None
        return cls(tuple(codes[:, k] for k in kept), tuple(sizes[k] for k in kept))

    @property
    def starts(self) -> list[int]:
        """Where each attribute's coefficients start; the mean comes first."""
        return [1, *(1 + np.cumsum(self.sizes)).tolist()]

    @property
    def slices(self) -> list[slice]:
        """The coefficients of each attribute."""
        return [slice(start, start + size) for start, size in zip(self.starts, self.sizes)]

    def predict(self, coefficients: Floats) -> Floats:
        """The log odds that the coefficients give each cell."""
        found = np.full(len(self.codes[0]), coefficients[0])
        for codes, part in zip(self.codes, self.slices):
            found += coefficients[part][codes]
        return found

    def gather(self, values: Floats) -> Floats:
        """Sums of a cell's value over the cells that each coefficient is for."""
        sums = [np.bincount(codes, values, size) for codes, size in zip(self.codes, self.sizes)]
        return np.concatenate([[values.sum()], *sums])

    def gram(self, weights: Floats) -> Floats:
        """Sums of a cell's weight over the cells that each pair of coefficients is for."""
        found = np.diag(self.gather(weights))
        found[0] = found[:, 0] = found.diagonal()
        pairs = combinations(zip(self.sizes, self.slices), 2)
        for codes, ((height, rows), (width, columns)) in zip(self._pairs, pairs):
            block = np.bincount(codes, weights, height * width).reshape(height, width)
            found[rows, columns], found[columns, rows] = block, block.T
        return found

    @cached_property
    def _pairs(self) -> list[Ints]:
        """The levels of each cell for each pair of attributes, as one number."""
        parts = combinations(zip(self.codes, self.sizes), 2)
        return [one * width + other for (one, _), (other, width) in parts]

    def variances(self, covariance: Floats) -> Floats:
        """Variance of each cell's prediction, given the covariance of the coefficients."""
        found = np.full(len(self.codes[0]), covariance[0, 0])
        parts = list(zip(self.codes, self.slices))
        for codes, part in parts:
            found += (covariance.diagonal()[part] + 2 * covariance[0, part])[codes]
        for (one, rows), (other, columns) in combinations(parts, 2):
            found += 2 * covariance[rows, columns][one, other]
        return found

    def scaled(self, scales: Floats) -> Floats:
        """Scale of every coefficient (…, coefficients), given those of the attributes; the mean's is 1."""
        return np.concatenate(
            [np.ones((*scales.shape[:-1], 1)), np.repeat(scales, self.sizes, axis=-1)], axis=-1
        )
