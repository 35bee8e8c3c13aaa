"""The problem as arrays: steps per cell, limits on rates, the loss. No solver here.

A policy gives cell s an expected weight of accepted positives TP and accepted negatives FP. Every limited
rate is linear in the two: (accepted + α) / (all + α + β) over the labels of the rate's denominator, and the
rate of rejection is exactly one minus that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair import checks
from crossfair.curve import Curves
from crossfair.errors import invalid
from crossfair.metrics import Rate
from crossfair.ragged import blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


SMALLEST_COST, LARGEST_COST = 1e-100, 1e100
LARGEST_EPSILON = 20.0
SMALLEST_PRIOR, LARGEST_PRIOR = 1e-6, 1e3


@dataclass(frozen=True)
class Loss:
    """What a wrong decision costs: accepting a negative, rejecting a positive.

    >>> Loss.utility(0.25)
    Loss(false_positive=0.25, false_negative=0.75)
    """

    false_positive: float = 1.0
    false_negative: float = 1.0

    def __post_init__(self) -> None:
        for name in ("false_positive", "false_negative"):
            cost = getattr(self, name)
            if not (checks.real(cost) and 0 <= cost < math.inf):
                raise invalid(f"loss: {name}", "a cost must be a finite number, 0 or more", got=cost)
            cost = float(cost)
            if cost and not SMALLEST_COST <= cost <= LARGEST_COST:
                rule = f"a cost above 0 must lie between {SMALLEST_COST:g} and {LARGEST_COST:g}"
                raise invalid(f"loss: {name}", rule, got=cost, hint="Only the ratio of the costs matters.")
            object.__setattr__(self, name, cost)
        if self.false_positive == self.false_negative == 0:
            raise invalid(
                "loss",
                "one of the two costs must be above 0",
                got="0 and 0",
                hint="Use Loss(1, 1) for errors.",
            )

    @classmethod
    def utility(cls, c: float) -> Self:
        """Return the loss whose minimiser maximises the utility E[YỸ − cỸ], for 0 < c < 1."""
        if not (checks.real(c) and 0 < c < 1):
            raise invalid("loss: utility", "the cost of a positive decision must lie between 0 and 1", got=c)
        return cls(false_positive=c, false_negative=1 - c)


@dataclass(frozen=True)
class Limit:
    """A limit on one rate: log(max over cells / min over cells) ≤ epsilon.

    >>> from crossfair.metrics import rate
    >>> limit = Limit("fnr_parity", rate("fnr"), 0.2)
    >>> limit.labels, limit.rejection
    ((False, True), True)
    """

    metric: str
    rate: Rate
    epsilon: float

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            rule = "the limit on ε must be a number, 0 or more"
            raise invalid(f"limits: {self.metric}", rule, got=self.epsilon)

    @property
    def labels(self) -> tuple[bool, bool]:
        """Whether negatives, and positives, are in the rate's denominator."""
        mask = self.rate.denominator
        return bool(mask[0].any()), bool(mask[1].any())

    @property
    def rejection(self) -> bool:
        """Whether the rate counts the rejected, as FNR and TNR do."""
        return bool(self.rate.numerator[:, 0].any())


