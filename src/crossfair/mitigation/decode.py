"""From points to policies: a point of a cell's polygon as a mixture of corners, as steps of the score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossfair.mitigation.polygons import Chain, Polygons
from crossfair.mitigation.solution import Acceptance
from crossfair.ragged import search

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-14
BEYOND = 1e-13


@dataclass(frozen=True, eq=False)
class Part:
    """One corner per cell, accepting steps start … stop of the order, and its share in the mixture."""

    start: Ints
    stop: Ints
    share: Floats


def mixture(shapes: Polygons, x: Floats, y: Floats, rounding: Floats) -> list[Part]:
    """Write each point as a mixture of nobody and two neighbouring corners on the ray from nobody.

    A cell whose accepted weight differs from nothing, or everything, by its `rounding` at most has that.
    """
    whole = shapes.upper.x[shapes.upper.last], shapes.upper.y[shapes.upper.last]
    x, y = (_rounded(weight, end, rounding) for weight, end in zip((x, y), whole))
    above = y * shapes.upper.x[shapes.upper.last] >= x * shapes.upper.y[shapes.upper.last]
    upper, lower = (
        _along_ray(chain, x, y, sign) for chain, sign in ((shapes.upper, -1.0), (shapes.lower, 1.0))
    )
    return [
        Part(*(np.where(above, mine, other) for mine, other in zip(up, down)))
        for up, down in zip(upper, lower)
    ]


def _along_ray(chain: Chain, x: Floats, y: Floats, sign: float) -> list[tuple[Ints, Ints, Floats]]:
    before, after, share = _hit(chain, x, y, sign)
    end_x = chain.x[before] + share * (chain.x[after] - chain.x[before])
    end_y = chain.y[before] + share * (chain.y[after] - chain.y[before])
    wide = (end_x * chain.y[chain.last] > end_y * chain.x[chain.last]) | (end_y == 0)
    whole, part = np.where(wide, end_x, end_y), np.where(wide, x, y)
    reached = np.divide(part, whole, out=np.zeros(len(x)), where=whole > 0)
    beyond = reached > 1 + BEYOND
    if beyond.any():
        close = _on_chain(chain, x + y)
        before, after, share = (np.where(beyond, new, old) for new, old in zip(close, (before, after, share)))
    scale = np.clip(reached, 0.0, 1.0)
    scale = np.where(scale > 1 - ROUNDING, 1.0, scale)
    return [
        (chain.start[corner], chain.stop[corner], scale * weight)
        for corner, weight in ((before, 1.0 - share), (after, share))
    ]


def _hit(chain: Chain, x: Floats, y: Floats, sign: float) -> tuple[Ints, Ints, Floats]:
    """The edge of the chain that the ray from nobody through each point meets, and where on the edge."""
    with np.errstate(divide="ignore", invalid="ignore"):
        keys, angle = sign * chain.y / chain.x, sign * y / x
    second = np.minimum(chain.first + 1, chain.last)
    after = search(keys, second, chain.last, np.nan_to_num(angle, nan=0.0, posinf=np.inf, neginf=-np.inf))
    before = np.maximum(after - 1, chain.first)
    left = x * chain.y[before] - y * chain.x[before]
    right = x * chain.y[after] - y * chain.x[after]
    inside = (before > chain.first) & (left != right)
    share = np.where(inside, left / np.where(inside, left - right, 1.0), 1.0)
    return before, after, _snapped(np.clip(share, 0.0, 1.0))


def _on_chain(chain: Chain, size: Floats) -> tuple[Ints, Ints, Floats]:
    """The place on the chain where x + y is `size`: the point itself where the polygon is all but a line.

    There the corners lie on the ray up to rounding, which must not decide how far the ray goes.
    """
    keys = chain.x + chain.y
    after = search(keys, np.minimum(chain.first + 1, chain.last), chain.last, size)
    before = np.maximum(after - 1, chain.first)
    width = keys[after] - keys[before]
    share = np.divide(size - keys[before], width, out=np.ones(len(size)), where=width > 0)
    return before, after, _snapped(np.clip(share, 0.0, 1.0))


def _snapped(share: Floats) -> Floats:
    """Shares that only rounding keeps from 0 or 1."""
    return np.where(share > 1 - ROUNDING, 1.0, np.where(share < ROUNDING, 0.0, share))


def _rounded(weight: Floats, whole: Floats, rounding: Floats) -> Floats:
    weight = np.where(weight <= rounding[0], 0.0, weight)
    return np.where(weight >= whole - rounding[1], whole, weight)


def acceptance_of_steps(offsets: Ints, order: Ints | None, parts: list[Part]) -> Floats:
    """Probability with which each step is accepted under a mixture of corners."""
    chosen = np.zeros(offsets[-1])
    for part in parts:
        start, stop = offsets[:-1] + part.start, offsets[:-1] + part.stop
        for first, last, share in zip(start.tolist(), stop.tolist(), part.share.tolist()):
            chosen[first:last] += share
    chosen[chosen > 1 - ROUNDING] = 1.0
    if order is None:
        return chosen
    restored = np.empty_like(chosen)
    restored[order] = chosen
    return restored


def accept_first(offsets: Ints, scores: Floats, taken: Ints) -> Acceptance:
    """Steps that accept the first `taken` of each run's falling scores, and no other.

    >>> made = accept_first(np.array([0, 2, 3]), np.array([0.9, 0.1, 0.5]), np.array([1, 1]))
    >>> made.of(0), made.of(1)
    ((array([0.9]), array([0., 1.])), (array([], dtype=float64), array([1.])))
    """
    lengths = np.diff(offsets)
    cut = (taken > 0) & (taken < lengths)
    bounds = np.concatenate([[0], np.cumsum(cut)]).astype(np.int64)
    breaks = scores[offsets[:-1][cut] + taken[cut] - 1]
    everyone = (taken > 0) & ~cut
    return Acceptance(bounds, breaks, np.insert(np.ones(len(breaks)), bounds[:-1], everyone))


def steps_to_acceptance(offsets: Ints, scores: Floats, chosen: Floats) -> Acceptance:
    """Merge steps of equal probability into the breaks of a step function; an empty run rejects everyone."""
    lengths = np.diff(offsets)
    cell = np.repeat(np.arange(len(lengths)), lengths)
    changes = np.flatnonzero((chosen[:-1] != chosen[1:]) & (cell[:-1] == cell[1:]))
    changes = changes[np.lexsort((-changes, cell[changes]))]  # scores fall within a cell, breaks rise
    bounds = np.searchsorted(cell[changes], np.arange(len(offsets)))
    base = np.zeros(len(lengths))
    base[lengths > 0] = chosen[offsets[1:][lengths > 0] - 1]
    probabilities = np.insert(chosen[changes], bounds[:-1], base)
    return Acceptance(bounds.astype(np.int64), scores[changes], probabilities)
