"""The linear program over acceptances and levels together, and the bound that its multipliers prove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from crossfair.mitigation.budget import Budget
from crossfair.mitigation.levels import BOTH, NEGATIVES, POSITIVES, Levels
from crossfair.mitigation.problem import Problem
from crossfair.ragged import running_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOISE = 1e-9
TIGHTEST = 1e-10  # the smallest tolerance that HiGHS accepts


@dataclass(frozen=True, eq=False)
class Run:
    """What a run found: acceptance per step, levels, a proven bound on the loss, iterations."""

    chosen: Floats
    levels: Floats
    bound: float
    iterations: int


class SharedProgram:
    """Rows and costs; `mass` holds per label the weight (cells, steps) on the scores of the policies."""

    def __init__(self, problem: Problem, levels: Levels, offsets: Ints, mass: list[sparse.csr_array]) -> None:
        self.levels, self.offsets, self.monotone = levels, offsets, problem.monotone
        self.table = {NEGATIVES: mass[0], POSITIVES: mass[1], BOTH: mass[0] + mass[1]}
        weight = problem.totals.sum()
        loss = problem.loss
        per_step = [np.asarray(table.sum(axis=0)).ravel() for table in mass]
        self.cost = (loss.false_positive * per_step[0] - loss.false_negative * per_step[1]) / weight
        self.base = float(loss.false_negative * problem.totals[:, 1].sum() / weight)
        self.steps = len(self.cost)
        self._build()

    def _build(self) -> None:
        """Every side of every limit as accepted · sign ≤ …, one row per cell that it binds."""
        blocks, level_columns, constants, scales, limits = [], [], [], [], []
        for row in self.levels.rows:
            binds = np.flatnonzero(np.isfinite(row.constant))
            sign = -1.0 if row.least else 1.0
            factor = self.levels.factors[row.limit] if row.spread else 1.0
            column = np.zeros((len(binds), self.levels.size))
            column[:, row.limit] = -sign * row.slope[binds] * factor
            blocks.append(sign * self.table[row.direction][binds])
            level_columns.append(column)
            constants.append(sign * row.constant[binds])
            scales.append(np.abs(row.slope[binds]))
            limits.append(np.full(len(binds), row.limit))
        size = self.levels.size
        self.rows = sparse.vstack(blocks).tocsr() if blocks else sparse.csr_array((0, self.steps))
        self.level_part = np.vstack(level_columns) if blocks else np.zeros((0, size))
        self.sides = np.concatenate(constants) if blocks else np.zeros(0)
        self.scale = np.concatenate(scales) if blocks else np.zeros(0)
        self.limit = np.concatenate(limits) if blocks else np.zeros(0, np.int64)

    def run(self, levels: Floats, budget: Budget) -> Run:
        """Solve with every row divided by its size and its level, so that one tolerance suits all."""
        divisor = self.scale * levels[self.limit]
        unit = float(np.abs(self.cost).max()) or 1.0
        drops = self.steps if self.monotone else 0
        shrink = _diagonal(1 / divisor)
        empty = sparse.csr_array((len(self.sides), drops))
        result = self._solved(
            np.concatenate([self.cost / unit, np.zeros(drops + self.levels.size)]),
            sparse.hstack([shrink @ self.rows, empty, shrink @ sparse.csr_array(self.level_part)]).tocsr(),
            self.sides / divisor,
            budget,
        )
        if result.x is None:  # the constant policy, and the bound without any limit
            constant = np.full(self.steps, self.levels.constant)
            return Run(constant, self.levels.fair, self.bound(np.zeros(len(self.sides))), 0)
        multipliers = np.maximum(-result.ineqlin.marginals, 0.0) * unit / divisor
        found = result.x[self.steps + drops :]
        return Run(self._chosen(result.x), found, self.bound(multipliers), int(result.nit))

    def _solved(self, cost: Floats, rows: sparse.csr_array, sides: Floats, budget: Budget) -> Any:
        """Solve; where equal rates are asked for, the presolve may take rounding for a contradiction."""
        equal = self._falling()
        for presolve in (True, False):
            result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse rows
                cost,
                A_ub=rows,
                b_ub=sides,
                A_eq=equal,
                b_eq=None if equal is None else np.zeros(equal.shape[0]),
                bounds=(0, 1),
                method="highs",
                options={"presolve": presolve, **_options(budget)},
            )
            if result.x is not None or budget.spent:
                break
        return result

    def _falling(self) -> sparse.csr_array | None:
        """Rows that say acceptance − next acceptance − drop = 0 within each policy, for drops ≥ 0."""
        if not self.monotone:
            return None
        own = np.arange(self.steps)
        last = np.zeros(self.steps, np.bool_)
        last[self.offsets[1:][np.diff(self.offsets) > 0] - 1] = True
        before = own[~last]
        rows, columns = np.concatenate([own, before]), np.concatenate([own, before + 1])
        values = np.concatenate([np.ones(self.steps), np.full(len(before), -1.0)])
        ahead = sparse.csr_array((values, (rows, columns)), shape=(self.steps, self.steps))
        levels = sparse.csr_array((self.steps, self.levels.size))
        return sparse.hstack([ahead, _diagonal(np.full(self.steps, -1.0)), levels]).tocsr()

    def _chosen(self, values: Floats) -> Floats:
        if not self.monotone:
            return values[: self.steps]
        drops = values[self.steps : 2 * self.steps]
        drops = np.where(drops > NOISE, drops, 0.0)
        upward = running_sums(drops[::-1], self.steps - self.offsets[::-1])
        ends = self.steps - self.offsets[::-1] + np.arange(len(self.offsets))
        return np.minimum(np.delete(upward, ends[:-1])[::-1], 1.0)

    def bound(self, multipliers: Floats) -> float:
        """The least of loss + multipliers · rows over all acceptances and levels, for multipliers ≥ 0."""
        per_step = self.cost + multipliers @ self.rows
        if self.monotone:
            sums = running_sums(per_step, self.offsets)
            accepted = np.minimum.reduceat(sums, (self.offsets + np.arange(len(self.offsets)))[:-1]).sum()
        else:
            accepted = np.minimum(per_step, 0.0).sum()
        of_levels = np.minimum(multipliers @ self.level_part, 0.0).sum()
        return float(self.base + accepted + of_levels - multipliers @ self.sides)


def _diagonal(values: Floats) -> sparse.csr_array:
    own = np.arange(len(values))
    return sparse.csr_array((values, (own, own)), shape=(len(values), len(values)))


def snapped(chosen: Floats) -> Floats:
    """Probabilities without what only the tolerances of the solver keep from 0 or 1."""
    return np.where(chosen < NOISE, 0.0, np.where(chosen > 1 - NOISE, 1.0, chosen))


def _options(budget: Budget) -> dict[str, float]:
    options = {"primal_feasibility_tolerance": TIGHTEST, "dual_feasibility_tolerance": TIGHTEST}
    if np.isfinite(budget.remaining):
        options["time_limit"] = max(budget.remaining, 1e-3)
    return options
