"""The charts of the page, drawn from the figures of a run. Colour, shape and dashes tell estimators apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from typing import Any

from crossfair.charts import svg, theme
from crossfair.errors import missing_extra
from crossfair.paper.census_page import DECISIONS, SPLITS
from crossfair.paper.names import ESTIMATORS, METRICS
from crossfair.paper.published import PERFORMANCE

Figures = Mapping[str, Any]
Row = Mapping[str, Any]

COLOURS = {
    "smoothed": "#1c2733",
    "bootstrap": "#b4500b",
    "bayes": "#2c6aa8",
    "hierarchical": "#7a4a9e",
    "guaranteed": "#3d7d3a",
}
SHAPES = {
    "smoothed": "circle",
    "bootstrap": "square",
    "bayes": "triangle-up",
    "hierarchical": "diamond",
    "guaranteed": "cross",
}
WIDTH, HEIGHT = 560, 260

#: Those whose ε is finite; the guaranteed one's often is not, and stands in the tables.
DRAWN = [name for name in ESTIMATORS if name != "guaranteed"]


def require() -> None:
    """Say which extra to install if a library that draws is missing, before any work is done."""
    theme.altair()
    if find_spec("vl_convert") is None:
        raise missing_extra("vl-convert-python", "report", "a chart on a page")


def draw(figures: Figures) -> dict[str, str]:
    """Return the SVG of every chart by its name."""
    return {name: svg.draw(chart(figures), name) for name, chart in CHARTS.items()}


def standalone(picture: str) -> str:
    """Return a picture that is drawn to stand in a page as a file of its own."""
    named = picture.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return named.replace('style="width:', 'style="background:#ffffff;max-width:', 1) + "\n"


def comparison(figures: Figures) -> Any:
    """ε on the first data set of each size, with intervals."""
    alt = theme.altair()
    rows = [
        {**_named(row), **dict(zip(("epsilon", "low", "high"), row["first"][0])), "size": f"{row['size']:,}"}
        for row in figures["synthetic"]["summaries"]
        if row["estimator"] in DRAWN
    ]
    base = alt.Chart(theme.data(rows)).encode(
        x=alt.X("size:N", title="records", sort=None, axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("name:N", sort=[ESTIMATORS[name] for name in DRAWN]),
        color=_colour(alt, DRAWN),
    )
    layers = [
        _rule(alt, figures["synthetic"]["truth"]),
        base.mark_rule(size=1.5).encode(y=alt.Y("low:Q", title="ε"), y2="high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(
            y=alt.Y("epsilon:Q", title="ε"), shape=_shape(alt, DRAWN)
        ),
    ]
    words = "ε with its 95 % interval on one data set of each size; the line is the true ε."
    return theme.finish(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), words)


def error(figures: Figures) -> Any:
    """Mean squared error against size, both on logarithmic axes."""
    scale = theme.altair().Scale(type="log")
    words = "Mean squared error of ε against size, by estimator."
    return theme.finish(_against_size(figures, "mse", "mean squared error of ε", DRAWN, scale), words)


def coverage(figures: Figures) -> Any:
    """Coverage against size, with a line where it should be."""
    alt = theme.altair()
    names = [name for name in ESTIMATORS if name != "smoothed"]  # it has no interval
    lines = _against_size(figures, "coverage", "coverage", names, alt.Scale(domain=[0, 1]))
    words = "Share of the 95 % intervals that hold the true ε, against size; the line is 95 %."
    return theme.finish(alt.layer(_rule(alt, 0.95), lines), words)


def audit(figures: Figures) -> Any:
    """ε per metric and estimator, training data."""
    rows = [
        {**_named(row), **row, "line": METRICS[row["metric"]]}
        for row in figures["census"]["audit"]
        if row["split"] == "train" and row["estimator"] in DRAWN
    ]
    words = "ε per metric of the data and the given model, training data, with 95 % intervals."
    return theme.finish(_dots(rows, METRICS.values()), words)


def alpha(figures: Figures) -> Any:
    """ε of FPR parity against α = β."""
    alt = theme.altair()
    rows = figures["census"]["alpha"]
    axis = alt.Axis(values=[row["alpha"] for row in rows], format=".4~g")
    base = alt.Chart(theme.data(rows)).encode(
        x=alt.X("alpha:Q", title="α = β", scale=alt.Scale(type="log", nice=False, padding=16), axis=axis),
        y=alt.Y("epsilon:Q", title="ε of FPR parity", axis=alt.Axis(tickCount=5)),
    )
    layers = (
        base.mark_line(color=theme.MAIN),
        base.mark_point(color=theme.MAIN, filled=True, size=60, opacity=1),
        base.mark_text(dx=14, dy=-9).encode(text=alt.Text("epsilon:Q", format=".2f")),
    )
    chart = alt.layer(*layers).properties(width=WIDTH, height=200)
    return theme.finish(chart, "Smoothed ε of FPR parity falls as α = β grows.")


def losses(figures: Figures) -> Any:
    """Expected loss per method on the training data, the paper's beside ours."""
    alt = theme.altair()
    found = [row for row in figures["census"]["performance"] if row["split"] == "train"]
    ours = [{"line": DECISIONS[r["decisions"]], "whose": "ours", "loss": r["loss"]} for r in found]
    printed = PERFORMANCE["train"].items()
    paper = [{"line": DECISIONS[name], "whose": "paper", "loss": row.loss} for name, row in printed]
    whose = ["ours", "paper"]
    base = alt.Chart(theme.data([*ours, *paper])).encode(
        y=alt.Y("line:N", title=None, sort=list(DECISIONS.values()), axis=alt.Axis(labelLimit=300))
    )
    across = {"title": "expected loss", "scale": alt.Scale(zero=False), "axis": alt.Axis(tickCount=8)}
    between = base.mark_rule(color=theme.FAINT, size=4).encode(x=alt.X("min(loss):Q"), x2="max(loss):Q")
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("loss:Q", **across),
        color=alt.Color("whose:N", title=None, scale=_scale(alt, whose, [theme.MAIN, theme.MARKED])),
        shape=alt.Shape("whose:N", title=None, scale=_scale(alt, whose, ["circle", "diamond"])),
    )
    chart = alt.layer(between, points).properties(width=WIDTH - 100, height=200)
    return theme.finish(chart, "Expected loss on the training data by method, the paper's and ours.")


