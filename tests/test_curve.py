"""Curves against a plain loop over the rows, however few or many there are per cell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crossfair.cells import Cells
from crossfair.curve import Curves


@pytest.mark.parametrize("small_cell", [1, 10**9], ids=["cell by cell", "all at once"])
@pytest.mark.parametrize("distinct", [7, 10**6])
def test_rows_in_any_order_become_steps_that_fall_within_each_cell(monkeypatch, small_cell, distinct):
    monkeypatch.setattr("crossfair.curve_rows.SMALL_CELL", small_cell)
    rng = np.random.default_rng(0)
    size, cells = 3_000, 5  # the last cell has no row
    cell, label = rng.integers(cells - 1, size=size), rng.integers(2, size=size)
    score = (rng.integers(distinct, size=size) - distinct // 2) / 8
    n = rng.integers(1, 4, size=size)
    table: Counter[tuple[int, float, int]] = Counter()
    for place, height, side, records in zip(cell, score, label, n):
        table[int(place), float(height), int(side)] += int(records)
    steps = sorted({(place, -height) for place, height, _ in table})

    known = Cells.of(["a"], [(i,) for i in range(cells)], {})
    curves = Curves.from_table(known, cell, score, label, n)
    assert list(zip(curves.cell_of_step.tolist(), (-curves.scores).tolist())) == steps
    assert curves.n.tolist() == [[table[i, -falling, side] for side in (0, 1)] for i, falling in steps]
    assert curves.offsets.tolist() == [sum(i < c for i, _ in steps) for c in range(cells + 1)]
