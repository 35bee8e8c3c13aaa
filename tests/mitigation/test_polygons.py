"""Hulls of many cells at once, against one cell at a time; points as mixtures of their corners."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crossfair.mitigation.decode import acceptance_of_steps, mixture
from crossfair.mitigation.polygons import hull, polygons

STEP = st.tuples(st.integers(0, 3), st.integers(0, 3))
CELLS = st.lists(st.lists(STEP, max_size=8), min_size=1, max_size=4)


def corners(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The corners of the upper hull, one point after the other."""
    kept: list[tuple[int, int]] = []
    for x, y in points:
        while len(kept) > 1:
            (a, b), (c, d) = kept[-2:]
            if (d - b) * (x - c) > (y - d) * (c - a):
                break
            kept.pop()
        if not kept or kept[-1] != (x, y):
            kept.append((x, y))
    return kept


@given(CELLS)
def test_all_cells_at_once_give_the_hull_of_each(cells):
    """Equal points too: steps without weight must not take a corner with them."""
    paths = [[(0, 0), *(tuple(p) for p in np.cumsum(steps, axis=0).tolist())] for steps in map(_array, cells)]
    offsets = np.cumsum([0, *(len(path) for path in paths)])
    flat = np.array([point for path in paths for point in path], dtype=np.float64)
    kept, bounds = hull(flat[:, 0], flat[:, 1], offsets)
    for path, start, end in zip(paths, bounds[:-1], bounds[1:]):
        mine = [(int(x), int(y)) for x, y in flat[kept[start:end]]]
        assert list(dict.fromkeys(mine)) == corners(path)


@given(CELLS, st.booleans(), st.integers(0, 10**6))
def test_a_point_is_the_mixture_that_it_is_written_as(cells, monotone, seed):
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *(len(steps) for steps in cells)])
    mass = np.concatenate([_array(steps) for steps in cells]).astype(np.float64) * rng.uniform(0.1, 9.0)
    chosen = rng.random(len(mass))
    if monotone:
        for start, end in itertools.pairwise(offsets):
            chosen[start:end] = np.sort(chosen[start:end])[::-1]
    cell = np.repeat(np.arange(len(cells)), np.diff(offsets))
    x, y = (np.bincount(cell, column * chosen, len(cells)) for column in mass.T)
    shapes = polygons(offsets, mass, monotone=monotone)
    parts = mixture(shapes, x, y, np.zeros((2, len(cells))))
    written = acceptance_of_steps(offsets, shapes.order, parts)
    for wanted, column in zip((x, y), mass.T):
        assert np.allclose(np.bincount(cell, column * written, len(cells)), wanted, rtol=0, atol=1e-11)


def _array(steps: list[tuple[int, int]]) -> np.ndarray:
    return np.array(steps, dtype=np.int64).reshape(-1, 2)
