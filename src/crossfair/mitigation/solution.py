"""What a repair returns: a step function of the score per policy, what it accepts, a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.certificate import Certificate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Acceptance:
    """Per policy group, ascending breaks t₁ < … < t_k and probabilities p₀ … p_k: a score ≥ tᵢ takes pᵢ.

    `offsets` (groups + 1) delimits the breaks of each group; its probabilities are one more than its breaks.

    >>> everyone = Acceptance(np.array([0, 1]), np.array([0.5]), np.array([0.0, 1.0]))
    >>> everyone.of(0)
    (array([0.5]), array([0., 1.]))
    """

    offsets: Ints
    breaks: Floats
    probabilities: Floats

    @property
    def groups(self) -> int:
        """Number of policies."""
        return len(self.offsets) - 1

    def of(self, group: int) -> tuple[Floats, Floats]:
        """Return the breaks and the probabilities of one policy."""
        start, end = self.offsets[group], self.offsets[group + 1]
        return self.breaks[start:end], self.probabilities[start + group : end + group + 1]

    @classmethod
    def join(cls, policies: Sequence[tuple[Floats, Floats]]) -> Self:
        """Lay single policies, as `of` returns them, end to end."""
        lengths = [len(breaks) for breaks, _ in policies]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(offsets, *(np.concatenate(column) for column in zip(*policies)))


@dataclass(frozen=True, eq=False)
class Solution:
    """The acceptance per policy, the expected accepted weight per cell by label, and the certificate."""

    acceptance: Acceptance
    accepted: Floats
    certificate: Certificate

    @property
    def objective(self) -> float:
        """The expected loss (and penalty, where there is one)."""
        return self.certificate.objective
