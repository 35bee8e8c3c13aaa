"""An audit in the terminal: what was measured, ε per metric, what sets it, the cells, the verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from crossfair import values
from crossfair.auditing import Audit
from crossfair.cells import show_cell
from crossfair.cli.cells_view import cells
from crossfair.cli.terminal import WORD_STYLES, clean, table, write
from crossfair.evidence import Side
from crossfair.finding import Finding
from crossfair.metrics import rate
from crossfair.numerals import NONE, amount, factor, number, share, span
from crossfair.verdicts import Verdicts

MARK = "*"
MOST_NAMED = 3


def show(audit: Audit, verdicts: Verdicts | None, on: Console, *, title: str, most_cells: int) -> None:
    """Print an audit; `most_cells` bounds the table of cells."""
    findings = list(audit.findings.values())
    blocks: list[RenderableType] = [heading(audit, title), metrics(findings, on, level=audit.settings.level)]
    remarks = list(notes(findings))
    if remarks:
        blocks.append(Group(*remarks))
    blocks.append(drivers(findings, on, several=audit.settings.outcomes == "all"))
    if most_cells:
        blocks.append(cells(audit, on, most=most_cells))
    if verdicts is not None:
        blocks.append(limits(verdicts, on))
    write(blocks, on)


def heading(audit: Audit, title: str) -> RenderableType:
    """What was measured, and how."""
    counts, settings = audit.counts, audit.settings
    cells_of = f"{amount(counts.records)} records in {len(counts.cells):,} cells of "
    lines = [
        Text.assemble(("Audit of ", "bold"), clean(title)),
        Text.assemble(cells_of, clean(show_cell(counts.by))),
        Text(f"estimator {settings.estimator.name}: {settings.estimator.words()}"),
    ]
    if settings.outcomes == "positive":
        lines.insert(2, Text.assemble("positive outcome: ", clean(values.show(counts.outcomes.positive))))
    if counts.suppressed_below is not None:
        lines.append(Text(f"no count under {counts.suppressed_below} is told: small cells are merged"))
    lines += [Text(f"left out: {amount(n)} records, {reason}") for reason, n in counts.dropped.items()]
    return Group(*lines)


def metrics(findings: Iterable[Finding], on: Console, *, level: float) -> Table:
    """ε of each metric, estimated and raw; marked where the prior sets it."""
    grid = table("Metric", "ε", f"{100 * level:g} % interval", "Ratio", "Raw ε", numbers=4, on=on)
    for finding in findings:
        mark = f" {MARK}" if finding.evidence.prior_dominated else ""
        figures = (
            Text(number(finding.epsilon), "bold"),
            span(number, finding.low, finding.high),
            factor(finding.ratio),
            number(finding.epsilon_at(0.0)),
        )
        known = figures if finding.evidence.enough else len(figures) * (NONE,)
        grid.add_row(Text.assemble(finding.name, (mark, "bold yellow")), *known)
    return grid


def notes(findings: Iterable[Finding]) -> Iterator[Text]:
    """The evidence's remarks, each once, behind the metrics it is about."""
    about: dict[str, list[str]] = {}
    for finding in findings:
        for note in [*finding.evidence.notes, *_left_out(finding)]:
            about.setdefault(note, []).append(finding.name)
    for note, names in about.items():
        yield Text.assemble((f"{MARK} {', '.join(names)}: ", "yellow"), clean(note))


def drivers(findings: Iterable[Finding], on: Console, *, several: bool) -> Table:
    """The pair of cells that sets each ε, with their counts; metrics with the same pair stand together.

    `several` says that the metrics hold for several outcomes, so that each row names its own.
    """
    pairs: dict[tuple[Side, Side], list[str]] = {}
    for finding in findings:
        if finding.highest and finding.lowest:
            pairs.setdefault((finding.highest, finding.lowest), []).append(finding.name)
    grid = table("What sets ε", "Estimate", "Raw", "Records", numbers=3, on=on)
    for (highest, lowest), names in pairs.items():
        outcome = f", outcome {values.show(highest.outcome)}" if several else ""
        grid.add_row(
            Text.assemble((", ".join(names), "bold"), clean(f" ({rate(highest.rate).words}{outcome})"))
        )
        grid.add_row(_who("highest", highest), *_figures(highest))
        grid.add_row(_who("lowest", lowest), *_figures(lowest))
    return grid


def _who(word: str, side: Side) -> Table:
    """The cell behind its place; a long one wraps under itself."""
    grid = Table.grid()
    grid.add_column(width=10)
    grid.add_column(overflow="fold")
    grid.add_row(f"  {word}", clean("everyone" if side.cell is None else show_cell(side.cell)))
    return grid


def _figures(side: Side) -> tuple[str, str, str]:
    return share(side.estimate), share(side.raw), f"{amount(side.successes)} of {amount(side.trials)}"


def limits(verdicts: Verdicts, on: Console) -> Table:
    """The verdict on each limit, and why."""
    grid = table("Verdict", "Limit on ε", f"Why (confidence {verdicts.confidence:g})", numbers=0, on=on)
    for verdict in verdicts:
        limit = f"{verdict.metric} ≤ {verdict.limit:g}"
        grid.add_row(Text(verdict.verdict, WORD_STYLES[verdict.verdict]), limit, clean(verdict.reason))
    return grid


def _left_out(finding: Finding) -> Iterator[str]:
    for short in dict.fromkeys(its_rate for _, its_rate, _ in finding.evidence.left_out):
        shown = [
            f"{show_cell(cell)} ({amount(records)})"
            for cell, its_rate, records in finding.evidence.left_out
            if its_rate == short
        ]
        more = f" and {len(shown) - MOST_NAMED:,} more" if len(shown) > MOST_NAMED else ""
        yield f"too few records for {short}, left out: {', '.join(shown[:MOST_NAMED])}{more}"
