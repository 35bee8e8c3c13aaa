"""Score rows: records by attributes, label and score; they are many, so columns are codes and arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.frames import coded
from crossfair.frames.coded import Coded
from crossfair.frames.groups import MOST_GROUPS, NO_NUMBER, Groups, Ints, WeightSums


@dataclass(frozen=True)
class ScoreRows:
    """One row per record, or per distinct attributes, label and score. Scores may be NaN or infinite."""

    keys: Sequence[Coded]
    label: Coded
    score: NDArray[np.float64]
    n: Ints
    weights: WeightSums | None

    def grouped(self) -> tuple[Groups, Ints]:
        """Return groups by attributes, label and whether the score is finite, and the group of each row."""
        finite = Coded(np.isfinite(self.score).astype(np.int64), [NO_NUMBER, 0])
        group, first = coded.combined([*self.keys, self.label, finite])
        kept = first[: MOST_GROUPS + 1]
        n = np.zeros(len(first), dtype=np.int64)
        np.add.at(n, group, self.n)
        groups = Groups(
            keys=[column.at(kept) for column in self.keys],
            label=self.label.at(kept),
            prediction=finite.at(kept),
            n=n[: len(kept)],
            weights=None if self.weights is None else self.weights.gather(group, len(first)),
        )
        return groups, group

    def decoded(self, decode: Callable[[Any], Any]) -> Self:
        """Return the rows with every level of attributes and label decoded."""
        return replace(self, keys=[key.map(decode) for key in self.keys], label=self.label.map(decode))
