"""The claims of the paper in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from crossfair.cli.terminal import table, write

STYLES = {True: "bold green", False: "bold red"}


def show(claims: Sequence[dict[str, Any]], retrained: dict[str, Any] | None, on: Console) -> None:
    """Print each claim, whether it held, and the figures behind that; and what training again gave."""
    grid = table("", "The paper's claim, and the figures", numbers=0, on=on)
    for claim in claims:
        held = Text("held" if claim["held"] else "not held", STYLES[claim["held"]], no_wrap=True)
        grid.add_row(held, Text.assemble((claim["words"], "bold"), "\n", claim["figures"]))
    held = sum(claim["held"] for claim in claims)
    write([grid, Text(f"{held} of {len(claims)} claims held.{_trained_again(retrained)}")], on)


def _trained_again(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    different, records = found["different"], found["records"]
    if different:
        return f"\nTrained again, the model gives other scores to {different:,} of {records:,} records."
    return f"\nTrained again, the model gives the same {records:,} scores to the last bit."
