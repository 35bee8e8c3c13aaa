"""Score rows: records by attributes, label and score; they are many, so all columns are arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.frames import coded
from crossfair.frames.coded import Coded
from crossfair.frames.groups import MOST_GROUPS, NO_NUMBER, Groups, Ints, WeightSums

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreRows:
    """One row per record, or per distinct attributes, label and score. Scores may be NaN or infinite.

    `group` says which of the combinations of attributes and label, listed in `keys` and `label`, a row has.
    `bits` is None for scores of records, else scores are lower edges of bins 2^−bits wide.
    """

    group: Ints
    keys: Sequence[Sequence[Any]]
    label: Sequence[Any]
    score: Floats
    n: Ints
    weights: WeightSums | None
    bits: int | None = None

    @classmethod
    def of(
        cls,
        columns: Sequence[Coded],
        score: Floats,
        n: Ints,
        weights: WeightSums | None,
        bits: int | None = None,
    ) -> Self:
        """Build from the columns of the attributes and, last, the label."""
        group, first = coded.combined(columns)
        *keys, label = (column.at(first) for column in columns)
        return cls(group, keys, label, score, n, weights, bits)

    def unbinned(self, low: Floats, high: Floats) -> Self:
        """Return the rows with their own scores, if the lowest and the highest of each bin are one."""
        same = (low == high) | (np.isnan(low) & np.isnan(high))  # a missing score, or NaN, is none
        return replace(self, score=low, bits=None) if same.all() else self

    def grouped(self) -> tuple[Groups, Ints]:
        """Return groups by attributes, label and whether the score is finite, and the group of each row."""
        finite = np.isfinite(self.score)
        if finite.all():
            group, codes = self.group, np.arange(len(self.label))
            known = np.ones(len(codes), dtype=bool)
        else:
            group, first = coded.compressed(2 * self.group + finite)
            codes, known = self.group[first], finite[first]
        n = np.bincount(group, self.n, len(codes)).astype(np.int64)  # exact: below 2^53 records
        kept = slice(MOST_GROUPS + 1)
        groups = Groups(
            keys=[[column[code] for code in codes[kept]] for column in self.keys],
            label=[self.label[code] for code in codes[kept]],
            prediction=np.where(known[kept], 0, NO_NUMBER).tolist(),
            n=n[kept],
            weights=None if self.weights is None else self.weights.gather(group, len(codes)),
        )
        return groups, group

    def decoded(self, decode: Callable[[Any], Any]) -> Self:
        """Return the rows with the raw values of attributes and label decoded."""
        *keys, label = ([decode(raw) for raw in column] for column in (*self.keys, self.label))
        return replace(self, keys=keys, label=label)
