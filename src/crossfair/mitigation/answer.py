"""What a solver hands back before the certificate: policies, what they accept, the loss and its bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.budget import Budget
from crossfair.mitigation.certificate import Status
from crossfair.mitigation.solution import Acceptance

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Answer:
    """A policy per group, the expected accepted weight (cells, 2), the loss, its bound, and how it ended."""

    acceptance: Acceptance
    accepted: Floats
    objective: float
    bound: float
    nodes: int
    status: Status


def ended(gap: float, budget: Budget, precision: float) -> Status:
    """The status of a solve that leaves this gap, where rounding alone leaves `precision`."""
    if gap <= precision:
        return Status.OPTIMAL
    if gap <= budget.gap:
        return Status.GAP_REACHED
    return Status.TIME_LIMIT if budget.spent else Status.ROUNDING
