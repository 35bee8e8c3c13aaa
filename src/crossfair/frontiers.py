"""The frontier: the least loss against ε, every point certified and with its policy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crossfair import checks, coins, documents
from crossfair.errors import InfeasibleError, UnfinishedError, choose, invalid
from crossfair.mitigation.budget import Budget
from crossfair.mitigation.certificate import Status
from crossfair.mitigation.problem import LARGEST_EPSILON, Loss
from crossfair.mitigation.solution import Solution
from crossfair.mitigation.solve import Repair
from crossfair.performance import REPAIRED, UNCONSTRAINED
from crossfair.policy import Policy
from crossfair.policy_rules import UNSEEN
from crossfair.read_sample import read_sample
from crossfair.repair import Task, Unseen, build_terms
from crossfair.shown import Shown

KIND, VERSION = "frontier", 1

POINTS = 21

# Where the automatic grid ends if no ε is finite without limits: rates a thousandfold apart.
FARTHEST = math.log(1000.0)


@dataclass(frozen=True, eq=False)
class Point:
    """One ε: the policy, None where none is within the limit, and what doing without coins costs there.

    The price of determinism is loss(threshold) − loss(derived); None for a binary prediction, where policies
    are shared between cells, and where no thresholds are within the limit. `stopped` says that time ended
    before any policy was found.
    """

    epsilon: float
    policy: Policy | None
    price_of_determinism: float | None = None
    stopped: bool = False

    def row(self) -> dict[str, Any]:
        """Return the row of the table."""
        certificate = None if self.policy is None else self.policy.certificate
        repaired = None if self.policy is None else self.policy.expected[REPAIRED]
        without = Status.TIME_LIMIT.name.lower() if self.stopped else "infeasible"
        return {
            "epsilon": self.epsilon,
            "loss": None if repaired is None else repaired.loss,
            "bound": None if certificate is None else certificate.bound,
            "gap": None if certificate is None else certificate.gap,
            "status": without if certificate is None else certificate.status.name.lower(),
            "tpr": None if repaired is None else repaired.tpr,
            "fpr": None if repaired is None else repaired.fpr,
            "price_of_determinism": self.price_of_determinism,
        }


@dataclass(frozen=True, eq=False)
class Frontier(Shown):
    """The points in rising order of ε; the loss never grows along them."""

    metrics: tuple[str, ...]
    points: tuple[Point, ...]
    like: Any = None

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        found = [point for point in self.points if point.policy is not None]
        losses = [point.policy.expected[REPAIRED].loss for point in found if point.policy is not None]
        ends = [f"{loss:.4f} at ε ≤ {point.epsilon:.3g}" for loss, point in zip(losses, found)]
        told = f": loss {ends[0]} to {ends[-1]}" if ends else ""
        return f"<Frontier of {', '.join(self.metrics)}, {len(self)} points{told}>"

    @property
    def policies(self) -> list[Policy | None]:
        """The policy of each point, None where none is within the limit."""
        return [point.policy for point in self.points]

    def table(self) -> Any:
        """Return the points as a tidy frame of the data's library, a dict of columns where there is none."""
        rows = [point.row() for point in self.points]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        if self.like is None:
            return columns
        from crossfair import frames

        return frames.give(columns, self.like)

    def chart(self, *others: Frontier) -> Any:
        """Return an Altair chart of loss against ε, a line per method; `save` writes it to a file."""
        from crossfair.charts import of_policy

        return of_policy.frontier_chart(self, *others)

    def to_json(self) -> str:
        """Return the points as JSON text; the policies are saved one by one."""
        rows = [documents.row(point.row()) for point in self.points]
        return documents.dump(KIND, VERSION, {"metrics": list(self.metrics), "points": rows})


