"""Rates per cell with intervals: sorted, sized by support, the driving pair marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crossfair.charts import theme
from crossfair.charts.theme import MAIN, MARKED, Row

ROLES = ("highest", "lowest", "other")
SHAPES = ("triangle-up", "triangle-down", "circle")


def rates(panels: Sequence[tuple[str, Sequence[Row]]], description: str) -> Any:
    """A panel per rate, each with a row per cell, in the order given.

    Rows have place, name, raw, low, high, records and role ("highest", "lowest" or "other"); where not all
    are `kept`, the others are found by a search field, and a row with a name alone stands for them.
    """
    alt = theme.altair()
    charts = alt.vconcat(*(_panel(alt, title, rows) for title, rows in panels), spacing=28)
    if any(theme.searched(rows) for _, rows in panels):
        charts = charts.add_params(theme.search(alt)).properties(autosize={"type": "pad", "resize": True})
    return theme.finish(charts, description)


def _panel(alt: Any, title: str, rows: Sequence[Row]) -> Any:
    base = alt.Chart(theme.data(rows)).encode(y=theme.rows_axis(alt, rows))
    base = theme.found(base) if theme.searched(rows) else base
    colour = alt.Color("role:N", scale=alt.Scale(domain=ROLES, range=[MARKED, MARKED, MAIN]), legend=None)
    x = alt.X(
        "low:Q",
        title=None,
        axis=alt.Axis(labelExpr=theme.PERCENT, tickCount=8, labelFlush=False),
        scale=alt.Scale(zero=True),
    )
    span = base.mark_rule(size=2, opacity=0.55).encode(x=x, x2="high:Q", color=colour)
    dot = base.mark_point(filled=True, opacity=1).encode(
        x=alt.X("raw:Q", title=None),
        color=colour,
        shape=alt.Shape("role:N", scale=alt.Scale(domain=ROLES, range=SHAPES), legend=None),
        size=alt.Size("records:Q", legend=None, scale=alt.Scale(type="sqrt", range=[30, 320])),
        tooltip=["name:N", alt.Tooltip("raw:Q", format=".2%"), alt.Tooltip("records:Q", format=",")],
    )
    chart = alt.layer(theme.names(alt, base), span, dot)
    return chart.properties(title=title, width=theme.WIDTH, height=theme.height(rows))
