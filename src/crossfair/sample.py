"""Sample: the data a policy is fitted to or tried on, as curves; what decisions on it should give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import invalid
from crossfair.fixed import Fixed, Weights
from crossfair.outcomes import Outcomes
from crossfair.performance import Performance
from crossfair.policy import Policy
from crossfair.ragged import weighted_sums
from crossfair.steps import Steps
from crossfair.terms import Source, Terms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Score steps per cell, and where they come from; a binary prediction is a score of 1 or 0.

    `like` is the frame library of the data, for tables given back.
    """

    curves: Curves
    source: Source
    like: Any = None

    @property
    def given(self) -> Floats:
        """The acceptance of each step by the given decision."""
        self.curves.check_thresholds(self.source.threshold)
        return (self.curves.scores >= self.source.threshold).astype(np.float64)

    def followed(self, policy: Policy, steps: Steps | None = None) -> Floats:
        """Return the acceptance of each step by the policy, or by other steps for the same cells."""
        places = [policy.cells.by.index(name) for name in policy.decide_by]
        cells = [tuple(cell[i] for i in places) for cell in self.curves.cells.values]
        chosen = policy if steps is None else replace(policy, steps=steps)
        self.curves.check_thresholds(
            np.append(chosen.steps.breaks, chosen.fallback.breaks), "policy's thresholds"
        )
        return chosen.acceptance_at(policy.find(cells)[self.curves.cell_of_step], self.curves.scores)

    def binary(self) -> Sample:
        """Return the sample with the given decision in place of the score."""
        n, mass = self.curves.counts_at(self.source.threshold)
        weights = None if self.curves.weights is None else mass
        scores = (self.source.threshold, self.source.threshold - 1.0)
        return replace(self, curves=_two_steps(self.curves, scores, n, weights))


def from_counts(counts: Counts, source: Source, like: Any = None) -> Sample:
    """Return counts of a binary prediction as a sample."""
    if counts.fractional:
        raise invalid(
            "data", "must be counts of records", got="expected counts, which hold fractions of them"
        )
    n, mass, squares = counts.one_against_rest(counts.outcomes.values[counts.outcomes.positive_code])
    empty = Curves(
        counts.cells,
        np.zeros(len(counts.cells) + 1, np.int64),
        np.zeros(0),
        np.zeros((0, 2), np.int64),
        squares=None if squares is None else Fixed.from_floats(squares.sum(axis=2)),
        positive=counts.outcomes.positive,
        dropped=counts.dropped,
    )
    weights = None if counts.weights is None else mass
    return Sample(_two_steps(empty, (1.0, 0.0), n.astype(np.int64), weights), source, like)


def _two_steps(curves: Curves, scores: Sequence[float], n: Ints, mass: Floats | None) -> Curves:
    """Curves with two steps in each cell, from tables over [cell, label, prediction]."""
    cells = len(curves.cells)

    def by_step(table: Any) -> Any:
        return table[:, :, ::-1].transpose(0, 2, 1).reshape(2 * cells, 2)

    return replace(
        curves,
        offsets=2 * np.arange(cells + 1, dtype=np.int64),
        scores=np.tile(np.array(scores), cells),
        n=by_step(n),
        weights=None if mass is None else Fixed.from_floats(by_step(mass)),
        bits=None,
    )


def expected_counts(curves: Curves, acceptance: Floats) -> Counts:
    """Return the counts that decisions are expected to give: each record falls to either side in part.

    >>> from crossfair.cells import Cells
    >>> cells = Cells.of(["sex"], [("F",)])
    >>> curves = Curves.from_table(cells, [0, 0], [0.9, 0.2], [True, False], [4, 6])
    >>> expected_counts(curves, np.array([1.0, 0.25])).n.tolist()
    [[[4.5, 1.5], [0.0, 4.0]]]
    """
    n = split(curves, curves.n.astype(np.float64), acceptance)
    weights = None
    if curves.weights is not None and curves.squares is not None:
        mass = split(curves, curves.mass, acceptance)
        whole = mass.sum(axis=2, keepdims=True)
        share = np.divide(mass, whole, out=np.zeros_like(mass), where=whole > 0)
        squares = curves.squares.floats[:, :, None] * share
        weights = Weights(Fixed.from_floats(mass), Fixed.from_floats(squares))
    return Counts(curves.cells, Outcomes((False, True), True), n, weights)


def split(curves: Curves, table: Floats, acceptance: Floats) -> Floats:
    """Sums per cell and label of what is rejected and what is accepted."""
    sides = (1.0 - acceptance, acceptance)
    return np.stack([weighted_sums(table, side, curves.offsets) for side in sides], axis=2)


def performance(mass: Floats, terms: Terms, epsilon: Mapping[str, float]) -> Performance:
    """Return the loss and the rates of everyone from sums over [label, decision], beside ε per metric."""
    wrong = mass[0, 1] * terms.false_positive + mass[1, 0] * terms.false_negative
    tpr, fpr = (float(row[1] / row.sum()) if row.sum() > 0 else None for row in (mass[1], mass[0]))
    return Performance(float(wrong / mass.sum()), tpr, fpr, epsilon)
