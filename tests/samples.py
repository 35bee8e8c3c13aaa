"""Small samples for tests of the repair: curves and counts, and strategies that make any."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from crossfair.cells import Cells
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.fixed import Fixed


def curves_of(rows: list[tuple[int, float, bool, int]], weights: list[float] | None = None) -> Curves:
    """Curves from (cell, score, label, records), with the weight of each record of a row."""
    cell, score, label, n = (np.array(column) for column in zip(*rows))
    sums = None
    if weights is not None:
        each = np.array(weights)
        sums = [Fixed.from_floats(n * each), Fixed.from_floats(n * each * each)]
    cells = Cells.of(["s"], [(name,) for name in "abcdef"[: cell.max() + 1]])
    given = {} if sums is None else {"weights": sums[0], "squares": sums[1]}
    return Curves.from_table(cells, cell, score, label, n, **given)


@st.composite
def curves(draw: st.DrawFn, weighted: bool | None = None) -> Curves:
    """Two to four cells, each with both labels."""
    cells = draw(st.integers(2, 4))
    row = st.tuples(st.integers(0, cells - 1), st.sampled_from([i / 8 for i in range(9)]), st.booleans())
    rows = [(*one, draw(st.integers(1, 20))) for one in draw(st.lists(row, max_size=20))]
    rows += [(cell, draw(st.floats(0, 1)), label, 5) for cell in range(cells) for label in (False, True)]
    if not (draw(st.booleans()) if weighted is None else weighted):
        return curves_of(rows)
    size = len(rows)
    return curves_of(rows, draw(st.lists(st.floats(0.1, 4), min_size=size, max_size=size)))


def hiring_counts(**changes: object) -> Counts:
    """Counts of a binary prediction for two sexes."""
    table = {
        "sex": ["F"] * 4 + ["M"] * 4,
        "good": [0, 0, 1, 1] * 2,
        "hired": [0, 1, 0, 1] * 2,
        "n": [60, 5, 25, 10, 40, 20, 10, 30],
    }
    return Counts.from_table({**table, **changes}, by=["sex"], label="good", prediction="hired")
