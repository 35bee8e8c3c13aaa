"""The least loss over all levels when every cell has a convex polygon: cuts, and the model they build.

For fixed levels the cells separate, and the loss is convex in the levels; so the linear program over all
corners of all cells is a convex problem in as many dimensions as there are limits. Every evaluation gives a
cut that holds everywhere (its multipliers prove it, whatever the rounding), and the model of all cuts
bounds the optimum from below.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.budget import Budget
from crossfair.mitigation.levels import Cut, Levels, Sides
from crossfair.mitigation.master import Master
from crossfair.mitigation.oracle import Oracle, Points

Floats = NDArray[np.float64]

PULLS = (1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13)
PRECISION = 1e-11
NOTHING = 1e-10
DOMAIN_CUTS = 3
PATIENCE = 50  # evaluations without any progress, after which rounding allows no more


@dataclass
class Cuts:
    """Cuts on the loss, and on the levels that are possible at all; they hold for any ε on the same rates.

    `floor` is the least loss without limits.
    """

    loss: list[Cut] = field(default_factory=list)
    domain: list[Cut] = field(default_factory=list)
    floor: float = -np.inf

    def copy(self) -> Cuts:
        """Return the same cuts, to be added to independently."""
        return Cuts(list(self.loss), list(self.domain), self.floor)

    def model(self, levels: Levels) -> Master:
        """The model that the cuts build under the limits of some levels."""
        master = Master(levels.low, levels.high, self.floor)
        for cuts, add in ((self.loss, master.add), (self.domain, master.forbid)):
            if cuts:
                add([cut.constant for cut in cuts], np.array([cut.at(levels.factors) for cut in cuts]))
        return master


# What is known of each choice of limits that bind.
Known = dict[tuple[int, ...], Cuts]


def known_bound(known: Known, levels: Levels) -> float:
    """The bound that the cuts of earlier solves prove under the limits of these levels, −∞ without any."""
    cuts = known.get(tuple(levels.active))
    return -np.inf if cuts is None else cuts.model(levels).minimise()[1]


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best levels found, the points there, their loss, the proven bound, and the evaluations it took."""

    levels: Floats
    points: Points
    value: float
    bound: float
    evaluations: int


class Search:
    """One minimisation: evaluates levels, collects cuts, keeps the best point.

    It begins at the levels of a constant policy, which every cell can keep.
    """

    best: tuple[float, Floats, Points]

    def __init__(self, levels: Levels, oracle: Oracle, cuts: Cuts) -> None:
        self.levels, self.oracle, self.cuts = levels, oracle, cuts
        cuts.floor = max(cuts.floor, oracle.floor)
        self.master = cuts.model(levels)
        self.evaluations = 0
        if not self.evaluate(levels.fair):  # by rounding alone
            self.best = self._constant()

    def evaluate(self, at: Floats) -> bool:
        """Add the cuts at some levels; keep the point if it is the best. Whether every cell has a point."""
        self.evaluations += 1
        sides = self.levels.sides(at)
        points = self.oracle.points(sides)
        self._add_loss_cut(sides, points)
        if not points.feasible.all():
            self._add_domain_cuts(sides, points)
            return False
        value = self.oracle.base + float((self.oracle.cost * points.x - self.oracle.gain * points.y).sum())
        if self.evaluations == 1 or value < self.best[0]:
            self.best = (value, at, points)
        return True

    def settle(self) -> None:
        """Take levels of exactly 0 for those that only rounding keeps from it, where that costs nothing."""
        before = value, at, points = self.best
        self.best = (value + PRECISION, at, points)
        if not (at < NOTHING).any() or not self.evaluate(np.where(at < NOTHING, 0.0, at)):
            self.best = before

    def _constant(self) -> tuple[float, Floats, Points]:
        """The policy that accepts everyone with the same probability, which keeps every limit."""
        chain, share = self.oracle.upper, self.levels.constant
        x, y = share * chain.x[chain.last], share * chain.y[chain.last]
        value = self.oracle.base + float((self.oracle.cost * x - self.oracle.gain * y).sum())
        none = np.zeros((3, self.oracle.cells))
        points = Points(x, y, np.ones(self.oracle.cells, np.bool_), none, none)
        return value, self.levels.fair, points

    def _add_loss_cut(self, sides: Sides, points: Points) -> None:
        least, most = points.least * points.feasible, points.most * points.feasible
        base = self.oracle.base + float(self.oracle.dual(least, most).sum())
        cut = self.levels.cut(base, sides, least, most)
        self.cuts.loss.append(cut)
        self.master.add(cut.constant, cut.at(self.levels.factors))

    def _add_domain_cuts(self, sides: Sides, points: Points) -> None:
        """Forbid these levels by the proofs of the cells that miss by most, relative to their size."""
        cells = np.flatnonzero(~points.feasible)
        rest = self.oracle.dual(points.least, points.most, free=True)
        miss = rest.copy()
        for weights, bound, sign in ((points.least, sides.least, 1.0), (points.most, sides.most, -1.0)):
            miss += sign * np.where(weights > 0, weights * np.where(weights > 0, bound, 0.0), 0.0).sum(axis=0)
        size = 1.0 + np.abs(rest)
        for cell in cells[np.argsort(-(miss / size)[cells])[:DOMAIN_CUTS]]:
            only = np.arange(self.oracle.cells) == cell
            cut = self.levels.cut(float(rest[cell]), sides, points.least * only, points.most * only)
            self.cuts.domain.append(cut)
            self.master.forbid(cut.constant, cut.at(self.levels.factors))


def minimise(
    levels: Levels,
    oracle: Oracle,
    budget: Budget,
    *,
    cuts: Cuts | None = None,
    start: Floats | None = None,
    enough: float = np.inf,
) -> Optimum:
    """Minimise the loss over all levels, beginning at `start`, until the bound reaches `enough`.

    `cuts` may come from another ε on the same rates, or from larger polygons; new ones are added to them.
    """
    search = Search(levels, oracle, Cuts() if cuts is None else cuts)
    if start is not None:
        search.evaluate(start)
    pull, idle, bound, last = 0, 0, -np.inf, -np.inf
    while True:
        at, proven = search.master.minimise()
        bound = max(bound, proven)
        value, best, points = search.best
        budget.report(value, bound, search.evaluations)
        idle = 0 if value - bound < last else idle + 1
        last = value - bound
        if budget.met(value, bound, PRECISION) or bound >= enough or budget.spent or idle > PATIENCE:
            search.settle()
            value, best, points = search.best
            return Optimum(best, points, value, min(bound, value), search.evaluations)
        if not search.evaluate(at):
            feasible = search.evaluate(at + PULLS[pull] * (best - at))
            pull = min(pull + 1, len(PULLS) - 1) if feasible else max(pull - 1, 0)
