"""The metrics as the paper writes them: inequalities over all pairs of cells, from records, exactly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from crossfair.counts import Counts


class Record(NamedTuple):
    """Equal records: a cell, a label, a prediction, and how many there are."""

    cell: tuple[Any, ...]
    label: Any
    prediction: Any
    n: Fraction


# P(event | condition), as Tables 1 and 2 of the paper and, beyond them, the usual definitions have it.
Test = Callable[[bool, bool], bool]
RATES: dict[str, tuple[Test, Test]] = {
    "base": (lambda y, p: y, lambda y, p: True),
    "selection": (lambda y, p: p, lambda y, p: True),
    "tpr": (lambda y, p: p, lambda y, p: y),
    "fpr": (lambda y, p: p, lambda y, p: not y),
    "tnr": (lambda y, p: not p, lambda y, p: not y),
    "fnr": (lambda y, p: not p, lambda y, p: y),
    "ppv": (lambda y, p: y, lambda y, p: p),
    "npv": (lambda y, p: not y, lambda y, p: not p),
    "accuracy": (lambda y, p: y == p, lambda y, p: True),
}
METRICS = {
    "impact_ratio": ["base"],
    "statistical_parity": ["selection"],
    "tpr_parity": ["tpr"],
    "fpr_parity": ["fpr"],
    "equalized_odds": ["tpr", "fpr"],
    "tnr_parity": ["tnr"],
    "fnr_parity": ["fnr"],
    "ppv_parity": ["ppv"],
    "npv_parity": ["npv"],
    "accuracy_parity": ["accuracy"],
}


def records_of(counts: Counts) -> list[Record]:
    """The records that counts stand for."""
    known = counts.outcomes.values
    return [
        Record(cell, known[y], known[p], Fraction(counts.n[i, y, p].item()))
        for i, cell in enumerate(counts.cells.values)
        for y in range(counts.n.shape[1])
        for p in range(counts.n.shape[2])
    ]


def rate(records: Sequence[Record], name: str, outcome: Any) -> Fraction | None:
    """P(event | condition) of one outcome against the rest; None where the condition never holds."""
    event, condition = RATES[name]
    flagged = [(r.label == outcome, r.prediction == outcome, r.n) for r in records]
    whole = sum((n for y, p, n in flagged if condition(y, p)), Fraction(0))
    part = sum((n for y, p, n in flagged if condition(y, p) and event(y, p)), Fraction(0))
    return part / whole if whole else None


def least_epsilon(one: Fraction, other: Fraction) -> float:
    """The least ε ≥ 0 with e^−ε ≤ one / other ≤ e^ε; 0/0 needs none, and x/0 has none."""
    if one == other:
        return 0.0
    if 0 in (one, other):
        return math.inf
    return abs(math.log(one / other))


def epsilon(records: Sequence[Record], metric: str, outcomes: Sequence[Any]) -> float:
    """The least ε for which a metric's inequalities hold for all pairs of cells and all outcomes."""
    cells = dict.fromkeys(record.cell for record in records)
    groups = [[record for record in records if record.cell == cell] for cell in cells]
    worst = [0.0]
    for outcome in outcomes:
        if metric == "elift":
            overall = rate(records, "base", outcome)
            assert overall is not None
            found = [rate(group, "base", outcome) for group in groups]
            worst += [least_epsilon(r, overall) for r in found if r is not None]
            continue
        for name in METRICS[metric]:
            found = [rate(group, name, outcome) for group in groups]
            known = [r for r in found if r is not None]
            worst += [least_epsilon(one, other) for one, other in itertools.product(known, known)]
    return max(worst)
