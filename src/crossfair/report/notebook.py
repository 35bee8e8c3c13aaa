"""Objects as they show themselves in a notebook: a title and a small table, everything escaped."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from crossfair import values
from crossfair.auditing import Audit
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.evaluation import Evaluation
from crossfair.finding import Finding
from crossfair.frontiers import Frontier
from crossfair.metrics import metric
from crossfair.numerals import amount, factor, number, percent, span
from crossfair.performance import REPAIRED
from crossfair.policy import Policy
from crossfair.report import wording
from crossfair.report.rules import rule
from crossfair.report.text import Safe, element
from crossfair.verdicts import Verdicts

MOST_ROWS = 20

Rows = Iterable[Sequence[str]]


@functools.singledispatch
def html(shown: object) -> str:
    """Return an object as HTML for a notebook."""
    raise TypeError(type(shown).__name__)


@html.register
def _audit(shown: Audit) -> str:
    level = f"{100 * shown.settings.level:g} % interval"
    rows = [
        (
            finding.metric.words,
            number(finding.epsilon) + " *" * finding.evidence.prior_dominated,
            span(number, finding.low, finding.high),
            factor(finding.ratio),
            *(_side(finding, place) for place in ("highest", "lowest")),
        )
        for finding in shown.findings.values()
    ]
    prior = any(finding.evidence.prior_dominated for finding in shown.findings.values())
    return _shown(
        f"Audit of {_size(shown.counts)}, by {shown.settings.estimator.name}",
        ("Metric", "ε", level, "Ratio", "Highest", "Lowest"),
        rows,
        "* the prior, not the data, sets ε" if prior else "",
        numbers=range(1, 4),
    )


@html.register
def _finding(shown: Finding) -> str:
    rows = [
        ("ε", number(shown.epsilon)),
        ("Interval", span(number, shown.low, shown.high)),
        ("Ratio", factor(shown.ratio)),
        ("Highest", _side(shown, "highest")),
        ("Lowest", _side(shown, "lowest")),
        ("Cells compared", f"{shown.evidence.supported:,} of {shown.evidence.cells:,}"),
        *(("Note", note) for note in shown.evidence.notes),
    ]
    return _shown(f"Finding: {shown.metric.words}", ("", ""), rows)


@html.register
def _verdicts(shown: Verdicts) -> str:
    rows = [(v.verdict, v.words, number(v.limit), v.reason) for v in shown]
    columns = ("Verdict", "Metric", "Limit on ε", "Why")
    return _shown(f"Verdicts at confidence {shown.confidence:g}", columns, rows, numbers=(2,))


@html.register
def _policy(shown: Policy) -> str:
    rows = [
        (shown.deciding_cells.show(place), rule(shown, place)) for place in range(len(shown.deciding_cells))
    ]
    limits = ", ".join(f"ε of {metric(name).words} ≤ {number(limit)}" for name, limit in shown.limits.items())
    found, repaired = shown.certificate, shown.expected.get(REPAIRED)
    told = [] if repaired is None else [f"expected loss {repaired.loss:.4f} on the data fitted to"]
    told += (
        [] if found is None else [f"its certificate: objective {found.objective:.6g}, gap {found.gap:.2g}"]
    )
    title = f"Policy of the method {shown.method}: {limits or 'no limit'}"
    return _shown(title, ("Cell", "Accepts"), rows, "; ".join(told))


@html.register
def _frontier(shown: Frontier) -> str:
    rows = [
        (
            number(row["epsilon"]),
            *("–" if row[name] is None else f"{row[name]:.4f}" for name in ("loss", "bound")),
            *(percent(row[name]) for name in ("tpr", "fpr")),
        )
        for row in (point.row() for point in shown)
    ]
    words = ", ".join(metric(name).words for name in shown.metrics)
    columns = ("ε ≤", "Loss", "Bound", "TPR", "FPR")
    return _shown(f"Frontier: the least loss for each limit on {words}", columns, rows, numbers=range(5))


@html.register
def _evaluation(shown: Evaluation) -> str:
    rows = [
        (
            row["decisions"],
            f"{row['loss']:.4f}",
            metric(row["metric"]).words,
            number(row["epsilon"]),
            span(number, row["low"], row["high"]),
            number(row["limit"]),
            row["verdict"],
        )
        for row in shown.rows()
    ]
    columns = ("Decisions", "Loss", "Metric", "ε", "Interval", "Limit", "Verdict")
    title = f"Evaluation on {amount(shown.records)} records, of the population they come from"
    return _shown(title, columns, rows, numbers=(1, 3, 4, 5))


@html.register
def _counts(shown: Counts) -> str:
    known = [values.show(value) for value in shown.outcomes.values]
    labels = [f"label {value}" for value in known] if shown.has_label else [""]
    guesses = [f"predicted {value}" for value in known] if shown.has_prediction else [""]
    headings = [", ".join(filter(None, (label, guess))) for label in labels for guess in guesses]
    rows = (
        (shown.cells.show(place), amount(shown.support[place]), *map(amount, n.ravel().tolist()))
        for place, n in enumerate(shown.n)
    )
    numbers = range(1, 2 + len(headings))
    return _shown(f"Counts of {_size(shown)}", ("Cell", "Records", *headings), rows, numbers=numbers)


@html.register
def _curves(shown: Curves) -> str:
    steps = (shown.offsets[1:] - shown.offsets[:-1]).tolist()
    rows = (
        (shown.cells.show(place), f"{steps[place]:,}", *map(amount, pair))
        for place, pair in enumerate(shown.records.tolist())
    )
    columns = ("Cell", "Scores", "Negatives", "Positives")
    title = f"Curves of {amount(shown.records.sum())} records in {len(shown.cells):,} cells"
    return _shown(title, columns, rows, numbers=range(1, 4))


def _size(counts: Counts) -> str:
    cells = wording.several(len(counts.cells), "cell")
    return f"{amount(counts.records)} records in {cells} of {', '.join(counts.by)}"


def _side(finding: Finding, place: str) -> str:
    side = finding.highest if place == "highest" else finding.lowest
    return "–" if side is None else side.words()


def _shown(
    title: str, columns: Sequence[str], rows: Rows, note: str = "", numbers: Iterable[int] = ()
) -> str:
    """A title, a table of at most so many rows, and a note."""
    right = set(numbers)
    every = list(rows)
    aligned = [
        f"padding:.2em .6em;text-align:{'right' if place in right else 'left'}"
        for place in range(len(columns))
    ]
    heading = element("tr", *(element("th", name, style=how) for name, how in zip(columns, aligned)))
    body = [
        element("tr", *(element("td", element("bdi", text), style=how) for text, how in zip(row, aligned)))
        for row in every[:MOST_ROWS]
    ]
    more = f"… {len(every) - MOST_ROWS:,} more" if len(every) > MOST_ROWS else ""
    head = element("thead", heading) if any(columns) else None
    table = element("table", head, element("tbody", *body))
    notes: list[Safe] = [element("div", text) for text in (more, note) if text]
    return str(element("div", element("strong", title), table, *notes))
