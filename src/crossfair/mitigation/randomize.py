"""`randomize`: for a binary prediction, one probability for the predicted 0 and one for the predicted 1.

A prediction is a score with two values, so a cell can attain the parallelogram (with flips) or the triangle
(without) that these two steps span: the linear program of `derived` with four corners per cell.
"""

from __future__ import annotations

from crossfair.mitigation.derived import Derived


class Randomize(Derived):
    """The solver of `derived`, on the two steps of a binary prediction."""
