"""Charts of a repair: thresholds and gray zones per cell, ROC curves and their region, the frontier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crossfair.charts import theme
from crossfair.charts.theme import FAINT, INK, MAIN, MARKED, MUTED, SHADE, Row


def thresholds(rows: Sequence[Row], segments: Sequence[Row], given: float | None, description: str) -> Any:
    """A bar per cell over the scores: dark where all are accepted, light where a coin decides.

    Rows have a name and, as segments do, a place; segments have start, end and the probability `accepted`.
    """
    alt = theme.altair()
    axis = theme.rows_axis(alt, rows)
    keep = theme.found if theme.searched(rows) else lambda chart: chart
    names = theme.names(alt, keep(alt.Chart(theme.data(rows)).encode(y=axis)))
    domain = [min(row["start"] for row in segments), max(row["end"] for row in segments)]
    x = alt.X(
        "start:Q", title="score", scale=alt.Scale(domain=domain, nice=False), axis=alt.Axis(labelFlush=False)
    )
    shade = alt.Color(
        "accepted:Q",
        title="accepted",
        scale=alt.Scale(domain=[0, 0.001, 1], range=[FAINT, SHADE, MAIN]),
        legend=alt.Legend(labelExpr=theme.PERCENT, gradientLength=160, values=[0, 0.5, 1]),
    )
    bar = keep(alt.Chart(theme.data(segments))).mark_bar(height=12)
    bar = bar.encode(
        y=axis, x=x, x2="end:Q", color=shade, tooltip=["name:N", "start:Q", "end:Q", "accepted:Q"]
    )
    layers = [names, bar]
    if given is not None:
        rule = alt.Chart(theme.data([{"start": given}]))
        layers.append(rule.mark_rule(color=MARKED, strokeDash=[5, 3], size=2).encode(x=x))
    chart = alt.layer(*layers).properties(width=theme.WIDTH, height=theme.height(rows))
    chart = chart.add_params(theme.search(alt)) if theme.searched(rows) else chart
    return theme.finish(chart, description)


def roc(curves: Sequence[Row], region: Sequence[Row], points: Sequence[Row], description: str) -> Any:
    """ROC curves, a line per cell; the region that the limits admit; the policy's points and the given ones.

    Rows of curves have name, step, fpr and tpr; those of the region fpr, fpr_end, tpr and tpr_end; points
    have name, decisions ("given" or "repaired"), fpr and tpr.
    """
    alt = theme.altair()
    percent = alt.Axis(labelExpr=theme.PERCENT, tickCount=5, labelFlush=False)
    axis = {"scale": alt.Scale(domain=[0, 1]), "axis": percent}
    fpr = alt.X("fpr:Q", title="false positive rate", **axis)
    tpr = alt.Y("tpr:Q", title="true positive rate", **axis)
    box = alt.Chart(theme.data(region)).mark_rect(fill=SHADE, opacity=0.7, stroke=MAIN, strokeWidth=1)
    box = box.encode(x=fpr, x2="fpr_end:Q", y=tpr, y2="tpr_end:Q")
    lines = alt.Chart(theme.data(curves)).mark_line(color=MUTED, strokeWidth=1, opacity=0.6)
    lines = lines.encode(x=fpr, y=tpr, detail="name:N", order="step:Q", tooltip="name:N")
    kinds = ["given", "repaired"]
    dots = alt.Chart(theme.data(points)).mark_point(opacity=1, strokeWidth=1.5)
    dots = dots.encode(
        x=fpr,
        y=tpr,
        shape=alt.Shape("decisions:N", title=None, scale=alt.Scale(domain=kinds, range=["cross", "circle"])),
        color=alt.Color("decisions:N", title=None, scale=alt.Scale(domain=kinds, range=[MARKED, MAIN])),
        size=alt.value(70),
        tooltip=["name:N", "decisions:N", "fpr:Q", "tpr:Q"],
    )
    chart = alt.layer(box, lines, dots).properties(width=400, height=400)
    return theme.finish(chart, description)


def frontier(rows: Sequence[Row], levels: Sequence[Row], top: float, description: str) -> Any:
    """Loss against ε, a line per method; what costs more than `top` leaves the chart upwards.

    Rows have method, epsilon and loss; levels have a name, a loss and the side of the line it stands on.
    """
    alt = theme.altair()
    least = min(row["loss"] for row in [*rows, *levels])
    domain = alt.Scale(domain=[least - 0.08 * (top - least), top], nice=False)
    loss = alt.Y("loss:Q", title="expected loss", scale=domain)
    epsilon = alt.X("epsilon:Q", title="limit on ε")
    line = (
        alt.Chart(theme.data(rows))
        .encode(x=epsilon, y=loss)
        .mark_line(color=MAIN, strokeWidth=1.5, clip=True)
        .encode(strokeDash=alt.StrokeDash("method:N", legend=None, sort=None))
    )
    near = alt.Chart(theme.data(row for row in rows if row["loss"] <= top)).encode(x=epsilon, y=loss)
    dot = near.mark_point(filled=True, opacity=1, size=55, color=MAIN).encode(
        shape=alt.Shape("method:N", title=None, sort=None), tooltip=["method:N", "epsilon:Q", "loss:Q"]
    )
    chart = alt.layer(*_levels(alt, levels, loss), line, dot).properties(width=theme.WIDTH, height=260)
    return theme.finish(chart, description)


def _levels(alt: Any, levels: Sequence[Row], loss: Any) -> list[Any]:
    layers = []
    for side, offset in (("bottom", -4), ("top", 4)):
        level = alt.Chart(theme.data(row for row in levels if row["side"] == side)).encode(y=loss)
        text = level.mark_text(align="right", baseline=side, dy=offset, color=INK)
        layers += [
            level.mark_rule(color=MARKED, strokeDash=[5, 3]),
            text.encode(x=alt.value("width"), text="name:N"),
        ]
    return layers
