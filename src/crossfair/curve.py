"""Curves: per cell, the records of either label at each distinct score, highest first (its ROC steps).

A commutative monoid like counts: the curves of shards and months add up exactly. Exact by default; binned
ones stand on a dyadic grid, where a bin's score is its lower edge, so their rates at the edges are exact.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossfair import curve_file, curve_rows, values
from crossfair.cells import Cells
from crossfair.errors import invalid
from crossfair.fixed import Fixed
from crossfair.ragged import run_sums
from crossfair.shown import Shown, plain
from crossfair.values import Value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FINEST_BITS = 40


@dataclass(frozen=True, eq=False)
class Curves(Shown):
    """Score steps of every cell: `offsets` (cells + 1) delimits them, `scores` falls within a cell.

    `n` holds records per step by label (negative, positive), `weights` their Σw, `squares` Σw² per cell and
    label. `bits` is None for exact scores, else scores are lower edges of bins 2^−bits wide. `positive` is
    the value of the label that counts as positive.

    >>> cells = Cells.of(["sex"], [("F",), ("M",)], {})
    >>> curves = Curves.from_table(cells, [0, 0, 1], [0.2, 0.9, 0.5], [False, True, True], [4, 3, 2])
    >>> curves.scores.tolist(), curves.records.tolist()
    ([0.9, 0.2, 0.5], [[4, 3], [0, 2]])
    """

    cells: Cells
    offsets: Ints
    scores: Floats
    n: Ints
    weights: Fixed | None = None
    squares: Fixed | None = None
    bits: int | None = None
    positive: Value = True
    dropped: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_table(
        cls,
        cells: Cells,
        cell: ArrayLike,
        score: ArrayLike,
        label: ArrayLike,
        n: ArrayLike,
        *,
        weights: Fixed | None = None,
        squares: Fixed | None = None,
        bits: int | None = None,
        positive: Value = True,
        dropped: Mapping[str, int] | None = None,
    ) -> Self:
        """Build from rows in any order: cell position, score, whether the label is positive, records.

        `weights` and `squares` hold Σw and Σw² per row. Rows of equal cell and score are merged. With `bits`
        the scores are lower edges of bins already.
        """
        place, heights = np.asarray(cell, dtype=np.int64), np.asarray(score, dtype=np.float64)
        _check_scores(heights, bits)
        side = np.asarray(label, dtype=np.int64)
        count = curve_rows.by_label(np.asarray(n, dtype=np.int64), side)
        mass = weights
        if weights is not None:
            mass = Fixed(*(curve_rows.by_label(limb, side) for limb in (weights.whole, weights.fraction)))
        built = cls(cells, np.zeros(len(cells) + 1, np.int64), heights, count, mass, None, bits, positive)
        total = None
        if squares is not None:
            flat = squares.gather(2 * place + side, 2 * len(cells))
            total = Fixed(flat.whole.reshape(-1, 2), flat.fraction.reshape(-1, 2))
        return replace(built._merged(cells, place), squares=total, dropped=dict(dropped or {}))

    @property
    def exact(self) -> bool:
        """Whether the scores are the records' own, not bins."""
        return self.bits is None

    @cached_property
    def cell_of_step(self) -> Ints:
        """The cell of each step."""
        return np.repeat(np.arange(len(self.cells)), np.diff(self.offsets))

    @cached_property
    def mass(self) -> Floats:
        """Σw per step by label (negative, positive): the records themselves without weights."""
        return self.n.astype(np.float64) if self.weights is None else self.weights.floats

    @cached_property
    def records(self) -> Ints:
        """Records per cell by label (negative, positive)."""
        return run_sums(self.n, self.offsets)

    @property
    def totals(self) -> Floats:
        """Σw per cell by label (negative, positive)."""
        return run_sums(self.mass, self.offsets)

    @property
    def resolution(self) -> Floats:
        """Bound on the error of each rate, per cell by label: the largest share of the label in one bin.

        A threshold inside a bin is moved to its edge, which moves TPR and FPR by at most this much.
        Exact curves have no such error.
        """
        largest = np.zeros((len(self.cells), 2))
        if not self.exact:
            np.maximum.at(largest, self.cell_of_step, self.mass)
        return np.asarray(np.divide(largest, self.totals, out=largest, where=self.totals > 0))

    @property
    def auc_error(self) -> Floats:
        """Bound on the error of each cell's AUC: half the share of pairs of either label in one bin."""
        if self.exact:
            return np.zeros(len(self.cells))
        pairs = np.bincount(self.cell_of_step, self.mass.prod(axis=1), len(self.cells))
        product = self.totals.prod(axis=1)
        return np.asarray(np.divide(pairs, 2 * product, out=np.zeros_like(pairs), where=product > 0))

    def check_thresholds(self, thresholds: ArrayLike, argument: str = "threshold") -> None:
        """Refuse thresholds inside a bin: which of its records they accept cannot be told from bins.

        >>> cells = Cells.of(["sex"], [("F",)], {})
        >>> binned = Curves.from_table(cells, [0], [0.25], [True], [1], bits=2)
        >>> binned.check_thresholds(0.5)
        >>> binned.check_thresholds(0.6)
        Traceback (most recent call last):
        ...
        crossfair.errors.InputError: threshold: must lie on the grid of the binned scores, ... got 0.6. ...
        """
        if self.bits is None:
            return
        asked = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
        steps = np.ldexp(asked, self.bits)
        inside = asked[steps != np.floor(steps)]
        if len(inside):
            rule = f"must lie on the grid of the binned scores, multiples of 2^-{self.bits}"
            raise invalid(argument, rule, got=float(inside[0]),
                          hint="Read exact curves, or choose a threshold on the grid.")  # fmt: skip

    def counts_at(self, threshold: float) -> tuple[Ints, Floats]:
        """Return records and weight sums over [cell, label, prediction], predicting score ≥ threshold."""
        self.check_thresholds(threshold)
        above = (self.scores >= threshold)[:, None]
        sides = (~above, above)
        n = np.stack([run_sums(self.n * side, self.offsets) for side in sides], axis=2)
        mass = np.stack([run_sums(self.mass * side, self.offsets) for side in sides], axis=2)
        return n, mass

    def quantise(self, *, bins: int) -> Self:
        """Return the curves on a dyadic grid of `bins` (a power of two) equal bins per unit of score.

        The grid is the same for all data, so binned curves still add up; `resolution` and `auc_error`
        bound what it costs.

        >>> cells = Cells.of(["sex"], [("F",)], {})
        >>> fine = Curves.from_table(cells, [0, 0], [0.30, 0.26], [True, False], [1, 1])
        >>> fine.quantise(bins=4).scores.tolist()
        [0.25]
        """
        bits = bins.bit_length() - 1
        if bins < 1 or 2**bits != bins or bits > FINEST_BITS:
            raise invalid("bins", f"must be a power of two up to 2**{FINEST_BITS}", got=bins)
        if self.bits is not None and bits > self.bits:
            raise invalid("bins", "binned curves cannot be made finer", got=f"{bins} from {2**self.bits}")
        binned = replace(self, scores=np.floor(self.scores * bins) / bins, bits=bits)
        return binned._merged(self.cells, self.cell_of_step)

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, Curves):
            return NotImplemented
        self._check_alike(other)
        cells, mine, theirs = self.cells.union(other.cells)
        squares = None
        if self.squares is not None and other.squares is not None:
            squares = self.squares.gather(mine, len(cells)) + other.squares.gather(theirs, len(cells))
        reasons = sorted({*self.dropped, *other.dropped})
        both = replace(
            self,
            scores=np.concatenate([self.scores, other.scores]),
            n=np.concatenate([self.n, other.n]),
            weights=_joined(self.weights, other.weights),
            squares=squares,
            dropped={
                reason: self.dropped.get(reason, 0) + other.dropped.get(reason, 0) for reason in reasons
            },
        )
        return both._merged(cells, np.concatenate([mine[self.cell_of_step], theirs[other.cell_of_step]]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curves):
            return NotImplemented
        mine, theirs = curve_file.arrays(self), curve_file.arrays(other)
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[key], theirs[key]) for key in mine)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        scores = "distinct scores" if self.exact else f"bins of scores, 2^{self.bits} per unit"
        cells = f"{len(self.cells):,} cells of {plain(', '.join(self.cells.by))}"
        return f"<Curves: {self.records.sum():,} records in {cells}; {len(self.scores):,} {scores}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the curves to a file, whole or not at all."""
        curve_file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read curves from a file written by `save`; a damaged or newer file is refused."""
        return curve_file.load(cls, path)

    def _check_alike(self, other: Self) -> None:
        if self.bits != other.bits:
            raise invalid(
                "curves",
                "must stand on the same grid of scores to be added",
                got=f"{_grid(self)} and {_grid(other)}",
                hint="Quantise both to the same number of bins first.",
            )
        if (self.weights is None) != (other.weights is None):
            raise invalid("weight", "curves with weights and curves without do not add up", got="one of each")
        matched = values.match([self.positive], [other.positive], "positive")
        if not matched:
            raise invalid(
                "positive",
                "both curves must have the same positive outcome",
                got=f"{self.positive!r} and {other.positive!r}",
            )

    def _merged(self, cells: Cells, place: Ints) -> Self:
        """The same rows in order, those of equal cell and score added up."""
        offsets, scores, n, weights = curve_rows.merged(place, self.scores, self.n, self.weights, len(cells))
        return replace(self, cells=cells, offsets=offsets, scores=scores, n=n, weights=weights)


def _check_scores(scores: Floats, bits: int | None) -> None:
    if not np.isfinite(scores).all():
        raise invalid(
            "score", "must be finite numbers", got="NaN or infinity", hint="Drop or fill these records first."
        )
    if bits is not None and (np.ldexp(scores, bits) != np.floor(np.ldexp(scores, bits))).any():
        raise invalid("score", f"binned scores must be lower edges of bins 2^-{bits} wide", got="others")


def _joined(left: Fixed | None, right: Fixed | None) -> Fixed | None:
    if left is None or right is None:
        return None
    limbs = ((left.whole, right.whole), (left.fraction, right.fraction))
    return Fixed(*(np.concatenate(pair) for pair in limbs))


def _grid(curves: Curves) -> str:
    return "exact scores" if curves.bits is None else f"{2**curves.bits} bins per unit"
