"""Random repair problems, and their optima by means that share nothing with the solvers.

The independent means state the limits as the paper does, for every pair of cells, and use either plain
enumeration or one mixed-integer program.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from crossfair.mitigation.limits import read_limits
from crossfair.mitigation.problem import Loss, Problem

Floats = NDArray[np.float64]

ROUNDING = 1e-14

LIMITS: list[dict[str, float]] = [
    {"equalized_odds": 0.37},
    {"statistical_parity": 0.23},
    {"tpr_parity": 0.0},
    {"fnr_parity": 0.51, "tnr_parity": 0.33},
    {"statistical_parity": 0.41, "equalized_odds": 0.63},
    {"equalized_odds": 0.0},
    {"equalized_odds": 3.1},
    {"tpr_parity": 0.13, "fnr_parity": 0.27, "statistical_parity": 0.31},
    {"equalized_odds": math.inf},
]
PRIORS = [(0.0, 0.0), (0.01, 0.01), (1.0, 2.0)]
LOSSES = [Loss(), Loss(1, 0), Loss(0, 1), Loss(3, 1)]


def random_problem(
    seed: int,
    cells: int = 3,
    steps: int = 6,
    *,
    records: int = 20,
    limits: Mapping[str, float] | None = None,
    weighted: bool = False,
    **options: Any,
) -> Problem:
    """Cells with random score steps, better scores more often positive."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, steps + 1, cells)
    grid = np.arange(0, 4 * steps) / (4 * steps)
    scores = np.concatenate([np.sort(rng.choice(grid, size, replace=False))[::-1] for size in sizes])
    total = rng.integers(1, records, len(scores))
    positive = rng.binomial(total, 1 / (1 + np.exp(3 - 6 * scores + rng.normal(size=len(scores)))))
    n = np.stack([total - positive, positive], axis=1)
    n[0] += 1  # both labels occur
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    mass = n * rng.uniform(0.2, 3.0, n.shape) if weighted else n.astype(np.float64)
    options.setdefault("min_support", 1)
    return Problem(
        offsets=offsets,
        scores=scores,
        mass=mass,
        records=np.add.reduceat(n, offsets[:-1], axis=0),
        limits=read_limits(LIMITS[seed % len(LIMITS)] if limits is None else limits),
        group=np.arange(cells),
        **{"loss": LOSSES[rng.integers(4)], **options},
    )


SHAPES = ("plain", "light", "heavy", "uninformative", "empty steps")
RATES = ("statistical_parity", "tpr_parity", "fpr_parity", "tnr_parity", "fnr_parity")


def reshaped(problem: Problem, shape: str, seed: int) -> Problem:
    """The problem with records that are few or many per step, tell nothing, or have no weight."""
    rng = np.random.default_rng(seed)
    mass = problem.mass
    if shape == "light":
        mass = np.ceil(mass / 10)
    elif shape == "heavy":
        mass = 50.0 * mass
    elif shape == "uninformative":
        mass = mass.sum(axis=1, keepdims=True) * np.array([0.7, 0.3])
    elif shape == "empty steps":
        mass = mass * (rng.random(mass.shape) < 0.6)
        mass[problem.offsets[:-1]] += 1.0  # both labels in every cell
    return replace(problem, mass=mass, records=np.ceil(problem.sums(mass)).astype(np.int64))


@st.composite
def problems(draw: st.DrawFn, **options: Any) -> Problem:
    """Small problems of every combination of limits, prior, loss and shape."""
    alpha, beta = draw(st.sampled_from([*PRIORS, (0.0, 0.5), (0.5, 0.0)]))
    epsilon = st.sampled_from([0.0, 0.05, 0.3, 1.0, 3.0])
    limits = draw(st.dictionaries(st.sampled_from(RATES), epsilon, min_size=1, max_size=3))
    seed = draw(st.integers(0, 10**6))
    problem = random_problem(
        seed,
        draw(st.integers(1, 5)),
        draw(st.integers(1, 6)),
        **{
            "limits": limits,
            "monotone": draw(st.booleans()),
            "weighted": draw(st.booleans()),
            "alpha": alpha,
            "beta": beta,
            **options,
        },
    )
    return reshaped(problem, draw(st.sampled_from(SHAPES)), seed)


def points(problem: Problem, cell: int) -> Floats:
    """(Negatives, positives) accepted by every threshold of a cell, from none to all."""
    mass = problem.mass[problem.offsets[cell] : problem.offsets[cell + 1]]
    return np.vstack([np.zeros(2), np.cumsum(mass, axis=0)])


@dataclass
class PairwiseRates:
    """The limited rates of each cell as offset + coefficients · (negatives, positives) accepted."""

    epsilon: float
    cells: list[int]
    coefficients: dict[int, Floats]
    offset: dict[int, float]

    def value(self, cell: int, accepted: Floats) -> float:
        return self.offset[cell] + float(self.coefficients[cell] @ accepted)


def pairwise(problem: Problem) -> list[PairwiseRates]:
    found = []
    for limit in problem.limits:
        mask = np.array(limit.labels, dtype=float)
        rates = PairwiseRates(limit.epsilon, [], {}, {})
        for cell in range(problem.cells):
            mass = problem.mass[problem.offsets[cell] : problem.offsets[cell + 1]].sum(axis=0)
            if problem.records[cell] @ mask < problem.min_support or mass @ mask == 0:
                continue
            size = mass @ mask + problem.alpha + problem.beta
            sign = -1.0 if limit.rate.name in ("fnr", "tnr") else 1.0
            rates.cells.append(cell)
            rates.coefficients[cell] = sign * mask / size
            rates.offset[cell] = problem.alpha / size if sign > 0 else (mass @ mask + problem.beta) / size
        found.append(rates)
    return found


