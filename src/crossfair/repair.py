"""Data → repaired policy: read, set up the problem, solve, and keep the answer with all it was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossfair import checks, coins
from crossfair.errors import choose, invalid
from crossfair.metrics import metric
from crossfair.mitigation.best_threshold import best_thresholds, pooled_threshold
from crossfair.mitigation.budget import Budget, Progress
from crossfair.mitigation.certificate import Grid
from crossfair.mitigation.limits import read_limits
from crossfair.mitigation.penalty import Form, Penalty, solve_penalised
from crossfair.mitigation.problem import Loss, Problem
from crossfair.mitigation.recheck import epsilons, expected_table
from crossfair.mitigation.solution import Acceptance, Solution
from crossfair.mitigation.solve import METHODS, solve
from crossfair.performance import GIVEN, REPAIRED, UNCONSTRAINED, Performance
from crossfair.policy import Policy
from crossfair.policy_rules import UNSEEN
from crossfair.population import Population
from crossfair.read_sample import read_sample
from crossfair.sample import Sample, performance, split
from crossfair.steps import Steps
from crossfair.terms import Terms
from crossfair.verdicts import check_limits

Floats = NDArray[np.float64]
Unseen = Literal["error", "pooled", "given"]

NO_STEPS = Steps.of([])


def mitigate(
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
    limits: Mapping[str, float],
    loss: Loss | None = None,
    method: str | None = None,
    monotone: bool | None = None,
    decide_by: str | Sequence[str] | None = None,
    penalty: float | None = None,
    penalty_form: Form = "indicator",
    min_support: int = 10,
    alpha: float = 0.01,
    beta: float = 0.01,
    time_limit: float | None = None,
    gap: float = 0.0,
    unseen: Unseen = "error",
    salt: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Policy:
    """Return the policy of least expected loss that keeps the limits on the data, with its certificate.

    `limits` maps metrics to the largest ε allowed. `method` is "derived" with scores and "randomize" with a
    binary prediction unless given. The limits hold for the smoothed rates of these data; what may be believed
    of the population says `Policy.evaluate` on other data. With a `penalty` they may be exceeded at that
    price: once ("indicator"), or per unit of ε beyond them ("hinge").

    >>> people = {
    ...     "sex": ["F", "M"] * 40,
    ...     "repaid": [0, 0, 0, 1, 1, 1, 1, 1] * 10,
    ...     "score": [0.1, 0.3, 0.2, 0.5, 0.3, 0.6, 0.7, 0.9] * 10,
    ... }
    >>> limits = {"statistical_parity": 0.1}
    >>> policy = mitigate(people, by="sex", label="repaid", score="score", limits=limits)
    >>> round(policy.certificate.objective, 6), round(policy.expected["given"].loss, 6)
    (0.089302, 0.125)
    """
    sample = read_sample(
        data,
        {
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
        },
    )
    terms = build_terms(sample, limits, loss, method, monotone, min_support, alpha, beta)
    price = None if penalty is None else checks.number("penalty", penalty)
    terms = replace(terms, penalty=price, penalty_form=penalty_form)
    choose("unseen", unseen, UNSEEN)
    salt = coins.draw_salt(checks.whole("seed", seed)) if salt is None else coins.check_salt(salt)
    task = Task.of(sample, terms, decide_by)
    solution = task.solve(Budget(time_limit, gap, progress))
    return task.policy(solution, unseen, salt)


def build_terms(
    sample: Sample,
    limits: Any,
    loss: Loss | None,
    method: str | None,
    monotone: bool | None,
    min_support: int,
    alpha: float,
    beta: float,
) -> Terms:
    """Return what is asked of the repair, with the defaults that depend on the data filled in."""
    kind = sample.source.kind
    default = "derived" if kind == "score" else "randomize"
    chosen = choose("method", default if method is None else method, METHODS)
    if kind == "prediction" and chosen != "randomize":
        raise invalid(
            "method",
            f"{chosen!r} needs a score, but the data have a binary prediction",
            hint="Use method='randomize', or name the column of the score.",
        )
    if chosen == "threshold" and monotone is False:
        raise invalid("monotone", "a threshold accepts the higher scores, so it has no other form", got=False)
    if not isinstance(limits, Mapping) or not limits:
        raise invalid("limits", "must map metrics to the largest ε allowed", got=repr(limits))
    if not isinstance(loss, Loss | None):
        raise invalid("loss", "must be a cf.Loss, such as cf.Loss(1, 5)", got=repr(loss))
    if monotone not in (None, False, True):
        raise invalid("monotone", "must be True, False or None", got=monotone)
    cost = loss or Loss()
    return Terms(
        chosen,
        check_limits(limits),
        cost.false_positive,
        cost.false_negative,
        chosen != "randomize" if monotone is None else bool(monotone),
        min_support=checks.whole("min_support", min_support),
        alpha=checks.number("alpha", alpha),
        beta=checks.number("beta", beta),
    )


@dataclass(frozen=True, eq=False)
class Task:
    """A repair set up: the sample, what was asked, and the problem as arrays."""

    sample: Sample
    terms: Terms
    decide_by: tuple[str, ...]
    problem: Problem

    @classmethod
    def of(cls, sample: Sample, terms: Terms, decide_by: str | Sequence[str] | None) -> Task:
        """Set up the problem; `randomize` sees the given decision in place of a score."""
        if terms.method == "randomize" and sample.source.kind == "score":
            sample = sample.binary()
        cells = sample.curves.cells
        names = _attributes(decide_by, cells.by)
        problem = Problem.from_curves(
            sample.curves,
            read_limits(terms.limits),
            Loss(terms.false_positive, terms.false_negative),
            group=cells.marginal(names)[1],
            monotone=terms.monotone,
            min_support=terms.min_support,
            alpha=terms.alpha,
            beta=terms.beta,
        )
        return cls(sample, terms, names, problem)

    def solve(self, budget: Budget) -> Solution:
        """Solve by the method asked for, within the limits or with a price on exceeding them."""
        if self.terms.penalty is None:
            return solve(self.problem, self.terms.method, budget)
        penalty = Penalty(self.terms.penalty, self.terms.penalty_form)
        return solve_penalised(self.problem, self.terms.method, penalty, budget)

    @cached_property
    def unconstrained(self) -> Steps:
        """The steps of least loss without limits: best thresholds, or best p0 and p1 of a prediction."""
        if self.terms.method == "randomize":
            return _steps(solve(replace(self.problem, limits=()), "randomize").acceptance)
        return _steps(best_thresholds(self.problem))

    @cached_property
    def rivals(self) -> dict[str, Performance]:
        """What the given decisions, and the best ones without limits, are expected to give."""
        curves = self.sample.curves
        given = split(curves, curves.mass, self.sample.given)
        return {GIVEN: self.expect(given), UNCONSTRAINED: self.expect(self.expected(self.unconstrained))}

    def expected(self, steps: Steps) -> Floats:
        """Return the expected weight over [cell, label, decision] of decisions by steps of the score."""
        acceptance = Acceptance(steps.offsets, steps.breaks, steps.probabilities)
        return expected_table(self.problem, acceptance)

    def expect(self, table: Floats) -> Performance:
        """Return what decisions are expected to give on these data; ε is that of the smoothed rates."""
        of_rate = {
            limit.rate.name: epsilon
            for limit, epsilon in zip(self.problem.limits, epsilons(self.problem, table))
        }
        epsilon = {name: max(of_rate[rate.name] for rate in metric(name).rates) for name in self.terms.limits}
        return performance(table.sum(axis=0), self.terms, epsilon)

    def policy(self, solution: Solution, unseen: Unseen, salt: str) -> Policy:
        """Return the solution as a policy, with what it and its rivals are expected to give."""
        policy = Policy(
            cells=self.sample.curves.cells,
            decide_by=self.decide_by,
            steps=_steps(solution.acceptance),
            source=self.sample.source,
            terms=self.terms,
            salt=salt,
            certificate=replace(solution.certificate, grid=self._grid()),
            unconstrained=self.unconstrained,
            unseen=unseen,
            fallback=self._fallback(unseen),
            population=Population.of_curves(self.sample.curves),
        )
        repaired = self.expect(self.expected(policy.steps))
        return replace(policy, expected={**self.rivals, REPAIRED: repaired})

    def _grid(self) -> Grid | None:
        """What binned scores cost, None for exact ones."""
        curves = self.sample.curves
        if curves.bits is None:
            return None
        return Grid(curves.bits, float(curves.resolution.max()), float(curves.auc_error.max()))

    def _fallback(self, unseen: Unseen) -> Steps:
        if unseen == "error":
            return NO_STEPS
        if unseen == "given":
            return Steps.of([([self.sample.source.threshold], [0.0, 1.0])])
        breaks, probabilities = pooled_threshold(self.problem)
        return Steps.of([(breaks.tolist(), probabilities.tolist())])


def _attributes(decide_by: str | Sequence[str] | None, by: Sequence[str]) -> tuple[str, ...]:
    if decide_by is None:
        return tuple(by)
    if not isinstance(decide_by, Iterable):
        raise invalid("decide_by", "must name attributes of `by`, none of them as []", got=repr(decide_by))
    names = [decide_by] if isinstance(decide_by, str) else list(decide_by)
    for name in names:
        choose("decide_by", name, by)
    return tuple(name for name in by if name in names)


def _steps(acceptance: Acceptance) -> Steps:
    return Steps(acceptance.offsets, acceptance.breaks, acceptance.probabilities)
