"""`overall`: one threshold per cell together with its two probabilities p0 and p1 (the paper's full problem).

A cell attains a union of triangles, one per threshold. Their convex hulls give the relaxation of `derived`,
solved in the space of levels; where its point lies in no triangle, the cell's thresholds are split in two.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import invalid
from crossfair.mitigation.answer import Answer
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.convex import PRECISION, Cuts, Known, Optimum, minimise
from crossfair.mitigation.derived import linear_oracle, to_answer
from crossfair.mitigation.levels import Levels
from crossfair.mitigation.polygons import Polygons
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.sharing import shares
from crossfair.mitigation.triangles import Triangles, triangles

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(order=True, frozen=True)
class Node:
    """Some of the triangles of every cell: the least loss of their hulls, and how to split them."""

    bound: float
    number: int
    parts: tuple[Ints, Ints] = field(compare=False)
    cuts: Cuts = field(compare=False)
    levels: Floats = field(compare=False)


class Overall:
    """The solver, with what it keeps between limits on the same rates: triangles, and cuts of their hulls."""

    def __init__(self, problem: Problem) -> None:
        if shares(problem):
            raise invalid(
                "decide_by",
                "method='overall' cannot let cells share a threshold and its two probabilities",
                hint="Use method='derived', which is at least as good, or method='threshold'.",
            )
        self.triangles = triangles(problem)
        self.cuts: Known = {}

    def solve(self, problem: Problem, budget: Budget) -> Answer:
        """Solve under the limits of `problem`, which is this solver's own but for its limits on ε."""
        search = _Search(self.triangles, problem, budget)
        search.run(self.cuts)
        best, shapes = search.best
        found = replace(best, bound=search.bound, evaluations=search.nodes)
        return to_answer(problem, shapes, found, search.levels.rounding, budget)


class _Search:
    """Best-first branch and bound over subsets of each cell's triangles."""

    def __init__(self, every: Triangles, problem: Problem, budget: Budget) -> None:
        self.every, self.problem, self.budget = every, problem, budget
        self.levels = Levels(problem)
        self.each = linear_oracle(problem, every.each(), self.levels.slack[every.cell])
        self.nodes = 0
        self.open: list[Node] = []
        self.settled = np.inf  # the least bound of the nodes that were solved
        tips = self.each.cost * every.x - self.each.gain * every.y
        self.best = self._polished(_cheapest(tips, every.cell))

    @property
    def bound(self) -> float:
        """A lower bound on the loss of any choice of thresholds and probabilities."""
        top = self.open[0].bound if self.open else np.inf
        return min(top, self.settled, self.best[0].value)

    def run(self, known: Known) -> None:
        """Search until the bound meets the best, or the budget ends."""
        cuts = known.setdefault(tuple(self.levels.active), Cuts())
        self._enter(np.arange(len(self.every.x)), cuts, self.best[0].levels)
        while self.open:
            value, bound = self.best[0].value, self.bound
            self.budget.report(value, bound, self.nodes)
            if self.budget.met(value, bound, PRECISION) or self.budget.spent:
                return
            node = heapq.heappop(self.open)
            for part in node.parts:
                self._enter(part, node.cuts.copy(), node.levels)

    def _enter(self, kept: Ints, cuts: Cuts, start: Floats) -> None:
        """Bound a node by its hulls; settle it if the point lies in the triangles, else plan its split."""
        self.nodes += 1
        subset = self.every.take(kept)
        oracle = linear_oracle(self.problem, subset.hulls(), self.levels.slack)
        enough = self.best[0].value - PRECISION
        relaxed = minimise(self.levels, oracle, self._rest(), cuts=cuts, start=start, enough=enough)
        if relaxed.bound >= enough:
            self.settled = min(self.settled, relaxed.bound)
            return
        points = relaxed.points
        costs = self._costs(relaxed.levels)[kept]
        chosen = _cheapest(costs, subset.cell)
        missed = costs[chosen] - (oracle.cost * points.x - oracle.gain * points.y)
        if np.isfinite(missed).all():
            self.best = min(self.best, self._polished(kept[chosen]), key=lambda found: found[0].value)
        cell = int(missed.argmax())
        if missed[cell] <= PRECISION / len(missed) or (subset.cell == cell).sum() < 2:
            self.settled = min(self.settled, relaxed.bound)
            return
        parts = _split(subset, kept, cell, points.x[cell], points.y[cell])
        heapq.heappush(self.open, Node(relaxed.bound, self.nodes, parts, cuts, relaxed.levels))

    def _rest(self) -> Budget:
        left = self.budget.remaining
        return Budget(time_limit=None if np.isinf(left) else max(left, 1e-3))

    def _costs(self, levels: Floats) -> Floats:
        """The least cost in every triangle at given levels; ∞ where it has no point."""
        points = self.each.points(self.levels.sides(levels).take(self.every.cell))
        return np.where(points.feasible, self.each.cost * points.x - self.each.gain * points.y, np.inf)

    def _polished(self, chosen: Ints) -> tuple[Optimum, Polygons]:
        """The best levels when every cell keeps to one triangle."""
        shapes = self.every.take(chosen).each()
        oracle = linear_oracle(self.problem, shapes, self.levels.slack)
        return minimise(self.levels, oracle, self._rest()), shapes


def _cheapest(costs: Floats, cell: Ints) -> Ints:
    """The position of the least cost in each cell."""
    order = np.lexsort((costs, cell))
    return np.asarray(order[np.searchsorted(cell[order], np.arange(cell.max() + 1))])


def _split(subset: Triangles, kept: Ints, cell: int, x: float, y: float) -> tuple[Ints, Ints]:
    """Part the triangles of one cell to the left and right of a point that lies in none of them."""
    mine = subset.cell == cell
    above = y * subset.wide[cell] >= x * subset.high[cell]
    left = mine & (subset.above == above) & (subset.x <= x)
    if not left.any() or not (mine & ~left).any():
        inside = np.flatnonzero(mine)
        left = np.isin(np.arange(len(mine)), inside[: len(inside) // 2])
    return kept[~mine | left], kept[~left]
