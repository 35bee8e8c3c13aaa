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
from crossfair.ragged import search, upto

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

Place = tuple[Floats, Floats]  # x where a chain reaches a value, and the slope of its edge there

ROUNDING = 1e-12
ULPS = 2e-15  # a bound this close to the end of a chain is meant to be that end


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

    `base` is the loss when nobody is accepted, `floor` the least loss without any bounds, `slack` the
    rounding of each cell's bounds in weight.
    """

    def __init__(self, shapes: Polygons, cost: float, gain: float, *, base: float, slack: Floats) -> None:
        self.base, self._slack = base, slack
        self.upper, self.lower = shapes.upper, shapes.lower
        self.cost, self.gain, self.cells = cost, gain, shapes.cells
        upper, lower = self.upper, self.lower
        self._size = len(upper.x)
        keys = (upper.y, upper.x + upper.y, lower.y, lower.x + lower.y)
        self._reach_keys = np.concatenate(keys)
        self._reach_base = np.cumsum([0, self._size, self._size, len(lower.x)])
        self._slopes = np.concatenate([-upper.slope, lower.slope])
        corner = self._support(np.full(self.cells, cost), np.full(self.cells, -gain))
        self._best_x = corner[0]
        none = np.zeros((3, self.cells))
        self.floor = base + float(self.dual(none, none).sum())

    def points(self, sides: Sides) -> Points:
        """Return the cheapest point of each cell."""
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high, cap, free = self._ends(sides)
            crossed = sides.least > sides.most + (self._slack + ROUNDING * np.abs(sides.most))
            feasible = low.x <= high.x + (self._slack + ROUNDING * np.abs(high.x))
            feasible &= ~crossed.any(axis=0)
            x = np.where(feasible, np.maximum(np.minimum(cap.x, high.x), low.x), self._best_x)
            y, held, marginal = self._best_y(x, sides.most, free)
        raised = np.where(x > cap.x, np.maximum(marginal, 0.0), 0.0)
        lowered = np.where(x < cap.x, np.maximum(-marginal, 0.0), 0.0)
        least = raised * low.least + lowered * high.least
        most = raised * low.most + lowered * high.most + np.where(x > cap.x, held, 0.0)
        most = np.where(x == cap.x, cap.most, most)
        ray = _rays(low, high, crossed)
        return Points(
            x, y, feasible, np.where(feasible, least, ray.least), np.where(feasible, most, ray.most)
        )

    def dual(self, least: Floats, most: Floats, *, free: bool = False) -> Floats:
        """Return per cell the least of cost + multipliers over its polygon (without the cost, if `free`)."""
        both = most[BOTH] - least[BOTH]
        a = most[NEGATIVES] - least[NEGATIVES] + both + (0.0 if free else self.cost)
        b = most[POSITIVES] - least[POSITIVES] + both - (0.0 if free else self.gain)
        x, y = self._support(a, b)
        return np.asarray(a * x + b * y)

    def _support(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """The corner of each polygon with the least a·x + b·y."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            ratio = np.where((a == 0) & (b == 0), np.inf, -a / b)
        ratio = np.where((b == 0) & (a != 0), np.copysign(np.inf, a), ratio)
        above = b <= 0
        first = np.where(above, self.upper.first, self._size + self.lower.first)
        last = np.where(above, self.upper.last, self._size + self.lower.last)
        corner = search(self._slopes, first, last, np.where(above, -ratio, ratio))
        up, down = np.where(above, corner, 0), np.where(above, 0, corner - self._size)
        return (
            np.where(above, self.upper.x[up], self.lower.x[down]),
            np.where(above, self.upper.y[up], self.lower.y[down]),
        )

    def _reach(self, queries: list[tuple[int, Floats]], *, right: bool) -> list[Place]:
        """Where chains reach values: of y or x + y on the upper chain (0, 1) or on the lower (2, 3).

        From the left the first such place, from the right the last; beyond the ends ±∞ with slope 1.
        """
        chains = [(self.upper, self.lower)[kind // 2] for kind, _ in queries]
        first = np.stack([chain.first for chain in chains])
        last = np.stack([chain.last for chain in chains])
        base = self._reach_base[[kind for kind, _ in queries]][:, None]
        value = np.stack([wanted for _, wanted in queries])
        ends = self._reach_keys[base + (first if right else last)]
        near = np.abs(value - ends) <= self._slack + ULPS * np.abs(ends)
        value = np.where(near, ends, value)
        target = upto(value) if right else value
        found = search(self._reach_keys, (base + first).ravel(), (base + last).ravel(), target.ravel())
        edge = np.maximum(found.reshape(first.shape) - 1 - base, first)
        edge = np.minimum(edge, np.maximum(last - 1, first))
        return [
            self._place(kind, chain, e, v, right=right)
            for (kind, _), chain, e, v in zip(queries, chains, edge, value)
        ]

    def _place(self, kind: int, chain: Chain, edge: Ints, value: Floats, *, right: bool) -> Place:
        keys = self._reach_keys[self._reach_base[kind] :]
        after = np.minimum(edge + 1, chain.last)
        start, width = keys[edge], keys[after] - keys[edge]
        share = np.where(width > 0, np.clip((value - start) / width, 0.0, 1.0), float(right))
        x = np.where(share < 1, chain.x[edge] + share * (chain.x[after] - chain.x[edge]), chain.x[after])
        x = np.where(np.isposinf(value), np.inf, x)  # no bound must not seem to be one by rounding
        outside = value < keys[chain.first] if right else value > keys[chain.last]
        return (
            np.where(outside, -np.inf if right else np.inf, x),
            np.where(outside, 1.0, chain.slope[edge]),
        )

    def _ends(self, sides: Sides) -> tuple[End, End, End, Floats]:
        """The ends of the interval for x, the best x where only the upper bounds on y and x + y count.

        And where these bounds begin to count: before that x the chain holds y, from there on they do.
        """
        least, most = sides.least, sides.most
        low_y, low_sum, cap_y, cap_sum = self._reach(
            [(0, least[POSITIVES]), (1, least[BOTH]), (0, most[POSITIVES]), (1, most[BOTH])], right=False
        )
        high_y, high_sum = self._reach([(2, most[POSITIVES]), (3, most[BOTH])], right=True)
        start, end = self.upper.x[self.upper.first], self.upper.x[self.upper.last]
        lows = np.stack([start, least[NEGATIVES], low_y[0], low_sum[0], least[BOTH] - most[POSITIVES]])
        highs = np.stack([end, most[NEGATIVES], high_y[0], high_sum[0], most[BOTH] - least[POSITIVES]])
        low = _end(lows, lows.argmax(axis=0), low_y[1], low_sum[1])
        high = _end(highs, highs.argmin(axis=0), high_y[1], high_sum[1])
        free = np.minimum(cap_y[0], cap_sum[0])
        return low, End(high.x, high.most, high.least), self._cap(most, cap_y, cap_sum), free

    def _cap(self, most: Floats, of_y: Place, of_sum: Place) -> End:
        (by_y, slope_y), (by_sum, slope_sum) = of_y, of_sum
        sum_first = (by_sum < by_y) | ((by_sum == by_y) & (most[BOTH] - by_sum < most[POSITIVES]))
        x = np.minimum(np.minimum(by_y, by_sum), self._best_x)
        capped = np.minimum(by_y, by_sum) <= self._best_x  # a tie on an upright edge is still held by a bound
        held = np.zeros((3, self.cells))
        by_edge = np.where(
            np.isinf(slope_sum), self.gain, (self.gain * slope_sum - self.cost) / (1 + slope_sum)
        )
        held[BOTH] = np.where(capped & sum_first, np.maximum(by_edge, 0.0), 0.0)
        by_edge = self.gain - self.cost / slope_y
        held[POSITIVES] = np.where(capped & ~sum_first, np.maximum(by_edge, 0.0), 0.0)
        return End(x, np.zeros((3, self.cells)), held)

    def _best_y(self, x: Floats, most: Floats, free: Floats) -> tuple[Floats, Floats, Floats]:
        """The largest y at x, the multipliers of what holds it, and the marginal loss after x."""
        chain = self.upper
        edge = np.maximum(search(chain.x, chain.first, chain.last + 1, upto(x)) - 1, chain.first)
        after = np.minimum(edge + 1, chain.last)
        width = chain.x[after] - chain.x[edge]
        share = np.where(width > 0, np.clip((x - chain.x[edge]) / width, 0.0, 1.0), 0.0)
        chain_y = chain.y[edge] + share * (chain.y[after] - chain.y[edge])
        ends = np.stack([most[BOTH] - x, most[POSITIVES], chain_y])
        which = np.where(x < free, 2, ends[:2].argmin(axis=0))
        y = ends.min(axis=0)
        held = np.zeros((3, self.cells))
        held[BOTH], held[POSITIVES] = (
            np.where(which == 0, self.gain, 0.0),
            np.where(which == 1, self.gain, 0.0),
        )
        right_slope = np.where(edge < chain.last, chain.slope[edge], 0.0)
        fall = np.where(which == 0, -1.0, np.where(which == 1, 0.0, right_slope))
        return y, held, self.cost - self.gain * fall


def _end(ends: Floats, which: Ints, slope_y: Floats, slope_sum: Floats) -> End:
    """The multipliers, per unit of x, of the bound that sets an end: on x, y, x + y, or the last two.

    Written for the lower end; at the upper end the two kinds of bounds change places.
    """
    own, other = np.zeros((3, len(which))), np.zeros((3, len(which)))
    own[NEGATIVES] = which == 1
    own[POSITIVES] = np.where(which == 2, 1 / slope_y, 0.0)
    own[BOTH] = np.where(which == 3, 1 / (1 + slope_sum), which == 4)
    other[POSITIVES] = which == 4
    return End(np.take_along_axis(ends, which[None], axis=0)[0], own, other)


def _rays(low: End, high: End, crossed: Bools) -> End:
    """Multipliers that prove that a cell has no point: the two ends that cross, or two bounds that do."""
    lone_low, lone_high = np.isposinf(low.x), np.isneginf(high.x) & ~np.isposinf(low.x)
    least = low.least * ~lone_high + high.least * ~lone_low
    most = low.most * ~lone_high + high.most * ~lone_low
    some = crossed.any(axis=0)
    return End(low.x, np.where(some, crossed, least), np.where(some, crossed, most))