def repaired(figures: Figures) -> Any:
    """ε of equalized odds before and after repair, a panel per split, with the limit."""
    alt = theme.altair()
    census = figures["census"]
    panels = []
    for split, words in SPLITS.items():
        rows = [
            {**_named(row), **row, "line": DECISIONS[row["decisions"]]}
            for row in census["repaired"]
            if row["split"] == split and row["estimator"] in DRAWN
        ]
        panels.append(_dots(rows, DECISIONS.values(), limit=census["limit"]).properties(title=words))
    words = "ε of equalized odds of the given and the repaired models on both splits; the line is the limit."
    return theme.finish(alt.vconcat(*panels, spacing=24), words)


CHARTS: dict[str, Callable[[Figures], Any]] = {
    one.__name__: one for one in (comparison, error, coverage, audit, alpha, losses, repaired)
}


def _against_size(figures: Figures, key: str, title: str, names: list[str], scale: Any) -> Any:
    """A line for each estimator over the sizes."""
    alt = theme.altair()
    sizes = figures["settings"]["sizes"]
    rows = [
        {**_named(row), "size": row["size"], key: row[key]}
        for row in figures["synthetic"]["summaries"]
        if row["estimator"] in names
    ]
    across = alt.Scale(type="log", domain=[sizes[0], sizes[-1]])
    base = alt.Chart(theme.data(rows)).encode(
        x=alt.X("size:Q", title="records", scale=across, axis=alt.Axis(values=sizes, format=",")),
        y=alt.Y(f"{key}:Q", title=title, scale=scale),
        color=_colour(alt, names),
    )
    points = base.mark_point(filled=True, size=45, opacity=1).encode(shape=_shape(alt, names))
    return alt.layer(base.mark_line(size=1.5), points).properties(width=WIDTH, height=HEIGHT)


def _dots(rows: list[dict[str, Any]], lines: Iterable[str], limit: float | None = None) -> Any:
    """A band of estimators for each line, a dot and an interval each."""
    alt = theme.altair()
    base = alt.Chart(theme.data(rows)).encode(
        y=alt.Y("line:N", title=None, sort=list(lines), axis=alt.Axis(grid=True, labelLimit=300)),
        yOffset=alt.YOffset("name:N", sort=[ESTIMATORS[name] for name in DRAWN]),
        color=_colour(alt, DRAWN),
    )
    layers = [
        base.mark_rule(size=1.5).encode(x=alt.X("low:Q", title="ε"), x2="high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(
            x=alt.X("epsilon:Q", title="ε"), shape=_shape(alt, DRAWN)
        ),
    ]
    if limit is not None:
        rule = alt.Chart(theme.data([{"epsilon": limit}]))
        layers.insert(0, rule.mark_rule(color=theme.MUTED, strokeDash=[5, 3]).encode(x="epsilon:Q"))
    return alt.layer(*layers).properties(width=WIDTH - 100, height=alt.Step(9))


def _named(row: Row) -> dict[str, Any]:
    return {"estimator": row["estimator"], "name": ESTIMATORS[row["estimator"]]}


def _rule(alt: Any, height: float) -> Any:
    mark = alt.Chart(theme.data([{"height": height}])).mark_rule(color=theme.MUTED, strokeDash=[5, 3])
    return mark.encode(y="height:Q")


def _colour(alt: Any, names: list[str]) -> Any:
    words, colours = [ESTIMATORS[name] for name in names], [COLOURS[name] for name in names]
    return alt.Color("name:N", title=None, scale=_scale(alt, words, colours))


def _shape(alt: Any, names: list[str]) -> Any:
    words, shapes = [ESTIMATORS[name] for name in names], [SHAPES[name] for name in names]
    return alt.Shape("name:N", title=None, scale=_scale(alt, words, shapes))


def _scale(alt: Any, domain: list[str], values: list[str]) -> Any:
    return alt.Scale(domain=domain, range=values)