def frontier(
    data: Any,
    *,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    label: str | None = None,
    positive: Any = None,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float = 0.5,
    weight: str | None = None,
    missing: str = "level",
    table: str | None = None,
    limits: str | Sequence[str],
    epsilons: Sequence[float] | None = None,
    loss: Loss | None = None,
    method: str | None = None,
    monotone: bool | None = None,
    decide_by: str | Sequence[str] | None = None,
    min_support: int = 10,
    alpha: float = 0.01,
    beta: float = 0.01,
    time_limit: float | None = None,
    gap: float = 0.0,
    unseen: Unseen = "error",
    salt: str | None = None,
    seed: int = 0,
) -> Frontier:
    """Return the least loss against ε: a certified policy for each ε, all of one method.

    `limits` names one metric or several, each limited by the same ε. Without `epsilons` they are spread from
    0, where all rates are equal, to the ε at which no limit binds, closer together near 0. `time_limit` and
    `gap` are those of each point.

    >>> people = {
    ...     "sex": ["F", "M"] * 40,
    ...     "repaid": [0, 0, 0, 1, 1, 1, 1, 1] * 10,
    ...     "score": [0.1, 0.3, 0.2, 0.5, 0.3, 0.6, 0.7, 0.9] * 10,
    ... }
    >>> found = frontier(people, by="sex", label="repaid", score="score",
    ...                  limits="statistical_parity", epsilons=[0, 0.3, 1])
    >>> [round(loss, 3) for loss in found.table()["loss"]]
    [0.125, 0.028, 0.0]
    """
    options = {
        "by": by,
        "bins": bins,
        "label": label,
        "positive": positive,
        "prediction": prediction,
        "score": score,
        "threshold": threshold,
        "weight": weight,
        "missing": missing,
        "table": table,
    }
    metrics = _metrics(limits)
    choose("unseen", unseen, UNSEEN)
    salt = coins.draw_salt(checks.whole("seed", seed)) if salt is None else coins.check_salt(salt)
    sample = read_sample(data, options)
    terms = build_terms(sample, dict.fromkeys(metrics, 0.0), loss, method, monotone, min_support, alpha, beta)
    task = Task.of(sample, terms, decide_by)
    grid = automatic(task) if epsilons is None else _grid(epsilons)
    tracer = Tracer(task, time_limit, gap)
    points = [tracer.point(epsilon, unseen, salt) for epsilon in grid]
    return Frontier(tuple(terms.limits), tuple(points), sample.like)


class Tracer:
    """Solves a task for one ε after the other, keeping what each method has learnt."""

    def __init__(self, task: Task, time_limit: float | None, gap: float) -> None:
        self.task, self.time_limit, self.gap = task, time_limit, gap
        self.own = Repair(task.problem, task.terms.method)
        self.pair: list[Repair] = []
        if task.sample.source.kind == "score" and task.decide_by == task.sample.curves.cells.by:
            self.pair = [self._monotone(method) for method in ("threshold", "derived")]

    def _monotone(self, method: str) -> Repair:
        problem = self.task.problem
        if method == self.own.method and problem.monotone:
            return self.own
        return Repair(replace(problem, monotone=True), method)

    def point(self, epsilon: float, unseen: Unseen, salt: str) -> Point:
        """Solve for one ε."""
        found = {repair: self._solve(repair, epsilon) for repair in dict.fromkeys([self.own, *self.pair])}
        losses = [one.objective for one in map(found.__getitem__, self.pair) if isinstance(one, Solution)]
        price = losses[0] - losses[1] if len(losses) == 2 else None
        solution = found[self.own]
        if isinstance(solution, InfeasibleError):
            return Point(epsilon, None, price, stopped=isinstance(solution, UnfinishedError))
        policy = self.task.policy(solution, unseen, salt)
        limits = dict.fromkeys(self.task.terms.limits, epsilon)
        return Point(epsilon, replace(policy, terms=replace(self.task.terms, limits=limits)), price)

    def _solve(self, repair: Repair, epsilon: float) -> Solution | InfeasibleError:
        try:
            return repair.solve([epsilon] * len(repair.problem.limits), Budget(self.time_limit, self.gap))
        except InfeasibleError as error:
            return error


def automatic(task: Task) -> list[float]:
    """Return ε from 0 to where the best decisions without limits are within them, closer together near 0."""
    found = list(task.rivals[UNCONSTRAINED].epsilon.values())
    top = max(epsilon if math.isfinite(epsilon) else FARTHEST for epsilon in found)
    top = min(top, LARGEST_EPSILON)
    return [float(epsilon) for epsilon in top * np.linspace(0.0, 1.0, POINTS) ** 2]


def _metrics(limits: Any) -> list[str]:
    names = [limits] if isinstance(limits, str) else limits
    if not isinstance(names, (list, tuple)) or not names:
        raise invalid("limits", "must name the metrics to limit, all by the same ε", got=repr(limits))
    return list(names)


def _grid(epsilons: Any) -> list[float]:
    given = [epsilons] if np.ndim(epsilons) == 0 else list(epsilons)
    for epsilon in given:
        if not checks.real(epsilon) or not epsilon >= 0:
            raise invalid("epsilons", "must be numbers of at least 0", got=epsilon)
    if not given:
        raise invalid("epsilons", "must hold at least one ε", got="none")
    return sorted({float(epsilon) for epsilon in given})
