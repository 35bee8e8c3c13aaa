"""The certificate of a repair: how good it is, how good anything could be, and what to do about the rest."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

Exempt = Mapping[str, tuple[int, ...]]


class Status(enum.Enum):
    """How a solve ended; the value is the advice to the user.

    >>> Status.GAP_REACHED.proven
    True
    """

    OPTIMAL = "No policy of this kind does better on these data within the limits."
    GAP_REACHED = "Within the requested gap of the best possible; ask for a smaller gap to go further."
    CONSTANT = (
        "Only accepting everyone or rejecting everyone keeps these limits without coins; "
        "allow coins (method 'derived') or a larger ε."
    )
    TIME_LIMIT = (
        "Stopped before proof: the gap says how much a better policy could still save; give it more time."
    )

    ROUNDING = (
        "As close to proof as rounding allows with rates so near 0 or limits so tight: the gap says how much "
        "a better policy could still save."
    )

    @property
    def proven(self) -> bool:
        """Whether the answer is proven to the gap that was asked for."""
        return self not in (Status.TIME_LIMIT, Status.ROUNDING)


@dataclass(frozen=True)
class Grid:
    """The bins that scores were in: the policy's thresholds lie on their edges, where its rates are exact.

    A threshold inside a bin has rates at most `rate` from those at the edge, in any cell; `auc` bounds the
    error of a cell's AUC that is computed from the bins.

    >>> Grid(10, 0.002, 0.0001).words
    'scores in bins 2^-10 wide: a threshold inside a bin would move a rate by at most 0.002, AUC by 0.0001'
    """

    bits: int
    rate: float
    auc: float

    @property
    def words(self) -> str:
        """The grid in words."""
        return (
            f"scores in bins 2^-{self.bits} wide: a threshold inside a bin would move a rate by at most "
            f"{self.rate:.2g}, AUC by {self.auc:.2g}"
        )


@dataclass(frozen=True)
class Certificate:
    """Objective, proven bound, status, seconds, and the number of nodes or iterations of a solve.

    `exempt` names per limited rate the cells that were left out of it for want of records, `pooled` those
    left out of all of them, which get the best single threshold of the whole population. `grid` says what
    binned scores cost; it is None for exact ones.

    >>> certificate = Certificate(0.14, 0.13, Status.TIME_LIMIT, seconds=1.0, nodes=7)
    >>> round(certificate.gap, 6)
    0.01
    """

    objective: float
    bound: float
    status: Status
    seconds: float
    nodes: int
    exempt: Exempt = field(default_factory=dict)
    pooled: tuple[int, ...] = ()
    grid: Grid | None = None

    @property
    def gap(self) -> float:
        """How much a better policy could still save, in units of the loss."""
        return float(self.objective - self.bound)

    @property
    def advice(self) -> str:
        """What to make of it."""
        return self.status.value
