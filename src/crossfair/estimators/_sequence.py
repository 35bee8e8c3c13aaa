"""Points that fill a cube evenly: any number of them, in any dimension, the same every time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def even_points(number: int, dimension: int) -> NDArray[np.float64]:
    """Return points (number, dimension) inside the unit cube: an additive sequence of irrational steps.

    >>> even_points(4, 1).ravel().round(3).tolist()
    [0.118, 0.736, 0.354, 0.972]
    """
    root = 1.5
    for _ in range(64):  # the root of x^(d+1) = x + 1, which generalises the golden ratio
        root = (1 + root) ** (1 / (dimension + 1))
    steps = root ** -np.arange(1.0, dimension + 1)
    points: NDArray[np.float64] = (0.5 + np.outer(np.arange(1, number + 1), steps)) % 1
    return points