def loss_of(problem: Problem, accepted: Floats) -> float:
    """Expected loss per unit of weight, from the accepted (cells, labels)."""
    total = problem.mass.sum(axis=0)
    wrong = problem.loss.false_positive * accepted[:, 0].sum()
    return float((wrong + problem.loss.false_negative * (total[1] - accepted[:, 1].sum())) / total.sum())


def keeps_limits(problem: Problem, accepted: Floats, tolerance: float = 1e-9) -> bool:
    """Whether rates are within the limits for every pair of cells, as the paper states them."""
    for rates in pairwise(problem):
        values = [max(rates.value(cell, accepted[cell]), 0.0) for cell in rates.cells]
        values = [0.0 if value < ROUNDING else value for value in values]  # 1 − (N/N) need not be 0
        if rates.epsilon == math.inf:
            continue
        for one, other in itertools.permutations(values, 2):
            if one > math.exp(rates.epsilon) * other * (1 + tolerance) + 1e-15:
                return False
    return True


def best_thresholds_by_enumeration(problem: Problem) -> float:
    """The least loss over all combinations of thresholds; ∞ if none keeps the limits."""
    options = [points(problem, cell) for cell in range(problem.cells)]
    best = math.inf
    for choice in itertools.product(*options):
        accepted = np.array(choice)
        loss = loss_of(problem, accepted)
        if loss < best and keeps_limits(problem, accepted):
            best = loss
    return best


def optimum_by_program(problem: Problem, method: str) -> float:
    """The optimum of a method by one mixed-integer program over corners; ∞ if there is none."""
    corners, cell_of, needs = _corners(problem, method)
    columns = len(corners)
    rows, low, high = [], [], []
    for cell in range(problem.cells):
        rows.append((cell_of == cell).astype(float))
        low.append(1.0)
        high.append(1.0)
    for rates in pairwise(problem):
        if rates.epsilon == math.inf:
            continue
        factor = math.exp(rates.epsilon)
        for one, other in itertools.permutations(rates.cells, 2):
            row = np.where(cell_of == one, corners @ rates.coefficients[one], 0.0)
            row -= factor * np.where(cell_of == other, corners @ rates.coefficients[other], 0.0)
            rows.append(row)
            low.append(-np.inf)
            high.append(factor * rates.offset[other] - rates.offset[one])
    table = np.array(rows)
    cost = problem.loss.false_positive * corners[:, 0] - problem.loss.false_negative * corners[:, 1]
    integral = np.full(columns, float(method == "threshold"))
    constraints = [LinearConstraint(table, low, high)]
    if method == "overall":  # a weight on a tip needs the cell to have chosen that tip
        picks = np.flatnonzero(needs)
        cost, integral = np.append(cost, np.zeros(len(picks))), np.append(integral, np.ones(len(picks)))
        wide = np.hstack([table, np.zeros((len(table), len(picks)))])
        link = np.zeros((len(picks), columns + len(picks)))
        link[np.arange(len(picks)), picks] = 1.0
        link[np.arange(len(picks)), columns + np.arange(len(picks))] = -1.0
        once = np.zeros((problem.cells, columns + len(picks)))
        once[cell_of[picks], columns + np.arange(len(picks))] = 1.0
        constraints = [
            LinearConstraint(wide, low, high),
            LinearConstraint(link, -np.inf, 0),
            LinearConstraint(once, -np.inf, 1),
        ]
    result = milp(
        cost, constraints=constraints, integrality=integral, bounds=Bounds(0, 1), options={"mip_rel_gap": 0.0}
    )
    if result.x is None:
        return math.inf
    total = problem.mass.sum(axis=0)
    return float((result.fun + problem.loss.false_negative * total[1]) / total.sum())


def _corners(problem: Problem, method: str) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]:
    """The points a cell may mix, and which of them are tips that exclude each other."""
    corners, cells, tips = [], [], []
    for cell in range(problem.cells):
        mine = points(problem, cell)
        if method == "derived" and not problem.monotone:
            mass = np.diff(mine, axis=0)
            order = np.argsort(-mass[:, 1] / np.maximum(mass.sum(axis=1), 1e-300), kind="stable")
            mine = np.vstack([np.zeros(2), np.cumsum(mass[order], axis=0)])
        ends = [mine[0], mine[-1]] if method == "overall" else []
        if (method == "overall" or method == "derived") and not problem.monotone:
            mine = np.vstack([mine, mine[-1] - mine])
        corners += [*ends, *mine]
        cells += [cell] * (len(ends) + len(mine))
        tips += [False] * len(ends) + [True] * len(mine)
    return np.array(corners), np.array(cells), np.array(tips)


def binary(problem: Problem, threshold: float = 0.5) -> Problem:
    """The same records seen through the prediction score ≥ threshold."""
    below = problem.scores < threshold
    place = 2 * problem.cell_of_step + below
    mass = np.stack([np.bincount(place, column, 2 * problem.cells) for column in problem.mass.T], axis=1)
    return replace(
        problem,
        offsets=2 * np.arange(problem.cells + 1),
        scores=np.tile([threshold, threshold - 1], problem.cells),
        mass=mass,
    )
