"""The cheapest point of every cell's polygon under bounds on its sides, with multipliers that prove it.

For a given number x of accepted negatives, more accepted positives are never worse, so y is as large as the
upper chain f and the bounds allow, and the loss is convex in x. The best x is the best of the whole polygon,
moved into the interval that the bounds leave. Ends of that interval that rounding alone has crossed count
as one point; relative to the rate that is far less than any limit can notice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.levels import BOTH, NEGATIVES, POSITIVES, Sides
from crossfair.mitigation.polygons import Chain, Polygons
from crossfair.mitigation.ragged import search

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Points:
    """A point per cell, whether the bounds leave one, and multipliers on them (directions, cells).

    Where a cell has no point its multipliers are a ray that proves it.
    """

    x: Floats
    y: Floats
    feasible: Bools
    least: Floats
    most: Floats


@dataclass(frozen=True, eq=False)
class End:
    """An end of the interval for x, and the multipliers on the bounds that put it there."""

    x: Floats
    least: Floats
    most: Floats


class Oracle:
    """Polygons with their costs per accepted weight: `cost` for a negative, `gain` for a positive.

    `slack` is the rounding of the bounds of each cell, in units of weight.
    """

    def __init__(self, shapes: Polygons, cost: float, gain: float, slack: Floats | float = 0.0) -> None:
        self._slack = slack
        self.upper, self.lower = shapes.upper, shapes.lower
        self.cost, self.gain, self.cells = cost, gain, shapes.cells
        self._keys = {
            (chain, key): chain.x + chain.y if key == "sum" else getattr(chain, key)
            for chain in (self.upper, self.lower)
            for key in ("x", "y", "sum")
        }
        self._fall = -self.upper.slope
        corner = self._support(np.full(self.cells, cost), np.full(self.cells, -gain))
        self._best_x = corner[0]

    def points(self, sides: Sides) -> Points:
        """Return the cheapest point of each cell."""
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high, cap = self._low(sides), self._high(sides), self._cap(sides.most)
            feasible = low.x <= high.x + (self._slack + ROUNDING * np.abs(high.x))
            feasible &= (sides.least <= sides.most + (self._slack + ROUNDING * np.abs(sides.most))).all(axis=0)
            x = np.where(feasible, np.maximum(np.minimum(cap.x, high.x), low.x), self._best_x)
            y, held, marginal = self._best_y(x, sides.most)
        raised = np.where(x > cap.x, np.maximum(marginal, 0.0), 0.0)
        lowered = np.where(x < cap.x, np.maximum(-marginal, 0.0), 0.0)
        least = raised * low.least + lowered * high.least
        most = raised * low.most + lowered * high.most + np.where(x > cap.x, held, 0.0)
        most = np.where(x == cap.x, cap.most, most)
        ray = _rays(low, high, sides)
        return Points(
            x, y, feasible, np.where(feasible, least, ray.least), np.where(feasible, most, ray.most)
        )

    def dual(self, least: Floats, most: Floats, *, free: bool = False) -> Floats:
        """Return per cell the least of cost + multipliers over its whole polygon (without cost, if `free`)."""
        both = most[BOTH] - least[BOTH]
        a = most[NEGATIVES] - least[NEGATIVES] + both + (0.0 if free else self.cost)
        b = most[POSITIVES] - least[POSITIVES] + both - (0.0 if free else self.gain)
        x, y = self._support(a, b)
        return np.asarray(a * x + b * y)

    def _support(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """The corner of each polygon with the least a·x + b·y."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where((a == 0) & (b == 0), np.inf, -a / b)
        ratio = np.where((b == 0) & (a != 0), np.copysign(np.inf, a), ratio)
        up = search(self._fall, self.upper.first, self.upper.last, -ratio, right=False)
        down = search(self.lower.slope, self.lower.first, self.lower.last, ratio, right=False)
        above = b <= 0
        return (
            np.where(above, self.upper.x[up], self.lower.x[down]),
            np.where(above, self.upper.y[up], self.lower.y[down]),
        )

    def _reach(self, chain: Chain, key: str, value: Floats, *, right: bool) -> tuple[Floats, Floats]:
        """Where a chain reaches a value of x, y or x + y: x there, and the slope of that edge.

        From the left the first such place, from the right the last; beyond its ends ±∞ with slope 1.
        """
        keys = self._keys[chain, key]
        edge = search(keys, chain.first, chain.last, value, right=right) - 1
        edge = np.clip(edge, chain.first, np.maximum(chain.last - 1, chain.first))
        after = np.minimum(edge + 1, chain.last)
        width = keys[after] - keys[edge]
        share = np.where(width > 0, np.clip((value - keys[edge]) / width, 0.0, 1.0), float(right))
        x = chain.x[edge] + share * (chain.x[after] - chain.x[edge])
        slope = chain.slope[edge]
        outside = value < keys[chain.first] if right else value > keys[chain.last]
        return np.where(outside, -np.inf if right else np.inf, x), np.where(outside, 1.0, slope)

    def _low(self, sides: Sides) -> End:
        least, most = sides.least, sides.most
        by_y, slope_y = self._reach(self.upper, "y", least[POSITIVES], right=False)
        by_sum, slope_sum = self._reach(self.upper, "sum", least[BOTH], right=False)
        ends = (self.upper.x[self.upper.first], least[NEGATIVES], by_y, by_sum, least[BOTH] - most[POSITIVES])
        x, which = _extreme(ends, np.argmax)
        return _end(x, which, slope_y, slope_sum, least_first=True)

    def _high(self, sides: Sides) -> End:
        least, most = sides.least, sides.most
        by_y, slope_y = self._reach(self.lower, "y", most[POSITIVES], right=True)
        by_sum, slope_sum = self._reach(self.lower, "sum", most[BOTH], right=True)
        ends = (self.upper.x[self.upper.last], most[NEGATIVES], by_y, by_sum, most[BOTH] - least[POSITIVES])
        x, which = _extreme(ends, np.argmin)
        return _end(x, which, slope_y, slope_sum, least_first=False)

    def _cap(self, most: Floats) -> End:
        """The best x where only the upper bounds on y and x + y count."""
        by_y, slope_y = self._reach(self.upper, "y", most[POSITIVES], right=False)
        by_sum, slope_sum = self._reach(self.upper, "sum", most[BOTH], right=False)
        sum_first = (by_sum < by_y) | ((by_sum == by_y) & (most[BOTH] - by_sum < most[POSITIVES]))
        x = np.minimum(np.minimum(by_y, by_sum), self._best_x)
        capped = np.minimum(by_y, by_sum) <= self._best_x  # a tie on an upright edge is still held by a bound
        held = np.zeros((3, self.cells))
        by_edge = np.where(np.isinf(slope_sum), self.gain, (self.gain * slope_sum - self.cost) / (1 + slope_sum))
        held[BOTH] = np.where(capped & sum_first, np.maximum(by_edge, 0.0), 0.0)
        by_edge = self.gain - self.cost / slope_y
        held[POSITIVES] = np.where(capped & ~sum_first, np.maximum(by_edge, 0.0), 0.0)
        return End(x, np.zeros((3, self.cells)), held)

    def _best_y(self, x: Floats, most: Floats) -> tuple[Floats, Floats, Floats]:
        """The largest y at x, the multipliers of what holds it, and the marginal loss after x."""
        chain = self.upper
        edge = search(chain.x, chain.first, chain.last + 1, x, right=True) - 1
        edge = np.maximum(edge, chain.first)
        after = np.minimum(edge + 1, chain.last)
        width = chain.x[after] - chain.x[edge]
        share = np.where(width > 0, np.clip((x - chain.x[edge]) / width, 0.0, 1.0), 0.0)
        chain_y = chain.y[edge] + share * (chain.y[after] - chain.y[edge])
        ends = (most[BOTH] - x, most[POSITIVES], chain_y)
        y, which = _extreme(ends, np.argmin)
        held = np.zeros((3, self.cells))
        held[BOTH], held[POSITIVES] = np.where(which == 0, self.gain, 0.0), np.where(which == 1, self.gain, 0.0)
        right_slope = np.where(edge < chain.last, chain.slope[edge], 0.0)
        fall = np.where(which == 0, -1.0, np.where(which == 1, 0.0, right_slope))
        return y, held, self.cost - self.gain * fall


