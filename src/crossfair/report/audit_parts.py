"""The parts of a page about an audit: ε, groups, lattice, intervals, the prior, methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from crossfair import audit_tables, values
from crossfair.charts import of_audit, svg
from crossfair.finding import Finding
from crossfair.metrics import Metric, Rate, rate
from crossfair.numerals import NONE, amount, counted, factor, number, percent, span
from crossfair.report import wording
from crossfair.report.model import Column, Figure, Item, Note, Phrase, Section, Strong, Table
from crossfair.report.subject import Subject
from crossfair.values import Value
from crossfair.verdicts import Verdict

MOST_RATES = 7
MOST_ROWS = 2_000
Heading = tuple[str, tuple[Rate, Value]]

ALPHAS = (0.01, 0.1, 1 / 3, 1.0)


def sections(subject: Subject) -> tuple[Section, ...]:
    """The parts in their order; those that have nothing to show are left out."""
    parts: tuple[Callable[[Subject], Section | None], ...] = (
        metrics,
        groups,
        lattice,
        intervals,
        prior,
    )
    return tuple(section for section in (part(subject) for part in parts) if section is not None)


def figure(subject: Subject, name: str, caption: Phrase) -> Figure:
    """Draw one of the audit's charts."""
    chart = of_audit.CHARTS[name](subject.audit, subject.choice)
    return Figure(svg.draw(chart, f"{name}-chart"), caption)


def metrics(subject: Subject) -> Section:
    """ε per metric, with interval, limit and verdict."""
    limits = {verdict.metric: verdict for verdict in subject.verdicts or ()}
    level = f"{100 * subject.audit.settings.level:g} % interval"
    columns = [
        Column("Metric"),
        Column("ε", numeric=True, note="log of the highest rate over the lowest"),
        Column(level, numeric=True),
        Column("Ratio", numeric=True, note="the highest rate over the lowest: exp(ε)"),
        Column("Raw ε", numeric=True, note="without any prior or smoothing"),
        Column("Groups compared", numeric=True),
        *([Column("Limit", numeric=True), Column("Verdict")] if limits else []),
        Column("Highest"),
        Column("Lowest"),
    ]
    rows = [_metric(finding, limits, shown=bool(limits)) for finding in subject.audit.findings.values()]
    table = Table("ε per metric", tuple(columns), tuple(rows), "metrics-table")
    caption: Phrase = (
        "ε per metric with its interval",
        "; a bar across marks the limit." if limits else ".",
        " 0 means equal rates in all groups; each step of 0.69 doubles the ratio.",
    )
    return Section("metrics", "How unequal: ε per metric", (figure(subject, "epsilon", caption), table))


def groups(subject: Subject) -> Section:
    """Every cell with its rates and counts."""
    audit = subject.audit
    cells = audit.counts.cells
    rates = list(_rates(subject))[:MOST_RATES]
    shown = _shown(subject, rates)
    tables = [audit_tables.rate_columns(audit.measurement, *rate, shown) for _, rate in rates]
    columns = (
        *(Column(name, filtered=True) for name in audit.counts.by),
        Column("Records", numeric=True),
        *(Column(heading, numeric=True, note="share, counts and interval of this group alone")
          for heading, _ in rates),
    )  # fmt: skip
    support = audit.counts.support.tolist()
    rows = tuple(
        (
            *(Item(values.show(value)) for value in cell),
            Item(amount(support[place]), sort=support[place]),
            *(_rate(table, row) for table in tables),
        )
        for row, (place, cell) in enumerate((place, cells.values[place]) for place in shown)
    )
    level = f"{100 * audit.settings.level:g} %"
    told = f"Raw rates, with an exact {level} interval of each group on its own, and the counts behind."
    note = Note((told,) if len(shown) == len(cells) else (told, " ", _chosen(len(shown), len(cells))))
    table = Table("Groups with their rates", columns, rows, "groups-table", searchable=True)
    return Section("groups", "The groups", (note, table))


def lattice(subject: Subject) -> Section | None:
    """ε over every subset of the attributes: which attribute or intersection drives it."""
    if len(subject.audit.counts.by) < 2:
        return None
    found = list(subject.audit.findings.values())
    columns = (Column("Attributes"), *(Column(finding.metric.words, numeric=True) for finding in found))
    table = subject.lattice
    size = len(found)
    rows = tuple(
        (
            Item(table["attributes"][start]),
            *(_epsilon(*(table[key][start + place] for key in ("epsilon", "low", "high")))
              for place in range(size)),
        )
        for start in range(0, len(table["attributes"]), size)
    )  # fmt: skip
    words = subject.audit[subject.main].metric.words
    order, most = max(table["order"]), len(subject.audit.counts.by)
    of = "every combination" if order == most else f"combinations of up to {order}"
    caption = (f"ε of {words} over {of} of the attributes: where it jumps, they meet badly.",)
    blocks = (figure(subject, "lattice", caption), Table("ε per combination", columns, rows, "lattice-table"))
    return Section("lattice", "Which attribute, which intersection", blocks)


