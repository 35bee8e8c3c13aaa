"""Policy or frontier → chart: the rows of each chart, from the policy's steps and tables of rates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from crossfair.charts import policy as drawn
from crossfair.charts import theme
from crossfair.charts.group_rates import measured, raw_rates
from crossfair.charts.theme import Row
from crossfair.checks import whole
from crossfair.curve import Curves
from crossfair.errors import choose, invalid
from crossfair.frontiers import Frontier
from crossfair.measure import Measurement
from crossfair.metrics import metric
from crossfair.numerals import number, percent
from crossfair.performance import GIVEN, REPAIRED, UNCONSTRAINED
from crossfair.policy import Policy
from crossfair.read_sample import read_like
from crossfair.sample import Sample
from crossfair.steps import Steps

CHARTS = ("thresholds", "roc")

# Of more cells than this only some are shown, unless one asks for more.
MOST = 40

# Steps of a curve that are drawn: more are not seen at this size.
MOST_STEPS = 200

# Thresholds without coins may cost several times as much near ε = 0: the axis ends at so many times the
# spread of the other losses, or lower, with a little room above.
REACH, ROOM = 1.5, 0.08


def chart(policy: Policy, name: str, data: Any = None, *, most: int = MOST, **reading: Any) -> Any:
    """Draw a chart of a policy: "thresholds", or "roc", which needs the data."""
    choose("name", name, CHARTS)
    whole("most", most, least=2)
    if name == "thresholds":
        return thresholds_chart(policy, most)
    if data is None:
        raise invalid(
            "data", "the ROC curves need the data, which a policy does not hold", hint="Give data=…"
        )
    return roc_chart(policy, read_like(policy, data, reading), most)


def thresholds_chart(policy: Policy, most: int = MOST) -> Any:
    """The scores that are accepted, tossed for and rejected, per deciding cell.

    Of more than `most` cells these are the strictest and the most lenient, in that order.
    """
    if policy.source.kind != "score":
        raise invalid("name", "a policy of a binary prediction has no thresholds", got="thresholds")
    start, end = _reach(policy.steps, policy.source.threshold)
    bars = [list(_segments(policy.steps, cell, start, end)) for cell in range(len(policy.steps))]
    order = list(range(len(bars)))
    if len(order) > most:
        order.sort(key=lambda cell: sum((high - low) * accepted for low, high, accepted in bars[cell]))
    found: list[Row] = [{"name": policy.deciding_cells.show(cell), "cell": cell} for cell in order]
    rows = theme.ends(found, most)
    segments = [
        {**row, "start": low, "end": high, "accepted": accepted}
        for row in rows
        if "cell" in row
        for low, high, accepted in bars[row["cell"]]
    ]
    told = (
        f"Bars of {min(most, len(bars))} of {len(bars)} cells: the scores from {start:g} to {end:g} that are "
        "accepted."
    )
    return drawn.thresholds(rows, segments, policy.source.threshold, told)


def roc_chart(policy: Policy, sample: Sample, most: int = MOST) -> Any:
    """ROC curves of the largest cells, the region that the limits admit, given and repaired decisions."""
    curves = sample.curves
    largest = np.argsort(-curves.records.sum(axis=1), kind="stable")[:most].tolist()
    lines = [row for cell in sorted(largest) for row in _curve(curves, cell)]
    decisions = {GIVEN: sample.given, REPAIRED: sample.followed(policy)}
    found = {name: measured(sample, acceptance, policy.terms) for name, acceptance in decisions.items()}
    points = [row for name, rates in found.items() for row in _points(name, rates, largest)]
    region = _region(policy, found[REPAIRED])
    limits = ", ".join(f"{name} ≤ {number(limit)}" for name, limit in policy.limits.items())
    told = (
        f"ROC curves of {len(largest)} of {len(curves.cells)} cells with their given and repaired true and "
        f"false positive rates. The limits {limits} admit true positive rates from "
        f"{percent(region[0]['tpr'])} to {percent(region[0]['tpr_end'])} and false positive rates from "
        f"{percent(region[0]['fpr'])} to {percent(region[0]['fpr_end'])}."
    )
    return drawn.roc(lines, region, points, told)


def frontier_chart(*frontiers: Frontier) -> Any:
    """Loss against ε, a line per method; where the price of determinism is known, with and without coins."""
    rows = [row for frontier in frontiers for row in frontier_rows(frontier)]
    first = next((p.policy for frontier in frontiers for p in frontier if p.policy is not None), None)
    if first is None:
        raise invalid("frontier", "must hold at least one policy", got="none within any limit")
    levels = [
        {"name": f"{name} decisions", "side": side, "loss": first.expected[name].loss}
        for name, side in ((GIVEN, "bottom"), (UNCONSTRAINED, "top"))
        if name in first.expected
    ]
    told = "; ".join(f"{row['method']}, ε {number(row['epsilon'])}: {row['loss']:.4g}" for row in rows)
    return drawn.frontier(
        rows, levels, _top(rows, levels, first.method), f"Expected loss against the limit on ε. {told}."
    )


def _top(rows: Sequence[Row], levels: Sequence[Row], method: str) -> float:
    """Where the axis of losses ends: above those of the method and of the levels, and of others near them."""
    own = [row["loss"] for row in [*rows, *levels] if row.get("method", method) == method]
    spread = max(own) - min(own) or 0.1 * max(own) or 1.0
    near = [row["loss"] for row in rows if row["loss"] <= min(own) + REACH * spread]
    return float(max(own + near) + ROOM * spread)


def frontier_rows(frontier: Frontier) -> list[dict[str, Any]]:
    """The points of a frontier by method; those of its own method first."""
    own, other = [], []
    for point in frontier:
        if point.policy is None:
            continue
        loss, method = point.policy.expected[REPAIRED].loss, point.policy.method
        own.append({"method": method, "epsilon": point.epsilon, "loss": loss})
        if point.price_of_determinism is not None and method == "derived" and point.policy.terms.monotone:
            without_coins = loss + point.price_of_determinism
            other.append({"method": "threshold", "epsilon": point.epsilon, "loss": without_coins})
    return [*own, *other]


def _reach(steps: Steps, threshold: float) -> tuple[float, float]:
    """The scores to show: from 0 to 1 where all steps lie within, else a little around them."""
    edges = [*steps.breaks.tolist(), threshold]
    if min(edges) >= 0 and max(edges) <= 1:
        return 0.0, 1.0
    margin = 0.1 * (max(edges) - min(edges)) or 1.0
    return min(edges) - margin, max(edges) + margin


def _segments(steps: Steps, cell: int, start: float, end: float) -> Iterator[tuple[float, float, float]]:
    breaks, probabilities = steps.row(cell)
    edges = [start, *(min(max(edge, start), end) for edge in breaks), end]
    for low, high, accepted in zip(edges, edges[1:], probabilities):
        if low < high:
            yield low, high, accepted


def _curve(curves: Curves, cell: int) -> Iterator[Row]:
    low, high = int(curves.offsets[cell]), int(curves.offsets[cell + 1])
    sums = np.vstack([np.zeros((1, 2)), np.cumsum(curves.mass[low:high], axis=0)])
    shares = np.divide(sums, sums[-1], out=np.zeros_like(sums), where=sums[-1] > 0)
    chosen = np.unique(np.linspace(0, len(shares) - 1, MOST_STEPS).astype(np.int64))
    for step, (fpr, tpr) in enumerate(shares[chosen].tolist()):
        yield {"name": curves.cells.show(cell), "step": step, "fpr": fpr, "tpr": tpr}


def _points(decisions: str, found: Measurement, cells: Sequence[int]) -> Iterator[Row]:
    rates = {name: raw_rates(found, name) for name in ("fpr", "tpr")}
    for cell in cells:
        place = {name: column[cell] for name, column in rates.items()}
        yield {"name": found.counts.cells.show(cell), "decisions": decisions, **place}


def _region(policy: Policy, repaired: Measurement) -> list[dict[str, Any]]:
    """Between the lowest rate of the repaired decisions and e^ε times it, for the rates that are limited."""
    bounds = {"fpr": (0.0, 1.0), "tpr": (0.0, 1.0)}
    for name, limit in policy.limits.items():
        for limited in metric(name).rates:
            if limited.name in bounds:
                part = repaired.part(limited, True)
                low = float(repaired.point(part)[part.supported].min(initial=1.0))
                bounds[limited.name] = (low, min(1.0, low * math.exp(min(limit, 700.0))))
    return [
        {
            "fpr": bounds["fpr"][0],
            "fpr_end": bounds["fpr"][1],
            "tpr": bounds["tpr"][0],
            "tpr_end": bounds["tpr"][1],
        }
    ]