@dataclass(frozen=True, eq=False)
class Problem:
    """Cells with their score steps, the limits, the loss, and what the policy may depend on.

    `offsets` (cells + 1) delimits each cell's steps; `scores` falls strictly within a cell; `mass` is the
    weight per step by label (negative, positive); `records` the number of records per cell by label;
    `group` names the policy each cell follows (each its own, unless decide_by says otherwise).
    """

    offsets: Ints
    scores: Floats
    mass: Floats
    records: Ints
    limits: tuple[Limit, ...]
    loss: Loss
    group: Ints
    monotone: bool = True
    min_support: int = 10
    alpha: float = 0.01
    beta: float = 0.01

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not (checks.real(value) and 0 <= value < math.inf):
                raise invalid(name, "must be a finite number, 0 or more", got=value)
            if value and not SMALLEST_PRIOR <= value <= LARGEST_PRIOR:
                rule = f"must be 0, or lie between {SMALLEST_PRIOR:g} and {LARGEST_PRIOR:g}"
                raise invalid(name, rule, got=value, hint="0.01 and 1/3 are usual.")
        if self.min_support < 0:
            raise invalid("min_support", "must be 0 or more", got=self.min_support)
        object.__setattr__(self, "limits", tuple(map(self._stated, self.limits)))

    def _stated(self, limit: Limit) -> Limit:
        """Return a limit that no rates of these cells can exceed as none; refuse one too large to certify."""
        if limit.epsilon <= LARGEST_EPSILON or math.isinf(limit.epsilon):
            return limit
        if limit.epsilon >= self.farthest:
            return replace(limit, epsilon=math.inf)
        raise invalid(
            f"limits: {limit.metric}",
            f"the limit on ε must be at most {LARGEST_EPSILON:g}, or infinite for no limit",
            got=limit.epsilon,
            hint="Rates that far apart differ by a factor of 500 million.",
        )

    @property
    def farthest(self) -> float:
        """An ε that no two smoothed rates exceed: that of accepting nobody beside everybody."""
        least = min(self.alpha, self.beta)
        largest = float(self.totals.sum(axis=1).max(initial=0.0)) + self.alpha + self.beta
        return math.log(largest / least) if least > 0 else math.inf

    @property
    def steepest(self) -> float:
        """An ε that no two positive rates of thresholds exceed: the lightest step beside everybody."""
        least = min(prior if prior > 0 else self.lightest for prior in (self.alpha, self.beta))
        return math.log((float(self.totals.sum(axis=1).max()) + self.alpha + self.beta) / least)

    @classmethod
    def from_curves(
        cls,
        curves: Curves,
        limits: tuple[Limit, ...],
        loss: Loss | None = None,
        *,
        group: Ints | None = None,
        monotone: bool = True,
        min_support: int = 10,
        alpha: float = 0.01,
        beta: float = 0.01,
    ) -> Self:
        """Build from curves; `group` gives each cell the policy it shares (None: each its own)."""
        own = np.arange(len(curves.cells), dtype=np.int64)
        return cls(
            curves.offsets,
            curves.scores,
            curves.mass,
            curves.records,
            limits,
            loss or Loss(),
            own if group is None else group,
            monotone,
            min_support,
            alpha,
            beta,
        )

    @classmethod
    def from_counts(
        cls,
        n: Ints,
        limits: tuple[Limit, ...],
        loss: Loss | None = None,
        *,
        mass: Floats | None = None,
        group: Ints | None = None,
        monotone: bool = False,
        min_support: int = 10,
        alpha: float = 0.01,
        beta: float = 0.01,
    ) -> Self:
        """Build from counts of a binary prediction, records (and weight sums) over [cell, label, prediction].

        The prediction is then a score with two values, 1 and 0.
        """
        cells = len(n)
        weight = np.asarray(n if mass is None else mass, dtype=np.float64)
        steps = weight[:, :, ::-1].transpose(0, 2, 1).reshape(2 * cells, 2)
        own = np.arange(cells, dtype=np.int64)
        return cls(
            2 * np.arange(cells + 1, dtype=np.int64),
            np.tile([1.0, 0.0], cells),
            steps,
            n.sum(axis=2).astype(np.int64),
            limits,
            loss or Loss(),
            own if group is None else group,
            monotone,
            min_support,
            alpha,
            beta,
        )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.offsets) - 1

    @cached_property
    def cell_of_step(self) -> Ints:
        """The cell of each step."""
        return np.repeat(np.arange(self.cells), np.diff(self.offsets))

    @cached_property
    def lightest(self) -> float:
        """The least positive weight of a step."""
        return min(_lightest(self.mass[self.offsets[a] : self.offsets[b]]) for a, b in blocks(self.offsets))

    @cached_property
    def totals(self) -> Floats:
        """Weight per cell by label (negative, positive)."""
        return self.sums(self.mass)

    def sums(self, per_step: Floats) -> Floats:
        """Add up a table (steps, labels) over each cell's steps, one by one.

        So do running sums; then everyone less all that are accepted is 0 to the last bit.
        """
        columns = [np.bincount(self.cell_of_step, column, self.cells) for column in per_step.T]
        return np.stack(columns, axis=1).astype(np.float64)

    @cached_property
    def exempt(self) -> Bools:
        """Whether a cell is exempt from a limit, as (limits, cells): it has too few records for the rate."""
        rows = []
        for limit in self.limits:
            chosen = np.array(limit.labels)
            few = self.records[:, chosen].sum(axis=1) < self.min_support
            rows.append(few | ~(self.totals[:, chosen].sum(axis=1) > 0))
        return np.array(rows, dtype=np.bool_).reshape(len(self.limits), self.cells)

    @cached_property
    def free(self) -> Bools:
        """Cells exempt from every limit, in groups that hold no other: they get the pooled threshold."""
        bound = ~self.exempt.all(axis=0) if self.limits else self.records.sum(axis=1) > 0
        groups = np.bincount(self.group, bound, int(self.group.max()) + 1) > 0
        return np.asarray(~groups[self.group])

    def expected_loss(self, accepted: Floats) -> float:
        """Expected loss per unit of weight, from the accepted weight (cells, 2) by label."""
        wrong = accepted[:, 0].sum() * self.loss.false_positive
        missed = (self.totals[:, 1] - accepted[:, 1]).sum() * self.loss.false_negative
        return float((wrong + missed) / self.totals.sum())

    def with_epsilons(self, epsilons: list[float]) -> Self:
        """Return the same problem under other limits on the same rates."""
        limits = tuple(replace(limit, epsilon=epsilon) for limit, epsilon in zip(self.limits, epsilons))
        return self.asking(limits=limits)

    def asking(self, **changes: Any) -> Self:
        """Return the same steps under other limits or another loss, with what is known of the steps."""
        other = replace(self, **changes)
        known = ("cell_of_step", "lightest", "totals")
        other.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
        return other


def _lightest(mass: Floats) -> float:
    return float(mass[mass > 0].min(initial=np.inf))