def intervals(subject: Subject) -> Section:
    """The rates behind the main metric, with intervals."""
    words = subject.audit[subject.main].metric.words
    caption: Phrase = (
        f"The rates that {words} compares, highest first. The size of a mark is the number of records; ",
        "▲ and ▼ are the pair that sets ε; lines are intervals of each group on its own.",
    )
    return Section("intervals", "Rates and their intervals", (figure(subject, "rates", caption),))


def prior(subject: Subject) -> Section:
    """How much ε depends on the α and β added to each cell."""
    columns = (Column("Metric"), *(Column(f"α = β = {alpha:.3g}", numeric=True) for alpha in ALPHAS))
    rows = tuple(
        (Item(finding.metric.words), *(Item(number(finding.epsilon_at(alpha))) for alpha in ALPHAS))
        for finding in subject.audit.findings.values()
    )
    caption: Phrase = (
        "Smoothed ε against the α = β added to each group’s counts. ",
        Strong("A steep line says that the assumption sets ε, not the data."),
    )
    blocks = (figure(subject, "prior", caption), Table("Smoothed ε by α", columns, rows, "prior-table"))
    return Section("prior", "How much is assumed", blocks)


def _metric(finding: Finding, limits: dict[str, Verdict], *, shown: bool) -> tuple[Item, ...]:
    verdict = limits.get(finding.name)
    mark = "; set by the prior" if finding.evidence.prior_dominated else ""
    judged = [Item("–"), Item("–")]
    if verdict is not None:
        word = wording.BADGES[verdict.verdict]
        judged = [Item(number(verdict.limit)), Item(word, detail=verdict.reason, tone=verdict.verdict)]
    evidence = finding.evidence
    figures = (
        Item(number(finding.epsilon), sort=finding.epsilon),
        Item(span(number, finding.low, finding.high)),
        Item(factor(finding.ratio)),
        Item(number(finding.epsilon_at(0.0))),
    )
    sides = tuple(_side(finding, side) for side in (finding.highest, finding.lowest))
    return (
        Item(finding.metric.words, detail=f"{_compared(finding.metric)}{mark}"),
        *(figures if evidence.enough else len(figures) * (Item(NONE),)),
        Item(f"{evidence.supported:,} of {evidence.cells:,}"),
        *(judged if shown else ()),
        *(sides if evidence.enough else len(sides) * (Item(NONE),)),
    )


def _side(finding: Finding, side: Any) -> Item:
    if side is None:
        return Item("–")
    figures = f"{percent(side.raw)}: {counted(side.successes)} of {counted(side.trials)}"
    of = f"{rate(side.rate).words} " if len(finding.metric.rates) > 1 else ""
    return Item(wording.who(side), detail=f"{of}{figures}")


def _compared(metric: Metric) -> str:
    """What a metric compares, in words."""
    with_whom = ", with everyone’s" if metric.comparison == "population" else ""
    return " and ".join(one.words for one in metric.rates) + with_whom


def _shown(subject: Subject, rates: Sequence[Heading]) -> Sequence[int]:
    """The cells that stand in the page: all, or where they are many those at the ends of each rate."""
    cells = len(subject.audit.counts.cells)
    if cells <= MOST_ROWS:
        return range(cells)
    each, measurement = MOST_ROWS // len(rates), subject.audit.measurement
    return sorted({place for _, rate in rates for place in audit_tables.ends(measurement, *rate, each)})


def _chosen(shown: int, cells: int) -> str:
    """Which cells stand in the page, where they are many."""
    return (
        f"Here are {shown:,} of {cells:,} groups: those with the highest and lowest estimates of each rate."
    )


def _rates(subject: Subject) -> Iterator[Heading]:
    """Heading, rate and outcome of each rate of the metrics; of a rate and its complement the first."""
    audit = subject.audit
    seen: set[str] = set()
    wanted: list[tuple[Rate, Value]] = [
        (rate, outcome)
        for finding in audit.findings.values()
        for rate in finding.metric.rates
        for outcome in audit.settings.outcomes_of(audit.counts)
    ]
    for one, outcome in wanted:
        key = audit.measurement.part(one, outcome).counts.key
        if key not in seen:
            seen.add(key)
            of = f", {values.show(outcome)}" if audit.settings.outcomes == "all" else ""
            yield f"{one.words}{of}", (one, outcome)


def _rate(table: dict[str, list[Any]], place: int) -> Item:
    raw, low, high = (table[key][place] for key in ("raw", "low", "high"))
    behind = f"{counted(table['successes'][place])} of {counted(table['trials'][place])}"
    detail = behind if raw is None else f"{behind}\n{100 * low:.0f}–{100 * high:.0f} %"
    return Item(percent(raw), detail=detail, sort=-1.0 if raw is None else raw, share=raw)


def _epsilon(epsilon: float, low: float | None, high: float | None) -> Item:
    detail = None if low is None else f"{number(low)}–{number(high)}"
    return Item(number(epsilon), detail=detail, sort=epsilon)
