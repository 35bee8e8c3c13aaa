"""The claims of the paper in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from crossfair.cli.terminal import table, write

STYLES = {True: "bold green", False: "bold red"}


def show(claims: Sequence[dict[str, Any]], on: Console) -> None:
    """Print each claim, whether it held, and the figures behind that."""
    grid = table("", "The paper's claim, and the figures", numbers=0, on=on)
    for claim in claims:
        held = Text("held" if claim["held"] else "not held", STYLES[claim["held"]], no_wrap=True)
        grid.add_row(held, Text.assemble((claim["words"], "bold"), "\n", claim["figures"]))
    held = sum(claim["held"] for claim in claims)
    write([grid, Text(f"{held} of {len(claims)} claims held.")], on)
