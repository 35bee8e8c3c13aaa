"""Branch and bound over boxes of levels, for cells whose decisions are thresholds."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.budget import Budget
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.threshold_grid import Choice, Grid, Range

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

KEPT = 1e-11
NARROWEST = 1e-13


@dataclass(order=True, frozen=True)
class Box:
    """Levels between `low` and `high`, a point inside, and what the loosest bounds in it admit.

    `cost` is that of the cheapest thresholds admitted, which violate the limits in `violated`; `own` holds
    the range of thresholds of every cell.
    """

    cost: float
    number: int
    low: Floats = field(compare=False)
    high: Floats = field(compare=False)
    point: Floats = field(compare=False)
    violated: Bools = field(compare=False)
    own: Range = field(compare=False)


class BoxSearch:
    """The search: `best` is the cheapest choice within the limits so far, `bound` the least cost possible."""

    def __init__(self, grid: Grid, levels: Levels) -> None:
        self.grid, self.levels = grid, levels
        self.best: Choice | None = None
        self.nodes = 0
        self._open: list[Box] = []
        self._narrow = np.inf  # bound of boxes too narrow to be split

    @property
    def bound(self) -> float:
        """The least cost that any thresholds within the limits can have."""
        top = self._open[0].cost if self._open else np.inf
        return min(top, self._narrow, np.inf if self.best is None else self.best.cost)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to look at."""
        return not self._open and not np.isfinite(self._narrow)

    def run(self, budget: Budget, scale: float) -> None:
        """Search until the bound meets the best, or the budget ends; costs times `scale` are losses."""
        for low, high in self._roots():
            self._enter(low, high, self.grid.everything)
        while self._open:
            best = np.inf if self.best is None else self.best.cost
            budget.report(scale * best, scale * self.bound, self.nodes)
            if self._open[0].cost >= best or budget.met(scale * best, scale * self.bound) or budget.spent:
                return
            self._split(heapq.heappop(self._open))

    def _roots(self) -> list[tuple[Floats, Floats]]:
        """The boxes to begin with: levels from below the least positive rate, or 0 where rates can be 0."""
        options = []
        for prior in self.levels.priors:
            least = prior if prior > 0 else self.grid.problem.lightest
            some = (least / self.levels.largest / 2, 1.0)
            options.append([some] if prior > 0 else [some, (0.0, 0.0)])
        return [
            (np.array([low for low, _ in sides]), np.array([high for _, high in sides]))
            for sides in itertools.product(*options)
        ]

    def _enter(self, low: Floats, high: Floats, within: Range) -> None:
        """Solve a box if its own minimisers keep the limits, discard it if it is empty, else keep it open."""
        self.nodes += 1
        own = self.grid.admissible(self.levels, self.levels.sides(low, high), within)
        if (own[0] > own[1]).any():
            return
        among = self.grid.of_policies(own)
        if (among[0] > among[1]).any():
            return
        choice = self.grid.cheapest(among)
        if self.best is not None and choice.cost >= self.best.cost:
            return
        violated, least = self._violated(choice)
        if not violated.any():
            self.best = choice
            return
        low, high = self._tightened(low, high, own)
        if (low <= high).all():
            middle = np.clip(least, low, high)
            box = Box(choice.cost, self.nodes, low, high, middle, violated, own)
            heapq.heappush(self._open, box)

    def _tightened(self, low: Floats, high: Floats, own: Range) -> tuple[Floats, Floats]:
        """The levels in a box that the rates at the ends of the admissible ranges leave.

        A level may be taken as the least rate, and no cell can have less than its least admissible rate.
        """
        least, most = self.levels.rate_range(*(self.grid.accepted(end) for end in own))
        floor = np.maximum(
            least.min(axis=1),
            least.max(axis=1, initial=-np.inf, where=np.isfinite(least)) / self.levels.factors,
        )
        ceiling = most.min(axis=1, initial=np.inf, where=np.isfinite(most))
        return np.maximum(low, floor * (1 - KEPT)), np.minimum(high, ceiling * (1 + KEPT))

    def _violated(self, choice: Choice) -> tuple[Bools, Floats]:
        least, most = self.levels.rate_range(choice.accepted)
        lowest = least.min(axis=1)
        return most.max(axis=1) > self.levels.factors * lowest * (1 + KEPT), lowest

    def _split(self, box: Box) -> None:
        """Try two points of the box, then halve its widest violated side on the logarithmic scale."""
        middle = np.sqrt(box.low * box.high)
        for point in (middle, box.point):
            self._enter(point, point, box.own)
        width = np.full(len(middle), -1.0)
        width[box.violated] = np.log(box.high[box.violated] / box.low[box.violated])
        side = int(width.argmax())
        if width[side] < NARROWEST:
            self._narrow = min(self._narrow, box.cost)
            return
        upper, lower = box.low.copy(), box.high.copy()
        upper[side] = lower[side] = middle[side]
        self._enter(box.low, lower, box.own)
        self._enter(upper, box.high, box.own)
