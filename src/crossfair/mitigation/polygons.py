"""The (false positives, true positives) that a cell can attain: a polygon with an upper and a lower chain.

Steps are put in an order (by score, or by their share of positives when any acceptance is allowed), and a
corner of the polygon accepts a contiguous range of that order. All cells are handled at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crossfair.ragged import blocks, running_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PASSES = 40


@dataclass(frozen=True, eq=False)
class Chain:
    """Corners of all cells from bottom left to top right; each accepts steps start … stop of the order."""

    offsets: Ints
    x: Floats
    y: Floats
    start: Ints
    stop: Ints

    @cached_property
    def first(self) -> Ints:
        """Position of each cell's first corner."""
        return self.offsets[:-1]

    @cached_property
    def last(self) -> Ints:
        """Position of each cell's last corner."""
        return self.offsets[1:] - 1

    @cached_property
    def slope(self) -> Floats:
        """Slope of the edge after each corner; the value after a cell's last corner means nothing."""
        rise, run = np.diff(self.y, append=0.0), np.diff(self.x, append=0.0)
        return np.asarray(np.divide(rise, run, out=np.full(len(run), np.inf), where=run > 0))


@dataclass(frozen=True, eq=False)
class Polygons:
    """Upper and lower chain of every cell, and the order of its steps (None: as they come)."""

    upper: Chain
    lower: Chain
    order: Ints | None

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.upper.offsets) - 1


def polygons(offsets: Ints, mass: Floats, *, monotone: bool) -> Polygons:
    """Build the polygons of acceptance that rises with the score, or of any acceptance.

    >>> made = polygons(np.array([0, 2]), np.array([[1.0, 3.0], [4.0, 2.0]]), monotone=True)
    >>> made.upper.x.tolist(), made.upper.y.tolist(), made.lower.y.tolist()
    ([0.0, 1.0, 5.0], [0.0, 3.0, 5.0], [0.0, 5.0])
    """
    order = None if monotone else _by_share(offsets, mass)
    ordered = mass if order is None else mass[order]
    bounds = offsets + np.arange(len(offsets))
    x, y = (running_sums(ordered[:, label], offsets) for label in (0, 1))
    place = np.arange(len(x)) - np.repeat(bounds[:-1], np.diff(bounds))
    upper = _select(x, y, place, bounds, sign=1.0)
    if monotone:
        return Polygons(upper, _select(x, y, place, bounds, sign=-1.0), order)
    return Polygons(upper, _mirrored(upper), order)


def _by_share(offsets: Ints, mass: Floats) -> Ints:
    total = mass.sum(axis=1)
    share = np.divide(mass[:, 1], total, out=np.zeros(len(mass)), where=total > 0)
    cell = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.lexsort((-share, cell))


def _select(x: Floats, y: Floats, place: Ints, bounds: Ints, sign: float) -> Chain:
    kept, offsets = hull(x, sign * y, bounds)
    stop = place[kept]
    return Chain(offsets, x[kept], y[kept], np.zeros_like(stop), stop)


def _mirrored(upper: Chain) -> Chain:
    """The lower chain of any acceptance: what an upper corner rejects, accepted."""
    lengths = np.diff(upper.offsets)
    ends = upper.offsets[1:] - 1
    back = np.repeat(upper.offsets[:-1] + ends, lengths) - np.arange(len(upper.x))
    far = np.repeat(ends, lengths)  # the corner where everyone is accepted
    x, y = upper.x[far] - upper.x[back], upper.y[far] - upper.y[back]
    return Chain(upper.offsets, x, y, upper.stop[back], upper.stop[far])


def hull(x: Floats, y: Floats, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the corners of the upper hull of each run of points, x rising, and their offsets.

    >>> hull(np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.1, 2.0]), np.array([0, 3]))
    (array([0, 2]), array([0, 2]))
    """
    found = [np.zeros(0, np.int64)]
    lengths = np.zeros(len(offsets) - 1, np.int64)
    for first, stop in blocks(offsets):
        start, end = offsets[first], offsets[stop]
        corners, bounds = _hull(x[start:end], y[start:end], offsets[first : stop + 1] - start)
        found.append(start + corners)
        lengths[first:stop] = np.diff(bounds)
    return np.concatenate(found), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _hull(x: Floats, y: Floats, offsets: Ints) -> tuple[Ints, Ints]:
    """The same for runs that together are short.

    A point on or below the line between its neighbours is no corner, so all of these can go at once;
    what remains is looked at again. The few runs that are not settled soon are finished one by one.
    """
    kept = np.arange(len(x))
    run = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    done: list[Ints] = []
    for _ in range(PASSES):
        inner = _below_neighbours(x[kept], y[kept], run[kept])
        if not inner.any():
            break
        busy = np.zeros(len(offsets) - 1, dtype=np.bool_)
        busy[run[kept[inner]]] = True
        kept = kept[~inner]
        settled = ~busy[run[kept]]
        done.append(kept[settled])
        kept = kept[~settled]
    else:
        kept = _one_by_one(x, y, run, kept)
    corners = np.sort(np.concatenate([*done, kept]))
    return corners, np.searchsorted(run[corners], np.arange(len(offsets))).astype(np.int64)


def _below_neighbours(x: Floats, y: Floats, run: Ints) -> NDArray[np.bool_]:
    """Which inner points are no corners; of equal points all but one, and only then is that one judged."""
    inner = np.zeros(len(x), dtype=np.bool_)
    dx, dy = np.diff(x), np.diff(y)
    same = (dx == 0) & (dy == 0)
    turn = (dy[:-1] * dx[1:] <= dy[1:] * dx[:-1]) & ~same[1:]
    ends = np.append(run[1:-1] != run[2:], True)  # whether the next point ends its run
    inner[1:-1] = (turn | same[:-1] | (same[1:] & ends[1:])) & (run[:-2] == run[2:])
    return inner


def _one_by_one(x: Floats, y: Floats, run: Ints, kept: Ints) -> Ints:
    corners: list[int] = []
    for point in kept.tolist():
        while len(corners) > 1 and run[corners[-2]] == run[point]:
            a, b = corners[-2:]
            if (y[b] - y[a]) * (x[point] - x[b]) > (y[point] - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(point)
    return np.array(corners, dtype=np.int64)
