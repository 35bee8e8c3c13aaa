"""The part of the page on Adult: audit, running example, repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from crossfair.numerals import number, span
from crossfair.paper import published
from crossfair.paper.blocks import Block, Chart, Heading, Table, Text
from crossfair.paper.flips_page import flips_blocks
from crossfair.paper.names import ESTIMATORS, METRICS, cell_words, signed
from crossfair.paper.published import COLUMNS, PERFORMANCE, UNCONSTRAINED
from crossfair.paper.rows import Figures, Row, one, select

SPLITS = {"train": "training data", "test": "test data"}
DECISIONS = {**COLUMNS, "derived": "derived (ours)"}
ROWS = {"tpr": "TPR", "fpr": "FPR", "loss": "expected loss"}


def audit_blocks(census: Figures) -> Iterator[Block]:
    """The audit of data and model, and the running example."""
    records, cells = census["records"], census["number_of_cells"]
    yield Heading(2, "Adult: data and model (section 4.2)")
    yield Text(
        f"{records['train']:,} training and {records['test']:,} test records, {cells} cells of sex, age over "
        "50 and race. The paper prints one figure of its chart: ε ≈ 8.14 for FPR parity on the training "
        "data. ∞ stands where no prior is added and a cell has a rate of 0."
    )
    yield Chart("audit", "ε of six metrics on the Adult training data, by estimator, with 95 % intervals")
    for split, words in SPLITS.items():
        yield Heading(3, f"ε with 95 % intervals, {words}")
        yield _audit(census, split)
    yield Heading(3, "ε of FPR parity against α = β, training data")
    yield Chart("alpha", "Smoothed ε of FPR parity of the given model against α = β")
    rows = [[f"{row['alpha']:.4g}", number(row["epsilon"])] for row in census["alpha"]]
    yield Table(["α = β", "ε"], rows, words=0)
    yield from _example(census["example"])


def repair_blocks(census: Figures) -> Iterator[Block]:
    """The repaired models: performance, ε before and after, flips."""
    yield Heading(2, f"Adult: repairs at ε ≤ 8.14 − log(400) ≈ {census['limit']:.4f} for equalized odds")
    yield Text(
        "False positives and false negatives cost 1 each; α = β = 0.01; no cell is exempt. No "
        "policy of its kind costs less than the proven bound. The price of the limit is what a method costs "
        "beyond the best thresholds without a limit. Training data:"
    )
    yield _certificates(census)
    yield Chart("losses", "Expected loss on the training data by method, the paper's beside ours")
    for split, words in SPLITS.items():
        yield Heading(3, f"Predictive performance, {words}")
        yield _performance(census, split)
    yield Heading(3, "ε of equalized odds before and after, with 95 % intervals")
    yield Text(
        "This metric alone is measured here, so its draws are not those of the tables above: figures that "
        "rest on draws differ from there by chance."
    )
    yield Chart("repaired", "ε of equalized odds before and after repair, by estimator, on both splits")
    for split, words in SPLITS.items():
        yield Text(f"{words.capitalize()}:")
        yield _before_and_after(census, split)
    yield from flips_blocks(census)


def _audit(census: Figures, split: str) -> Table:
    rows = select(census["audit"], split=split)
    table = _grid(rows, "metric", METRICS, _interval)
    if split == "test":
        return table
    printed = ["≈ 8.14" if name == "fpr_parity" else "–" for name in METRICS]
    lines = [[line[0], paper, *line[1:]] for line, paper in zip(table.rows, printed)]
    return Table(["Metric", "Paper", *table.columns[1:]], lines)


def _grid(rows: Sequence[Row], key: str, names: Mapping[str, str], show: Callable[[Row], str]) -> Table:
    """A line for each name, a column for each estimator."""
    cells = {(row[key], row["estimator"]): show(row) for row in rows}
    estimators = [name for name in ESTIMATORS if any(row["estimator"] == name for row in rows)]
    lines = [[words, *(cells[name, estimator] for estimator in estimators)] for name, words in names.items()]
    return Table([key.capitalize(), *(ESTIMATORS[name] for name in estimators)], lines)


def _interval(row: Row) -> str:
    if row["low"] is None:
        return number(row["epsilon"])
    return f"{number(row['epsilon'])} ({span(number, row['low'], row['high'])})"


def _example(example: Figures) -> Iterator[Block]:
    yield Heading(3, "Running example: share of high incomes by sex and race, training data")
    yield Text(
        "Smoothed ε of elift is "
        + "; ".join(
            f"{found['epsilon']:.3f}, set by {cell_words(found['cell'])}, with race {words}"
            for words, found in (("as coded", example["race"]), ("merged to four values", example["race_4"]))
        )
        + "."
    )
    rows = [
        [cell_words(row["cell"]), f"{row['records']:,}", f"{100 * row['rate']:.1f} %", _printed_share(row)]
        for row in example["race"]["rates"]
    ]
    yield Table(["Cell", "Records", "Ours", "Paper"], rows)


def _printed_share(row: Row) -> str:
    share = published.HIGH_INCOMES.get((row["cell"][0], row["cell"][1]))
    return "–" if share is None else f"{100 * share:.0f} %"


def _certificates(census: Figures) -> Table:
    """The loss of each method with its bound, and the price of the limit, beside the paper's."""
    paper = PERFORMANCE["train"]
    best = one(census["performance"], split="train", decisions=UNCONSTRAINED)["loss"]
    rows = []
    for row in census["certificates"]:
        ours, printed = row["objective"], paper.get(row["method"])
        price = None if printed is None else printed.loss - paper[UNCONSTRAINED].loss
        known = ["–", "–"] if printed is None else [f"{printed.loss:.4f}", signed(ours - printed.loss)]
        rows.append(
            [
                DECISIONS[row["method"]],
                f"{ours:.6f}",
                f"{row['bound']:.6f}",
                *known,
                f"{ours - best:.6f}",
                "–" if price is None else f"{price:.4f}",
            ]
        )
    return Table(
        ["Method", "Loss", "Proven bound", "Paper's loss", "Difference", "Price", "Paper's price"], rows
    )


def _performance(census: Figures, split: str) -> Table:
    """The paper's layout, with three lines for each of its own: paper, ours, difference."""
    ours = {row["decisions"]: row for row in select(census["performance"], split=split)}
    paper = PERFORMANCE[split]
    lines = []
    for key, words in ROWS.items():
        printed = {name: getattr(paper[name], key) if name in paper else None for name in ours}
        gaps = [None if printed[name] is None else row[key] - printed[name] for name, row in ours.items()]
        lines.append(
            [words, "paper", *("–" if value is None else f"{value:.4f}" for value in printed.values())]
        )
        lines.append(["", "ours", *(f"{row[key]:.4f}" for row in ours.values())])
        lines.append(["", "difference", *("–" if gap is None else signed(gap) for gap in gaps)])
    return Table(["", "", *(DECISIONS[name] for name in ours)], lines, words=2)


def _before_and_after(census: Figures, split: str) -> Table:
    rows = select(census["repaired"], split=split)
    return _grid(rows, "decisions", DECISIONS, _interval)
