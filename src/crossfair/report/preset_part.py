"""What a preset puts onto a page: selection rates and impact ratios, and that it is no legal advice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from crossfair.finding import Finding
from crossfair.numerals import amount, percent
from crossfair.presets import CAUTION, selection
from crossfair.report.model import MOST_ROWS, Block, Column, Item, Note, Phrase, Section, Strong, Table
from crossfair.report.subject import Layout, Subject

WHY = {"missing": "unknown category", "small": "small share, left out as asked", "empty": "no records"}


def sections(subject: Subject) -> Iterator[Section]:
    """The preset's part of the page, where one was asked for."""
    if subject.layout is not None:
        blocks = (*_notes(subject.layout), *tables(subject.layout))
        yield Section("preset", subject.layout.preset.title, blocks)


def answer(subject: Subject, finding: Finding) -> Iterator[Phrase]:
    """What a limit of the preset reads like in its own words."""
    layout = subject.layout
    if layout is None or layout.preset.ratio is None or finding.metric != selection(subject.audit.counts):
        return
    found, interval = impact(finding.epsilon), _interval(finding, subject.audit.settings.level)
    allowed = f"{layout.preset.ratio:.2f} is the least allowed"
    yield (
        f"{layout.preset.title}: the lowest rate is ",
        Strong(f"{found} of the highest"),
        f"{interval}; {allowed}.",
    )


def _interval(finding: Finding, level: float) -> str:
    if finding.low is None or finding.high is None:
        return ""
    return f" ({100 * level:g} % interval: {impact(finding.high)} to {impact(finding.low)})"


def impact(epsilon: float) -> str:
    """An ε as the lowest rate over the highest.

    >>> impact(0.2231), impact(float("inf"))
    ('0.80', '0.00')
    """
    return f"{math.exp(-epsilon):.2f}"


def tables(layout: Layout) -> Iterator[Table]:
    """A table per attribute, and one per intersection of them."""
    columns = layout.ratios
    subsets = list(dict.fromkeys(columns["attributes"]))
    for place, subset in enumerate(subsets):
        rows = tuple(
            _row(columns, i, layout.preset.ratio)
            for i, of in enumerate(columns["attributes"])
            if of == subset
        )
        headings = (
            Column(subset, filtered=True),
            Column("Records", numeric=True),
            Column("Share", numeric=True),
            Column("Selected", numeric=True),
            Column("Selection rate", numeric=True),
            Column(
                "Impact ratio", numeric=True, note="selection rate over that of the most selected category"
            ),
        )
        searchable = len(rows) > MOST_ROWS
        yield Table(f"Selection rates by {subset}", headings, rows, f"impact-{place}", searchable=searchable)


def _row(columns: dict[str, list[Any]], i: int, least: float | None) -> tuple[Item, ...]:
    found = {name: column[i] for name, column in columns.items()}
    rate = found["selection_rate"]
    return (
        Item(found["category"]),
        Item(amount(found["records"]), sort=found["records"]),
        Item(percent(found["share"]), sort=found["share"]),
        Item(amount(found["selected"]), sort=found["selected"]),
        Item(percent(rate), sort=rate, share=rate),
        _ratio(found["impact_ratio"], found["left_out"], least),
    )


def _ratio(ratio: float | None, why: str | None, least: float | None) -> Item:
    if ratio is None:
        return Item("–" if why is None else WHY[why], sort=-1.0)
    under = least is not None and ratio < least
    return Item(f"{ratio:.3f}", detail=f"under {least:g}" if under else None, sort=ratio)


def _notes(layout: Layout) -> Iterator[Block]:
    yield Note((layout.preset.words,))
    yield Note((Strong("Not legal advice. "), CAUTION), matters=True)
    if layout.least_share:
        share = percent(layout.least_share)
        yield Note(
            (f"Left out of the impact ratios, as asked: categories with less than {share} of the records.",)
        )
    if layout.weighted:
        yield Note(("Who was selected is counted by the weights of the records, and so are the rates.",))
    if layout.preset.missing_apart:
        yield Note((f"Records of an unknown category, in no ratio: {amount(_unknown(layout.ratios))}.",))


def _unknown(columns: dict[str, list[Any]]) -> float:
    """Records with a missing value of any attribute."""
    whole = columns["attributes"][-1]
    rows = zip(columns["attributes"], columns["records"], columns["left_out"])
    return float(
        sum(records for attributes, records, why in rows if why == "missing" and attributes == whole)
    )
