"""ε as dots with intervals: per metric with its limit, over the lattice of attribute subsets, against α."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crossfair.charts import theme
from crossfair.charts.theme import MAIN, MARKED, Row

TICKS = 6


def intervals(rows: Sequence[Row], description: str, title: str) -> Any:
    """A dot with an interval per row; `limit`, where there is one, is a bar across it.

    Rows have name, epsilon, low, high and limit; None where there is none.
    """
    alt = theme.altair()
    end = theme.end_of_axis(row[key] for row in rows for key in ("epsilon", "low", "high", "limit"))
    placed = [_placed(row, place, end) for place, row in enumerate(rows)]
    base = alt.Chart(theme.data(placed)).encode(y=theme.rows_axis(alt, placed))
    x = alt.X(
        "epsilon:Q",
        title=title,
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(tickCount=TICKS, labelFlush=False),
    )
    span = base.mark_rule(size=2, color=MAIN, opacity=0.7).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    dot = base.mark_point(filled=True, size=70, opacity=1, color=MAIN).encode(
        x=x, shape=alt.Shape("kind:N", scale=_kinds(alt), legend=None), tooltip=["name:N", "shown:N"]
    )
    limit = base.mark_tick(color=MARKED, thickness=3, size=16).encode(x=alt.X("limit:Q", title=title))
    shown = base.mark_text(align="left", baseline="middle", dx=8).encode(x=alt.value("width"), text="shown:N")
    chart = alt.layer(theme.names(alt, base), span, limit, dot, shown)
    return theme.finish(chart.properties(width=theme.WIDTH, height=theme.height(placed)), description)


def prior(rows: Sequence[Row], description: str) -> Any:
    """ε against the α = β added to each cell, a line per metric. Rows have metric, alpha and epsilon."""
    alt = theme.altair()
    end = theme.end_of_axis(row["epsilon"] for row in rows)
    names = list(dict.fromkeys(row["metric"] for row in rows))
    named, legend = (f"ε of {names[0]}", {"legend": None}) if len(names) == 1 else ("ε", {})
    placed = [{**row, "epsilon": theme.placed(row["epsilon"], end)} for row in rows]
    chart = alt.Chart(theme.data(placed)).encode(
        x=alt.X(
            "alpha:Q",
            title="α = β added to the counts",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(values=[0.001, 0.01, 0.1, 1], labelFlush=False),
        ),
        y=alt.Y("epsilon:Q", title=named, scale=alt.Scale(domain=[0, end], nice=False)),
        strokeDash=alt.StrokeDash("metric:N", title=None, sort=None, **legend),
    )
    line = chart.mark_line(color=MAIN, strokeWidth=2)
    return theme.finish(line.properties(width=theme.WIDTH, height=220), description)


def _placed(row: Row, place: int, end: float) -> Row:
    values = {key: theme.placed(row[key], end) for key in ("epsilon", "low", "high", "limit")}
    kind = "beyond the axis" if row["epsilon"] is not None and row["epsilon"] > end else "estimate"
    return {**row, **values, "place": place, "kind": kind, "shown": theme.spell_epsilon(row["epsilon"])}


def _kinds(alt: Any) -> Any:
    return alt.Scale(domain=["estimate", "beyond the axis"], range=["circle", "triangle-right"])
