"""The thresholds of every policy, what each accepts in its cells, and which of them the bounds admit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.levels import BOTH, NEGATIVES, POSITIVES, Levels, Sides
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.range_minimum import RangeMinimum
from crossfair.mitigation.sharing import Merged, merge_groups, shares
from crossfair.ragged import running_sums, search, upto

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Range = tuple[Ints, Ints]

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Choice:
    """How many steps each policy accepts, what its cells accept by direction, and the cost of it all."""

    taken: Ints
    accepted: Floats
    cost: float


class Grid:
    """Every threshold of every policy, as the number of its steps that are accepted, highest first."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.group = problem, problem.group
        self.own = problem.offsets + np.arange(problem.cells + 1)
        x, y = (running_sums(problem.mass[:, label], problem.offsets) for label in (0, 1))
        self.values = {NEGATIVES: x, POSITIVES: y}
        if any(all(limit.labels) for limit in problem.limits):
            self.values[BOTH] = x + y
        self._keys = np.concatenate(list(self.values.values()))
        self._base = {direction: number * len(x) for number, direction in enumerate(self.values)}
        self.merged = merge_groups(problem) if shares(problem) else None
        self.place = None if self.merged is None else _points(problem, self.merged)
        offsets = problem.offsets if self.merged is None else self.merged.offsets
        self.starts = offsets + np.arange(len(offsets))
        if self.merged is not None:
            x, y = (running_sums(self.merged.mass[:, label], offsets) for label in (0, 1))
        self._cost = problem.loss.false_positive * x - problem.loss.false_negative * y
        self._cheapest = RangeMinimum(self._cost)

    @property
    def everything(self) -> Range:
        """All thresholds of every cell."""
        return self.own[:-1], self.own[1:] - 1

    def admissible(self, levels: Levels, sides: Sides, within: Range) -> Range:
        """Return the first and the last threshold of each cell, of those `within`, that the sides admit."""
        queries = []
        for direction in levels.directions:
            least, most = sides.least[direction], sides.most[direction]
            least = least - (levels.slack + ROUNDING * np.abs(least))
            most = most + (levels.slack + ROUNDING * np.abs(most))
            queries += [least, upto(most)]
        if not queries:
            return within
        first, last = within
        shifts = np.repeat([self._base[direction] for direction in levels.directions], 2)[:, None]
        start = np.broadcast_to(shifts + first, (len(queries), len(first))).ravel()
        end = np.broadcast_to(shifts + last + 1, (len(queries), len(first))).ravel()
        found = search(self._keys, start, end, np.concatenate(queries)).reshape(len(queries), -1) - shifts
        return found[::2].max(axis=0, initial=0), found[1::2].min(axis=0, initial=len(self._keys)) - 1

    def of_policies(self, own: Range) -> Range:
        """Return the first and the last threshold of each policy that all its cells admit."""
        low, high = own
        if self.place is None:
            return own
        first, last = self.starts[:-1].copy(), self.starts[1:] - 1
        base = self.starts[self.group]
        np.maximum.at(first, self.group, base + self.place[low])
        beyond = np.minimum(high + 1, len(self.place) - 1)
        within = high < self.own[1:] - 1
        until = np.where(within, base + self.place[beyond] - 1, self.starts[self.group + 1] - 1)
        np.minimum.at(last, self.group, until)
        return first, last

    def accepted(self, own: Ints) -> Floats:
        """What the cells accept at positions among their own thresholds, by direction."""
        table = np.zeros((3, len(own)))
        for direction, values in self.values.items():
            table[direction] = values[own]
        return table

    def constant(self, taken: Ints) -> bool:
        """Whether every policy accepts everyone or nobody."""
        return bool(((taken == 0) | (taken == np.diff(self.starts) - 1)).all())

    @property
    def unlimited(self) -> Ints:
        """How many steps each policy accepts when nothing limits it."""
        return self.cheapest((self.starts[:-1], self.starts[1:] - 1)).taken

    def cheapest(self, among: Range) -> Choice:
        """Return the cheapest threshold of each policy in its range; ties go to the highest."""
        picks = self._cheapest.find(*among)
        taken = picks - self.starts[:-1]
        own = picks
        if self.place is not None:
            number = taken[self.group]
            own = search(self.place, self.own[:-1], self.own[1:], number + 1) - 1
        return Choice(taken, self.accepted(own), float(self._cost[picks].sum()))


def _points(problem: Problem, merged: Merged) -> Ints:
    """For every number of own accepted steps, the number of steps its policy has accepted by then."""
    return np.insert(merged.place, problem.offsets[:-1], 0)
