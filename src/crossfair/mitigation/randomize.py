"""`randomize`: for a binary prediction, one probability for the predicted 0 and one for the predicted 1.

A prediction is a score with two values, so a cell can attain the parallelogram (with flips) or the triangle
(without) that these two steps span: the linear program of `derived` with four corners per cell.
"""

from __future__ import annotations

from crossfair.errors import invalid
from crossfair.mitigation.derived import Derived, polygon_solver
from crossfair.mitigation.problem import Problem
from crossfair.mitigation.shared import Shared


def binary_solver(problem: Problem) -> Derived | Shared:
    """The solver of `derived`, for cells of two steps."""
    most = int((problem.offsets[1:] - problem.offsets[:-1]).max())
    if most > 2:
        raise invalid(
            "method",
            "'randomize' repairs a binary prediction",
            got=f"scores with {most} values in a cell",
            hint="Give prediction= instead of score=, or use method='derived'.",
        )
    return polygon_solver(problem)
