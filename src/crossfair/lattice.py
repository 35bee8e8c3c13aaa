"""The lattice of attribute subsets: how many can be measured, and which of them tell most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from crossfair.finding import Finding

Row = tuple[tuple[str, ...], Sequence[Finding]]

# So many subsets are readable in a page: all of those of seven attributes.
MOST_SUBSETS = 127


def readable_order(attributes: int) -> int:
    """Return the largest size up to which all subsets together are few enough to read.

    >>> readable_order(7), readable_order(10)
    (7, 2)
    """
    sizes = range(1, attributes + 1)
    totals = (sum(math.comb(attributes, size) for size in range(1, order + 1)) for order in sizes)
    return max(1, sum(total <= MOST_SUBSETS for total in totals))


def telling_first(rows: Sequence[Row], most: int | None = None) -> list[Row]:
    """Return the subsets, small ones first, and among those of one size the most telling ones first.

    What a subset tells is how far its ε exceeds that of every subset of it with one attribute fewer, for
    the metric where it does so most. With `most` only so many are kept, the most telling of all.
    """
    known = {frozenset(subset): [finding.epsilon for finding in found] for subset, found in rows}
    told = {subset: _excess(frozenset(subset), known) for subset, _ in rows}
    kept = sorted(rows, key=lambda row: -told[row[0]])[:most]
    return sorted(kept, key=lambda row: (len(row[0]), -told[row[0]]))


def _excess(subset: frozenset[str], known: Mapping[frozenset[str], Sequence[float]]) -> float:
    parts = [known[subset - {name}] for name in subset if len(subset) > 1]
    below = [max(column) for column in zip(*parts)] or [0.0] * len(known[subset])
    # Two infinite ε differ by nothing that could be told.
    return max(
        (0.0 if own == least else own - least for own, least in zip(known[subset], below)), default=0.0
    )
