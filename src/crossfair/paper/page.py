"""The page: each published figure beside ours, the claims, the differences and what shows their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crossfair.numerals import number, span
from crossfair.paper import differences
from crossfair.paper.blocks import Block, Chart, Heading, Listing, Table, Text
from crossfair.paper.census_page import audit_blocks, repair_blocks
from crossfair.paper.names import ESTIMATORS, joined

Figures = Mapping[str, Any]

TITLE = "The paper, reproduced"


def blocks(figures: Figures, folder: str) -> list[Block]:
    """Return the page of a run, whose other files lie in `folder`."""
    return [
        *_opening(figures, folder),
        *_claims(figures, folder),
        *_differences(figures),
        *_synthetic(figures),
        *audit_blocks(figures["census"]),
        *repair_blocks(figures["census"]),
    ]


def _opening(figures: Figures, folder: str) -> Iterator[Block]:
    settings, retrained = figures["settings"], figures["retrained"]
    yield Heading(1, TITLE)
    yield Text(
        "G. Morina, V. Oliinyk, J. Waton, I. Marušić, K. Georgatzis: *Auditing and Achieving Intersectional "
        "Fairness in Classification Problems*, 2019. Both experiments of the paper (its section 4 and its "
        "appendices), with its published figures beside ours. This page is written by a command, which needs "
        "no network:"
    )
    yield Listing([_command(figures)])
    scores = "The scores of Adult come from the file that the package bundles"
    if retrained is None:
        yield Text(f"{scores}; `--retrain` trains the model again and compares them.")
    else:
        yield Text(
            f"{scores}; the model, trained again, gives {retrained['different']:,} of "
            f"{retrained['records']:,} another score."
        )
    yield Text(
        f"{settings['datasets']:,} synthetic data sets per size, seed {settings['seed']}. All figures are in "
        f"[figures.json]({folder}/figures.json); what is measured in seconds, the paper's claim on speed "
        f"with it, is in [seconds.json]({folder}/seconds.json)."
    )


def _command(figures: Figures) -> str:
    settings = figures["settings"]
    options = ["" if settings["seed"] == 0 else f" --seed {settings['seed']}"]
    options += [" --quick"] if settings["datasets"] < 1000 else []
    options += [] if figures["retrained"] is None else [" --retrain"]
    return "crossfair reproduce" + "".join(options)


def _claims(figures: Figures, folder: str) -> Iterator[Block]:
    yield Heading(2, "Claims")
    held = sum(claim["held"] for claim in figures["claims"])
    yield Text(
        f"Of {len(figures['claims'])} claims of the paper {held} held. Small data sets are those of up to "
        "1,000 records; losses are close up to a tenth of what doing without randomness costs in the paper; "
        "of squared errors one is larger where the difference exceeds two standard errors. One more claim, "
        f"on speed, is in [seconds.json]({folder}/seconds.json)."
    )
    rows = [
        [claim["words"], "held" if claim["held"] else "**not held**", claim["figures"]]
        for claim in figures["claims"]
    ]
    yield Table(["The paper's claim", "", "Figures"], rows, words=3)


def _differences(figures: Figures) -> Iterator[Block]:
    yield Heading(2, "Differences that matter, and what shows their reasons")
    for one in differences.list_all(figures):
        yield Text(f"**{one.words}.** {one.figures}")


def _synthetic(figures: Figures) -> Iterator[Block]:
    found = figures["synthetic"]
    rows = found["summaries"]
    yield Heading(2, "Synthetic data (section 4.1)")
    fewer = {ESTIMATORS[r["estimator"]]: r["datasets"] for r in rows if r["datasets"] < rows[0]["datasets"]}
    limited = joined([f"{datasets:,} for the {name} one" for name, datasets in fewer.items()])
    yield Text(
        f"Six cells, one of them 5 % of the data; ε of the impact ratio is {found['truth']:.4f} (paper: ≈ "
        f"2.94). The figures rest on {rows[0]['datasets']:,} data sets per size"
        + (f" ({limited}, whose cost is higher)" if fewer else "")
        + "; ± is the Monte-Carlo standard error. The paper shows the first two charts, without printing "
        "their figures or sizes, and not the third. Nor does it have the hierarchical and the guaranteed one."
    )
    yield Heading(3, "ε on one data set of each size, with 95 % intervals")
    yield Chart(
        "comparison", "ε of the impact ratio against the size of the data, by estimator, with intervals"
    )
    yield _first(rows)
    yield Heading(3, "Mean squared error of ε")
    yield Chart("error", "Mean squared error of ε against the size of the data, by estimator")
    yield _by_size(rows, lambda row: _with_error(row["mse"], row["mse_error"], 3))
    yield Heading(3, "Coverage: how often the 95 % interval holds the true ε")
    yield Chart("coverage", "Coverage of the 95 % intervals against the size of the data, by estimator")
    yield _by_size(rows, _coverage)
    yield Heading(3, "Median width of the 95 % intervals")
    yield _by_size(rows, lambda row: "–" if row["width"] is None else number(row["width"]))


def _first(rows: list[dict[str, Any]]) -> Table:
    def show(row: Mapping[str, Any]) -> str:
        first = row["first"]
        interval = "" if first["low"] is None else f" ({span(number, first['low'], first['high'])})"
        return f"{number(first['epsilon'])}{interval}"

    return _by_size(rows, show)


def _by_size(rows: list[dict[str, Any]], show: Any) -> Table:
    names = list(dict.fromkeys(row["estimator"] for row in rows))
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    cells = {(row["size"], row["estimator"]): show(row) for row in rows}
    lines = [[f"{size:,}", *(cells[size, name] for name in names)] for size in sizes]
    return Table(["Records", *(ESTIMATORS[name] for name in names)], lines, words=0)


def _with_error(value: float, error: float | None, digits: int) -> str:
    if error is None:
        return number(value)
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def _coverage(row: Mapping[str, Any]) -> str:
    if row["coverage"] is None:
        return "–"
    error = "" if row["coverage_error"] is None else f" ± {100 * row['coverage_error']:.1f}"
    return f"{100 * row['coverage']:.1f}{error} %"
