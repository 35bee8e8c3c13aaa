"""A preset in the terminal: selection rates and impact ratios, and that they are no legal advice."""

from __future__ import annotations

from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from crossfair.cli.terminal import clean, table, write
from crossfair.counts import Counts
from crossfair.impact import Columns, impact_ratios
from crossfair.numerals import NONE, amount, percent
from crossfair.presets import CAUTION, Preset


def show(counts: Counts, preset: Preset, least_share: float, on: Console, *, most: int) -> None:
    """Print a table per attribute and one per intersection, each of at most `most` categories."""
    missing: Literal["level", "apart"] = "apart" if preset.missing_apart else "level"
    columns = impact_ratios(counts, least_share, missing)
    blocks: list[RenderableType] = [Group(Text(preset.title, "bold"), Text(CAUTION))]
    for subset in dict.fromkeys(columns["attributes"]):
        rows = [i for i, of in enumerate(columns["attributes"]) if of == subset]
        blocks.append(_ratios(columns, rows, on, most))
    write(blocks, on)


def _ratios(columns: Columns, rows: list[int], on: Console, most: int) -> Table:
    names = ("Records", "Selected", "Rate", "Impact ratio")
    grid = table(clean(columns["attributes"][rows[0]]).plain, *names, numbers=4, on=on)
    for i in rows[:most]:
        ratio, why = columns["impact_ratio"][i], columns["left_out"][i]
        grid.add_row(
            clean(columns["category"][i]),
            amount(columns["records"][i]),
            amount(columns["selected"][i]),
            percent(columns["selection_rate"][i]),
            f"{ratio:.3f}" if ratio is not None else why or NONE,
        )
    if len(rows) > most:
        grid.add_row(Text(f"… {len(rows) - most:,} more", "dim"))
    return grid
