"""The part of the page on synthetic data: ε, its squared error, and coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from crossfair.numerals import number, span
from crossfair.paper.blocks import Block, Chart, Heading, Table, Text
from crossfair.paper.names import ESTIMATORS, joined
from crossfair.paper.rows import Figures, Row


def synthetic_blocks(figures: Figures) -> Iterator[Block]:
    """The figures by size and estimator, each beside its chart."""
    rows = figures["synthetic"]["summaries"]
    yield Heading(2, "Synthetic data (section 4.1)")
    yield Text(
        "Six cells, one of them 5 % of the data; the true ε of the impact ratio is "
        f"{figures['synthetic']['truth']:.4f}. The figures rest on {_datasets(rows)} per size, the same ones "
        "for all estimators, with 1,000 resamples or draws each; ± is the Monte-Carlo standard error. The "
        "paper draws the first two charts without printing their figures or sizes; coverage, and the "
        "hierarchical and the guaranteed estimator, it does not have."
    )
    yield Heading(3, "ε on one data set of each size, with 95 % intervals")
    yield Chart(
        "comparison", "ε of the impact ratio against the size of the data, by estimator, with intervals"
    )
    yield _by_size(rows, _first)
    yield Heading(3, "Mean squared error of ε")
    yield Chart("error", "Mean squared error of ε against the size of the data, by estimator")
    yield _by_size(rows, _error)
    yield Heading(3, "Coverage: how often the 95 % interval holds the true ε")
    yield Chart("coverage", "Coverage of the 95 % intervals against the size of the data, by estimator")
    with_interval = [row for row in rows if row["width"] is not None]
    yield _by_size(with_interval, _coverage)
    yield Heading(3, "Median width of the 95 % intervals")
    yield _by_size(with_interval, lambda row: number(row["width"]))


def _datasets(rows: Sequence[Row]) -> str:
    most = rows[0]["datasets"]
    fewer = {ESTIMATORS[row["estimator"]]: row["datasets"] for row in rows if row["datasets"] < most}
    limited = joined([f"the first {number:,} for the {name} one" for name, number in fewer.items()])
    return f"{most:,} data sets" + (f" ({limited}, which takes longer)" if fewer else "")


def _by_size(rows: Sequence[Row], show: Callable[[Row], str]) -> Table:
    """A line for each size, a column for each estimator."""
    names = list(dict.fromkeys(row["estimator"] for row in rows))
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    cells = {(row["size"], row["estimator"]): show(row) for row in rows}
    lines = [[f"{size:,}", *(cells[size, name] for name in names)] for size in sizes]
    return Table(["Records", *(ESTIMATORS[name] for name in names)], lines, words=0)


def _first(row: Row) -> str:
    point, low, high = row["first"][0]
    return number(point) if low is None else f"{number(point)} ({span(number, low, high)})"


def _error(row: Row) -> str:
    if row["mse_error"] is None:
        return number(row["mse"])
    return f"{row['mse']:.3f} ± {row['mse_error']:.3f}"


def _coverage(row: Row) -> str:
    error = "" if row["coverage_error"] is None else f" ± {100 * row['coverage_error']:.1f}"
    return f"{100 * row['coverage']:.1f}{error} %"
