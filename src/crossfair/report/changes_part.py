"""The part of a page that says who changes: decisions moved up and down in each group."""

from __future__ import annotations

from crossfair import values
from crossfair.changes import Changes
from crossfair.numerals import NONE, amount, percent
from crossfair.report.model import Column, Item, Note, Section, Strong, Table
from crossfair.report.wording import ON_SAMPLE


def section(found: Changes) -> Section:
    """Whose decisions change, in a sentence and group by group."""
    records, up, down = (found.total(name) for name in ("records", "up", "down"))
    sentence = Note(
        (
            "Of ",
            f"{amount(records)} decisions, ",
            Strong(f"{_about(up)} are moved up"),
            ", from rejected to accepted, and ",
            Strong(f"{_about(down)} down"),
            f": {percent((up + down) / records)} of all. Where the policy tosses coins, these are expected "
            "numbers.",
        )
    )
    return Section("changes", "Who changes", (sentence, table(found)))


def table(found: Changes) -> Table:
    """A row per group: how many are accepted before and after, and how many decisions move each way."""
    columns = (
        *(Column(name, filtered=True) for name in found.cells.by),
        Column("Records", numeric=True),
        Column("Accepted", numeric=True, note="given → repaired"),
        Column("Moved up", numeric=True, note="from rejected to accepted"),
        Column("Moved down", numeric=True, note="from accepted to rejected"),
    )
    figures = zip(found.records, found.given, found.repaired, found.up, found.down)
    rows = tuple(
        (
            *(Item(values.show(value)) for value in cell),
            Item(amount(records), sort=records),
            Item(f"{amount(given)} → {_about(repaired)}", sort=repaired),
            _moved(up, records),
            _moved(down, records),
        )
        for cell, (records, given, repaired, up, down) in zip(found.cells.values, figures)
    )
    return Table(
        f"Decisions that change per group, {ON_SAMPLE}", columns, rows, "changes-table", searchable=True
    )


def _moved(decisions: float, records: float) -> Item:
    if not decisions:
        return Item(NONE, sort=0.0)
    return Item(_about(decisions), percent(decisions / records), sort=decisions)


def _about(decisions: float) -> str:
    """A number of decisions: expected ones to a whole, but for what would look like none.

    >>> _about(12.4), _about(0.2), _about(0.0)
    ('12', '0.2', '0')
    """
    return f"{decisions:,.0f}" if decisions >= 1 or not decisions else f"{decisions:.1g}"
