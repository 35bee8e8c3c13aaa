"""Cells that share a policy: their steps on common scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.problem import Problem

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Merged:
    """The steps of each policy: `offsets` (groups + 1), falling `scores`, `mass` of all its cells together.

    `place` gives for every step of a cell its number, from 1, among the steps of its policy.
    """

    offsets: Ints
    scores: Floats
    mass: Floats
    place: Ints


def shares(problem: Problem) -> bool:
    """Whether any two cells share a policy."""
    return len(np.unique(problem.group)) < problem.cells


def merge_groups(problem: Problem) -> Merged:
    """Lay the steps of all cells of a policy out on their common scores.

    >>> from crossfair.mitigation.problem import Loss
    >>> arrays = np.array([0, 1, 2]), np.array([0.5, 0.5]), np.ones((2, 2)), np.ones((2, 2), int)
    >>> merge_groups(Problem(*arrays, (), Loss(), group=np.array([0, 0]))).mass.tolist()
    [[2.0, 2.0]]
    """
    group = problem.group[problem.cell_of_step]
    order = np.lexsort((-problem.scores, group))
    sorted_group, scores = group[order], problem.scores[order]
    new = np.concatenate([[True], (sorted_group[1:] != sorted_group[:-1]) | (scores[1:] != scores[:-1])])
    starts = np.flatnonzero(new)
    offsets = np.searchsorted(sorted_group[starts], np.arange(int(problem.group.max()) + 2)).astype(np.int64)
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(new) - offsets[sorted_group]
    mass = np.add.reduceat(problem.mass[order], starts, axis=0)
    return Merged(offsets, scores[starts], mass, place)
