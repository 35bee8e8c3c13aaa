"""docs/accuracy.md: the study's figures as tables and charts, with the rows that fall short marked."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.accuracy import charts, choosing, summary, worlds
from benchmarks.accuracy.charts import NAMES
from benchmarks.accuracy.study import FEWER, RUNS, Result, runs_of
from benchmarks.accuracy.summary import Claim, Figures, Table
from benchmarks.accuracy.truths import TRUTHS
from benchmarks.accuracy.worlds import Row
from benchmarks.common import python_version, table

DOCS = Path(__file__).parents[2] / "docs"
MARK = " ▼"
WITH_INTERVAL = ("hierarchical", "bayes", "bootstrap", "guaranteed")


def write(results: Sequence[Result]) -> None:
    """Write both pages and the charts."""
    figures = summary.table(results)
    grid = [found for found in figures.values() if found.row.part == "rates"]
    charts.coverage(grid).save(DOCS / "accuracy-coverage.svg")
    charts.error(grid).save(DOCS / "accuracy-error.svg")
    (DOCS / "accuracy.md").write_text(text(results), encoding="utf-8")
    (DOCS / "choosing-an-estimator.md").write_text(choosing.text(figures), encoding="utf-8")


def text(results: Sequence[Result]) -> str:
    """The page."""
    figures, rows = summary.table(results), worlds.rows()
    parts = [_head(figures), _claims(summary.claims(results)), _PICTURES]
    parts += [_truth(figures, rows, name) for name in TRUTHS]
    parts += [
        _section(figures, [row for row in rows if row.part == part], title, words)
        for part, (title, words) in _OTHERS.items()
    ]
    return "\n".join([*parts, _times(figures, rows)])


def _head(figures: Table) -> str:
    return (
        "# How good the intervals are\n\n"
        "Written by `python -m benchmarks.accuracy`; do not edit. "
        f"{datetime.date.today().isoformat()}, Python {python_version()}.\n\n"
        "An interval that does not cover is worse than none. Here truths are drawn, data are drawn from "
        "them, and every estimator, as it comes, gives ε with a 95 % interval; all estimators see the same "
        "data, and no choice in any of them was made on these data sets. "
        f"Runs per row: {_runs(figures)}.\n\n"
        "Cells have Dirichlet(0.8) shares of the records, so that many are small; three attributes of "
        "2 × 2 × 4, 4 × 4 × 4 and 4 × 8 × 8 levels make the cells. The truth is the ε of the rates of the "
        "cells that have records. Coverage stands with its standard error. "
        f"“{MARK.strip()}” marks coverage below 90 % (with main effects or heavy tails and 256 cells: below "
        "85 %). Widths are medians; squared error and bias are means over the runs.\n"
    )


def _runs(figures: Table) -> str:
    """How many runs each estimator got, in words."""
    told = []
    for name, shown in NAMES.items():
        runs = [found.runs for found in figures.values() if found.estimator == name]
        if runs:
            least = "" if min(runs) == max(runs) else f"{min(runs)} to "
            told.append(f"`{shown}` {least}{max(runs)}")
    unfinished = any(found.runs < runs_of(found.estimator, found.row, RUNS) for found in figures.values())
    rest = f"; run to its end, the command makes {RUNS} ({FEWER} of the dearest)" if unfinished else ""
    return ", ".join(told) + rest


def _claims(claims: Iterable[Claim]) -> str:
    rows = [
        [
            claim.words,
            claim.rows,
            "all" if not claim.short else f"all but {len(claim.short)}: {'; '.join(claim.short)}",
        ]
        for claim in claims
    ]
    return "## What is asked of `Hierarchical()`\n\n" + table(["asked", "rows", "held in"], rows)


def _truth(figures: Table, rows: Sequence[Row], name: str) -> str:
    chosen = [row for row in rows if row.part == "rates" and row.truth == name]
    words = TRUTHS[name].words
    return _section(figures, chosen, name[0].upper() + name[1:], words[0].upper() + words[1:] + ".")


def _section(figures: Table, rows: Sequence[Row], title: str, words: str) -> str:
    intervals = _by_row(figures, rows, WITH_INTERVAL, _interval)
    points = _by_row(figures, rows, tuple(NAMES), _point)
    return f"## {title}\n\n{words}\n\nCoverage, and width of the interval:\n\n{intervals}\n" + (
        f"Squared error, and bias of the point:\n\n{points}"
    )


def _by_row(figures: Table, rows: Sequence[Row], names: Sequence[str], tell: Callable[[Figures], str]) -> str:
    body = []
    for row in rows:
        found = [figures.get((row.key, name)) for name in names]
        body.append([row.cells, f"{row.records:,}", *("–" if each is None else tell(each) for each in found)])
    return table(["cells", "records", *(f"`{NAMES[name]}`" for name in names)], body)


def _interval(found: Figures) -> str:
    mark = MARK if found.short else ""
    return f"{found.coverage:.1%} ± {found.error_of_coverage:.1%}{mark} ({_number(found.width)})"


def _point(found: Figures) -> str:
    return f"{_number(found.squared_error)} ({found.bias:+.2f})" if math.isfinite(found.bias) else "∞"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "∞"


def _times(figures: Table, rows: Sequence[Row]) -> str:
    cells = sorted({row.cells for row in rows if row.part == "rates"})
    body = []
    for name, shown in NAMES.items():
        each = [
            [figures[row.key, name].seconds for row in rows if row.cells == c and (row.key, name) in figures]
            for c in cells
        ]
        body.append([f"`{shown}`", *(f"{1000 * sum(e) / len(e):.2g} ms" if e else "–" for e in each)])
    return "## Time\n\nProcessor time of one metric, on a machine that did other things too:\n\n" + table(
        ["estimator", *(f"{c} cells" for c in cells)], body
    )


_PICTURES = (
    "![Coverage of the 95 % interval, by truth and number of cells](accuracy-coverage.svg)\n\n"
    "![Squared error of ε, by truth and number of cells](accuracy-error.svg)\n"
)

_OTHERS = {
    "paper": (
        "The paper's synthetic set",
        "Six cells with the rates .05, .95 and four times .5, as in the paper; empty cells count, since the "
        "paper takes the cells as known. The truth is the same in all runs: log 19.",
    ),
    "classifier": (
        "Equalized odds of a classifier",
        "A normal score, higher by 1.5 for positive labels and shifted from cell to cell (0.3), is cut at "
        "one threshold; labels have log odds of mean −1, standard deviation 0.5. Equalized odds takes the "
        "larger of two ε, of cells with few positives.",
    ),
    "weights": (
        "Weighted records",
        "Logit-normal rates as above; every record has a log-normal weight (0.5). Guaranteed bounds refuse "
        "weights.",
    ),
}
