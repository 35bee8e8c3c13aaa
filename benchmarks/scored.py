"""Records with scores, in as many cells of very different size as wanted, for benchmarks of repairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BY = ["a", "b"]


def scored(cells: int, records: int, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Columns a, b (the cell), label and score; all scores differ, and tell less in some cells than others.

    Half of the records are spread evenly, so that no cell is empty; the shares of the rest are drawn. Base
    rates, and how far the scores of the two labels lie apart, differ between cells.
    """
    rng = np.random.default_rng(seed)
    shares = 0.5 / cells + 0.5 * rng.dirichlet(np.full(cells, 0.8))
    cell = rng.choice(cells, size=records, p=shares)
    label = rng.random(records) < rng.beta(4, 10, size=cells)[cell]
    apart, shift = rng.uniform(0.8, 2.0, size=cells), rng.normal(0.0, 0.3, size=cells)
    signal = shift[cell] + apart[cell] * label + rng.normal(size=records)
    wide = int(np.ceil(np.sqrt(cells)))
    return {
        "a": cell // wide,
        "b": cell % wide,
        "label": label.astype(np.int64),
        "score": 1 / (1 + np.exp(1.5 - signal)),
    }
