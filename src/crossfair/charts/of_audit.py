"""Audit → chart: the rows of each chart, taken from the audit's own tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from crossfair import audit_tables
from crossfair.auditing import Audit
from crossfair.cells import Cell
from crossfair.charts import cells, epsilon, theme
from crossfair.charts.theme import Row
from crossfair.checks import whole
from crossfair.errors import choose
from crossfair.finding import Finding
from crossfair.lattice import readable_order
from crossfair.metrics import Rate
from crossfair.numerals import number, percent
from crossfair.values import Value, show
from crossfair.verdicts import Verdicts

# What a reader wants first of an audit that has no limits.
TELLING = ("equalized_odds", "statistical_parity", "impact_ratio")
ALPHAS = tuple(float(alpha) for alpha in np.geomspace(0.001, 1, 31))


@dataclass(frozen=True)
class Choice:
    """What a chart of an audit shows: one metric of several, the limits, at most so many cells."""

    metric: str
    verdicts: Verdicts | None = None
    most: int = 40
    lattice: dict[str, list[Any]] | None = field(default=None, repr=False)


def telling(audit: Audit, verdicts: Verdicts | None = None) -> str:
    """Return the metric to show first: the first one with a limit, else the most telling one."""
    limited = [] if verdicts is None else [verdict.metric for verdict in verdicts]
    return next(name for name in (*limited, *TELLING, *audit.findings) if name in audit.findings)


def chart(
    audit: Audit, name: str, *, metric: str | None = None, verdicts: Verdicts | None = None, most: int = 40
) -> Any:
    """Draw a chart of an audit: "epsilon", "rates", "lattice" or "prior"."""
    draw = CHARTS[choose("name", name, CHARTS)]
    chosen = telling(audit, verdicts) if metric is None else audit[metric].name
    return draw(audit, Choice(chosen, verdicts, whole("most", most, least=2)))


def epsilon_chart(audit: Audit, choice: Choice) -> Any:
    """ε per metric, with intervals and limits."""
    limits = {verdict.metric: verdict.limit for verdict in choice.verdicts or ()}
    found = list(audit.findings.values())
    rows = [_interval(finding.metric.words, finding, limits.get(finding.name)) for finding in found]
    told = "; ".join(f"{row['name']} {number(row['epsilon'])}" for row in rows)
    return epsilon.intervals(rows, f"Dot plot of ε per metric with intervals: {told}.", "ε")


def rates_chart(audit: Audit, choice: Choice) -> Any:
    """The rates of one metric per cell, highest first; both ends where there are more than `most`."""
    finding = audit[choice.metric]
    outcomes = audit.settings.outcomes_of(audit.counts)
    panels = [
        (_panel_title(rate, outcome, several=len(outcomes) > 1), rate_rows(audit, finding, rate, outcome))
        for rate in finding.metric.rates
        for outcome in outcomes
    ]
    told = "; ".join(
        f"{title} from {percent(rows[-1]['raw'])} in {rows[-1]['name']} to {percent(rows[0]['raw'])} "
        f"in {rows[0]['name']}"
        for title, rows in panels
    )
    shown = [(title, theme.ends(rows, choice.most)) for title, rows in panels]
    return cells.rates(shown, f"Dot plot with intervals of {len(audit.counts.cells)} cells: {told}.")


def lattice_chart(audit: Audit, choice: Choice) -> Any:
    """ε of one metric over the subsets of the attributes."""
    columns = choice.lattice or replace(audit, like=None).lattice(readable_order(len(audit.counts.by)))
    found = [
        {"name": name, "epsilon": point, "low": low, "high": high, "limit": None}
        for name, metric, point, low, high in zip(
            *(columns[key] for key in ("attributes", "metric", "epsilon", "low", "high"))
        )
        if metric == choice.metric
    ]
    told = "; ".join(f"{row['name']} {number(row['epsilon'])}" for row in found)
    title = f"ε of {audit[choice.metric].metric.words}"
    return epsilon.intervals(found, f"Dot plot of the {title} over subsets of the attributes: {told}.", title)


def prior_chart(audit: Audit, choice: Choice) -> Any:
    """ε against the α = β added to each cell: of the chosen metric, and of those that the prior dominates."""
    shown = [f for f in audit.findings.values() if f.name == choice.metric or f.evidence.prior_dominated]
    rows = [
        {"metric": finding.metric.words, "alpha": alpha, "epsilon": finding.epsilon_at(alpha)}
        for finding in shown
        for alpha in ALPHAS
    ]
    told = "; ".join(
        f"{f.metric.words} from {number(f.epsilon_at(ALPHAS[0]))} to {number(f.epsilon_at(ALPHAS[-1]))}"
        for f in shown
    )
    span = f"{ALPHAS[0]:g} to {ALPHAS[-1]:g}"
    return epsilon.prior(rows, f"Smoothed ε as α = β added to each cell goes from {span}: {told}.")


CHARTS: dict[str, Callable[[Audit, Choice], Any]] = {
    "epsilon": epsilon_chart,
    "rates": rates_chart,
    "lattice": lattice_chart,
    "prior": prior_chart,
}


def rate_rows(audit: Audit, finding: Finding, rate: Rate, outcome: Value) -> list[dict[str, Any]]:
    """The cells of one rate of a finding, highest first, cells without a rate last."""
    columns = audit_tables.rate_columns(audit.measurement, rate, outcome)
    rows = [
        {
            "name": audit.counts.cells.show(cell),
            "role": _role(finding, rate, outcome, values),
            **{key: columns[key][cell] for key in ("raw", "low", "high", "records")},
        }
        for cell, values in enumerate(audit.counts.cells.values)
    ]
    return sorted(rows, key=lambda row: (row["raw"] is None, -(row["raw"] or 0.0)))


def _role(finding: Finding, rate: Rate, outcome: Value, cell: Cell) -> str:
    for role, side in (("highest", finding.highest), ("lowest", finding.lowest)):
        if side is not None and (side.cell, side.rate, side.outcome) == (cell, rate.name, outcome):
            return role
    return "other"


def _interval(name: str, finding: Finding, limit: float | None) -> Row:
    known = finding.evidence.enough
    figures = {"epsilon": finding.epsilon, "low": finding.low, "high": finding.high}
    return {"name": name, **{key: value if known else None for key, value in figures.items()}, "limit": limit}


def _panel_title(rate: Rate, outcome: Value, *, several: bool) -> str:
    return f"{rate.words}, outcome {show(outcome)}" if several else rate.words
