"""The hierarchical estimator at work on counts: one posterior per quantity, drawn in blocks of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crossfair.epsilon import Extremes
from crossfair.estimators.base import Floats, Mask, stream
from crossfair.rate_counts import RateCounts


@dataclass(frozen=True, eq=False)
class PooledFit:
    """Posteriors of counts, on the scale of the effective number of records; each is fitted once."""

    posterior: Callable[[Floats, Floats], Any]
    draws: int
    seed: int
    fitted: dict[str, Any] = field(default_factory=dict)

    def point(self, counts: RateCounts) -> Floats:
        """The posterior mean of every cell."""
        means: Floats = self._posterior(counts).means
        return means

    def extremes(self, counts: RateCounts, supported: Mask) -> Extremes:
        """Extremes of the drawn rates, and the mixture of the drawn cells as the overall rate."""
        found: Extremes | None = None
        for block, rates in self._draws(counts):
            overall = rates @ counts.shares[block]
            rates[:, ~supported[block]] = np.nan  # left out, without a copy of the others
            part = Extremes.of(rates, overall)
            found = part if found is None else found.merge(part)
        assert found is not None  # there is always one block
        return found

    def draws_of(self, counts: RateCounts, cell: int) -> Floats:
        """The draws of one cell's rate, the same that `extremes` sees."""
        return next(rates[:, cell - block.start] for block, rates in self._draws(counts) if cell < block.stop)

    def words(self, counts: RateCounts) -> str:
        """What was inferred about the prior."""
        words: str = self._posterior(counts).prior
        return words

    def _draws(self, counts: RateCounts) -> Iterator[tuple[slice, Floats]]:
        draws: Iterator[tuple[slice, Floats]] = self._posterior(counts).blocks(
            stream(self.seed, counts.key), self.draws
        )
        return draws

    def _posterior(self, counts: RateCounts) -> Any:
        if counts.key not in self.fitted:
            self.fitted[counts.key] = self.posterior(counts.effective_successes, counts.effective)
        return self.fitted[counts.key]