def _extreme(ends: tuple[Floats, ...], pick: object) -> tuple[Floats, Ints]:
    table = np.stack(ends)
    which = table.argmax(axis=0) if pick is np.argmax else table.argmin(axis=0)
    return np.take_along_axis(table, which[None], axis=0)[0], which


def _end(x: Floats, which: Ints, slope_y: Floats, slope_sum: Floats, *, least_first: bool) -> End:
    """The multipliers per unit of x of the bound that sets an end: of x, of y, of x + y, or of the last two."""
    own, other = np.zeros((3, len(x))), np.zeros((3, len(x)))
    own[NEGATIVES] = which == 1
    own[POSITIVES] = np.where(which == 2, 1 / slope_y, 0.0)
    own[BOTH] = np.where(which == 3, 1 / (1 + slope_sum), which == 4)
    other[POSITIVES] = which == 4
    return End(x, own, other) if least_first else End(x, other, own)


def _rays(low: End, high: End, sides: Sides) -> End:
    """Multipliers that prove that a cell has no point: the two ends that cross, or two bounds that do."""
    lone_low, lone_high = np.isposinf(low.x), np.isneginf(high.x) & ~np.isposinf(low.x)
    least = low.least * ~lone_high + high.least * ~lone_low
    most = low.most * ~lone_high + high.most * ~lone_low
    crossed = sides.least > sides.most
    some = crossed.any(axis=0)
    return End(low.x, np.where(some, crossed, least), np.where(some, crossed, most))
