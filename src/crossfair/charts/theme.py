"""What the charts share: Altair itself, the colours, the sizes of text, rows of names, and ∞ on an axis.

Every mark that a colour tells apart is told apart by its shape or its dashes too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crossfair.charts.saving import saving
from crossfair.errors import missing_extra

Row = Mapping[str, Any]

INK = "#1c2733"
MUTED = "#5c6875"
FAINT = "#dde2e8"
MAIN = "#2c6aa8"
MARKED = "#b4500b"
SHADE = "#cfe0f1"

WIDTH = 460
STEP = 22
NAMES_WIDTH = 260
SEARCH = "search"
# Of more rows than this only those at the ends are in a chart.
MOST_SEARCHED = 5_000
# How an axis writes a share.
PERCENT = "format(datum.value * 100, '.3~g') + ' %'"
FONT = "Arial, 'Liberation Sans', sans-serif"


def altair() -> Any:
    """Return the module altair, or say which extra brings it."""
    try:
        import altair
    except ModuleNotFoundError as error:
        raise missing_extra("altair", "report", "a chart") from error
    return altair


def data(rows: Iterable[Row]) -> Any:
    """Return rows as the data of a chart."""
    return altair().Data(values=[dict(row) for row in rows])


def finish(chart: Any, description: str) -> Any:
    """Give a chart its look and its text alternative."""
    quiet = {"labelColor": MUTED, "titleColor": MUTED, "titleFontWeight": "normal"}
    finished = (
        chart.properties(description=description)
        .configure(font=FONT, background="transparent", padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            **quiet, gridColor=FAINT, domainColor=FAINT, tickColor=FAINT, labelFontSize=11, titleFontSize=11
        )
        .configure_legend(**quiet, labelFontSize=11, titleFontSize=11, orient="bottom")
        .configure_title(color=INK, fontSize=12, anchor="start", fontWeight="bold", offset=8)
        .configure_text(color=INK, fontSize=11)
    )
    return saving(finished)


def end_of_axis(values: Iterable[float | None]) -> float:
    """Return where an axis from 0 that holds these values ends; infinite ones are placed at its end.

    >>> end_of_axis([0.5, None, float("inf")])
    0.55
    """
    finite = [value for value in values if value is not None and math.isfinite(value)]
    return 1.1 * max(finite, default=1.0) or 1.0


def placed(value: float | None, end: float) -> float | None:
    """Return where a value stands on an axis: an infinite one at its end."""
    return None if value is None else min(value, end)


def spell_epsilon(value: float | None) -> str:
    """Return an ε as it stands beside its mark.

    >>> spell_epsilon(0.5), spell_epsilon(float("inf")), spell_epsilon(None)
    ('0.50', '∞', '')
    """
    if value is None:
        return ""
    return "∞" if math.isinf(value) else f"{value:.2f}"


def rows_axis(alt: Any, rows: Sequence[Row]) -> Any:
    """The vertical axis of charts with a row per name: by the field `place`, without ticks or labels."""
    domain = {} if searched(rows) else {"domain": [row["place"] for row in rows]}
    return alt.Y("place:O", axis=None, scale=alt.Scale(padding=0.4, **domain))


def ends(rows: Sequence[Row], most: int) -> list[Row]:
    """The rows with their places; of more than `most` both ends are kept, and a row stands for the others.

    The others can be searched for, unless they are too many for a page.
    """
    placed: list[Row] = [{**row, "place": place} for place, row in enumerate(rows)]
    if len(rows) <= most:
        return placed
    upper, end = most - most // 2, len(rows) - most // 2
    more: dict[str, Any] = {"name": f"… {end - upper:,} more …", "place": upper - 0.5}
    if len(rows) > MOST_SEARCHED:
        return [*placed[:upper], more, *placed[end:]]
    found: list[Row] = [{**row, "kept": not upper <= place < end} for place, row in enumerate(placed)]
    return [*found, {**more, "kept": None}]


def searched(rows: Iterable[Row]) -> bool:
    """Whether there are more rows than are shown at first, so that a search field finds the others."""
    return any(row.get("kept") is False for row in rows)


def search(alt: Any) -> Any:
    """A search field over a chart, which in a picture is empty."""
    field = alt.binding(input="search", placeholder="part of a name", name="Search the cells ")
    return alt.param(name=SEARCH, value="", bind=field)


def found(chart: Any) -> Any:
    """The rows of a chart that are kept while nothing is searched for, else those whose names are found.

    A row is kept, or not, by its field `kept`; where that is None it stands for those that are not.
    """
    named = f"datum.kept !== null && indexof(lower(datum.name), lower({SEARCH})) >= 0"
    return chart.transform_filter(f"{SEARCH} === '' ? datum.kept !== false : {named}")


def names(alt: Any, base: Any) -> Any:
    """The names of the rows, left of the plot; as marks, so that equal names stay different rows."""
    mark = base.mark_text(align="right", baseline="middle", dx=-10, limit=NAMES_WIDTH)
    return mark.encode(
        x=alt.value(0),
        text="name:N",
        color=alt.value(INK),
        opacity=alt.value(1),
        size=alt.value(11),
        tooltip="name:N",
    )


def height(rows: Sequence[Row]) -> Any:
    """Return the height of a chart with a row per name; where rows are searched for, of each row."""
    return {"step": STEP} if searched(rows) else STEP * max(len(rows), 1)
