"""The cheapest of any range, against numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossfair.mitigation.range_minimum import RangeMinimum


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 300))
def test_windows_and_blocks_find_the_first_of_the_cheapest(seed, size):
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 50, size).astype(np.float64)
    first = rng.integers(0, size, 200)
    last = np.minimum(first + rng.integers(0, size, 200), size - 1)
    wanted = [a + int(cost[a : b + 1].argmin()) for a, b in zip(first, last)]
    assert RangeMinimum(cost).find(first, last).tolist() == wanted
