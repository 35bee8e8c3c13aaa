"""The cells of an audit with their raw rates, as a table in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crossfair import values
from crossfair.auditing import Audit
from crossfair.cli.terminal import clean, table
from crossfair.numerals import amount, share
from crossfair.rate_counts import RateCounts

MOST_RATES = 4


def cells(audit: Audit, on: Console, *, most: int) -> Table:
    """The cells by the estimate of their first rate, highest first; both ends of more than `most`."""
    columns = rates(audit)
    raw = [column.direct(column.observed).tolist() for column in columns.values()]
    grid = table("Cell, raw rates", "Records", *columns, numbers=1 + len(columns), on=on)

    def add(chosen: Sequence[int]) -> None:
        for cell in chosen:
            records = amount(float(audit.counts.support[cell]))
            shown = [share(None if math.isnan(rate[cell]) else rate[cell]) for rate in raw]
            grid.add_row(clean(audit.counts.cells.show(cell)), records, *shown)

    first = next(iter(columns.values()))
    estimates = first.direct(audit.measurement.applied.point(first)).tolist()
    order = sorted(range(len(estimates)), key=lambda cell: (math.isnan(raw[0][cell]), -estimates[cell], cell))
    if len(order) <= most:
        add(order)
        return grid
    upper = most - most // 2
    add(order[:upper])
    grid.add_row(Text(f"… {len(order) - most:,} more", "dim"))
    add(order[len(order) - most // 2 :])
    return grid


def rates(audit: Audit) -> dict[str, RateCounts]:
    """The first few rates of the audit's metrics by their headings; one minus another one is left out."""
    columns: dict[str, tuple[str, RateCounts]] = {}
    for outcome in audit.settings.outcomes_of(audit.counts):
        of = f"\n{clean(values.show(outcome))}" if audit.settings.outcomes == "all" else ""
        for finding in audit.findings.values():
            for rate in finding.metric.rates:
                column = RateCounts.of(audit.counts, rate, outcome)
                columns.setdefault(column.key, (f"{rate.name}{of}", column))
    return dict(list(columns.values())[:MOST_RATES])
