"""The certified frontier with its slider: for each ε the loss, the rates and the rule of every group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from crossfair.charts import of_policy, svg
from crossfair.charts.group_rates import measured, raw_rates
from crossfair.frontiers import Frontier, Point
from crossfair.metrics import metric, rate
from crossfair.numerals import NONE, number, percent
from crossfair.performance import REPAIRED
from crossfair.policy import Policy
from crossfair.report.model import Column, Figure, Item, Note, Phrase, Section, Slider, Table
from crossfair.report.rules import rule
from crossfair.report.subject import Repair

# Groups in the slider's table: each has its figures at each point of the frontier.
MOST_CELLS = 60
RATES = ("selection", "tpr", "fpr")
NOTHING = "no policy"


def section(subject: Repair, certified: Frontier) -> Section:
    """The frontier as a chart, a slider over it with a table of groups, and a table of its points."""
    frontier = with_own(certified, subject.policy)
    words = ", ".join(metric(name).words for name in frontier.metrics)
    note: Phrase = (
        f"The least loss for each limit on the ε of {words}, every point proven on the sample. "
        "A lower ε is fairer; what it costs is the rise of the loss.",
    )
    blocks = (Note(note), slider(subject, frontier), points_table(frontier))
    return Section("frontier", "Fairness against loss: the certified frontier", blocks)


def with_own(frontier: Frontier, policy: Policy) -> Frontier:
    """The frontier with the policy of the page among its points, where all its limits are one ε."""
    limits = set(policy.limits.values())
    alike = policy.terms.penalty is None and len(limits) == 1
    if not alike or limits & {point.epsilon for point in frontier}:
        return frontier
    own = Point(limits.pop(), policy)
    points = sorted([*frontier.points, own], key=lambda point: point.epsilon)
    return replace(frontier, points=tuple(points))


def slider(subject: Repair, frontier: Frontier) -> Slider:
    """The slider, at the point nearest to the policy's own limit."""
    caption: Phrase = (
        "Loss against the limit on ε. Squares, where there are any, are thresholds without coins: their "
        "distance is the price of determinism, which the table has also where they leave the chart upwards.",
    )
    chosen = _chosen(subject)
    points = _points(subject, frontier, chosen)
    limit = max(
        (value for name, value in subject.policy.limits.items() if name in frontier.metrics), default=0.0
    )
    start = min(range(len(frontier)), key=lambda place: abs(frontier.points[place].epsilon - limit))
    columns = (
        Column("Group"),
        Column("Rule"),
        *(() if subject.sample is None else (Column(rate(short).words, numeric=True) for short in RATES)),
    )
    shown: list[list[tuple[int, str, str | None]]] = points[start]["cells"]
    rows = tuple(
        (
            Item(subject.policy.cells.show(cell)),
            *(Item(text, share=None if share is None else float(share.rstrip("%")) / 100)
              for _, text, share in items),
        )
        for cell, items in zip(chosen, shown)
    )  # fmt: skip
    figure = Figure(svg.draw(of_policy.frontier_chart(frontier), "frontier-chart"), caption)
    more = len(subject.policy.cells) - len(chosen)
    title = "Groups at the chosen ε" + (f" ({len(chosen)} of {more + len(chosen):,})" if more else "")
    table = Table(title, columns, rows, "frontier-groups")
    return Slider("frontier-slider", "Limit on ε", figure, table, tuple(points), start)


def points_table(frontier: Frontier) -> Table:
    """Every point: its loss, its proven bound, its rates, the price of determinism."""
    columns = tuple(
        Column(name, numeric=True)
        for name in (
            "ε",
            "Loss",
            "Bound",
            "True positive rate",
            "False positive rate",
            "Price of determinism",
        )
    )
    rows = tuple(
        (
            Item(number(row["epsilon"]), sort=row["epsilon"]),
            Item(_loss(row["loss"])),
            Item(_loss(row["bound"])),
            Item(percent(row["tpr"])),
            Item(percent(row["fpr"])),
            Item(_loss(row["price_of_determinism"])),
        )
        for row in (point.row() for point in frontier)
    )
    return Table("The points of the frontier", columns, rows, "frontier-table")


def _loss(value: float | None) -> str:
    return NONE if value is None else f"{round(value, 4) + 0.0:.4f}"


def _chosen(subject: Repair) -> list[int]:
    """The cells of the slider's table: all, or the largest, or the first where their sizes are not known."""
    cells = np.arange(len(subject.policy.cells))
    if len(cells) > MOST_CELLS and subject.sample is not None:
        cells = np.argsort(-subject.sample.curves.records.sum(axis=1), kind="stable")
    return sorted(cells[:MOST_CELLS].tolist())


def _points(subject: Repair, frontier: Frontier, chosen: list[int]) -> list[dict[str, Any]]:
    """What the slider shows at each point: words, the marks of the chart, and the changed cells."""
    mark = 0
    points = []
    for point in frontier:
        marks = [] if point.policy is None else [mark]
        mark += len(marks)
        points.append({"words": _words(point), "marks": marks, "cells": _cells(subject, point, chosen)})
    return points


def _words(point: Point) -> str:
    if point.policy is None:
        return f"ε ≤ {number(point.epsilon)}: no policy of this kind is within the limit"
    found = point.policy.expected[REPAIRED]
    rates = f"true positive rate {percent(found.tpr)}, false positive rate {percent(found.fpr)}"
    return f"ε ≤ {number(point.epsilon)}: loss {found.loss:.4f}, {rates}"


def _cells(subject: Repair, point: Point, chosen: list[int]) -> list[list[tuple[int, str, str | None]]]:
    """Per group the column, the text and the width of the bar."""
    policy = point.policy
    width = 1 if subject.sample is None else 1 + len(RATES)
    if policy is None:
        return [[(1 + place, NOTHING, None) for place in range(width)] for _ in chosen]
    rows: list[list[tuple[int, str, str | None]]] = [
        [(1, rule(policy, row), None)] for row in _rows(policy, chosen)
    ]
    for place, rates in enumerate(_rates(subject, policy)):
        for row, cell in zip(rows, chosen):
            raw = rates[cell]
            row.append((2 + place, percent(raw), "0%" if raw is None else f"{100 * raw:.2f}%"))
    return rows


def _rows(policy: Policy, chosen: list[int]) -> list[int]:
    into = (
        policy.cells.marginal(policy.decide_by)[1] if policy.decide_by else np.zeros(len(policy.cells), int)
    )
    return [int(into[cell]) for cell in chosen]


def _rates(subject: Repair, policy: Policy) -> Iterator[list[float | None]]:
    if subject.sample is None:
        return
    found = measured(subject.sample, subject.sample.followed(policy), policy.terms)
    for short in RATES:
        yield raw_rates(found, short)
