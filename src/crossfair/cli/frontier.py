"""`crossfair frontier`: what each limit on unfairness costs."""

from __future__ import annotations

from typing import Any

import click

from crossfair.cli.names import limited_names
from crossfair.cli.options import Source, reading
from crossfair.cli.output import Output, output
from crossfair.cli.progress import progress
from crossfair.cli.repair_options import repairing
from crossfair.cli.sections import SectionedCommand, section

STOPPED = 3

_limiting = section("Limits")


@click.command(cls=SectionedCommand)
@reading
@_limiting(
    "--limit",
    "metrics",
    multiple=True,
    required=True,
    metavar="M",
    shell_complete=limited_names,
    help="Metric to limit; several share each ε.",
)
@_limiting(
    "--epsilon",
    "epsilons",
    type=float,
    multiple=True,
    metavar="ε",
    help="Limit to try; repeat for several.  [default: a grid]",
)
@repairing
@output  # fmt: skip
def frontier(
    source: Source,
    metrics: tuple[str, ...],
    epsilons: tuple[float, ...],
    repair: dict[str, Any],
    output: Output,
) -> int:
    """Find the least loss on DATA for each limit on unfairness.

    Each line is a certified optimum. Where the method is derived, the price of
    determinism says what doing without coins would cost. The exit code is 3 if
    any point was stopped before proof.

    \b
    crossfair frontier train.csv --by sex,race --label y --score p \\
        --limit equalized_odds
    """
    from crossfair import frontiers

    with progress(f"Repairing {source.title}", quiet=output.quiet):
        found = frontiers.frontier(
            source.data, **source.read, limits=list(metrics), epsilons=list(epsilons) or None, **repair
        )
    output.write(found.to_json)
    if output.shown:
        from crossfair.cli.frontier_view import show
        from crossfair.cli.terminal import console

        show(found, console(), title=source.title)
    return STOPPED if any(point.row()["status"] == "time_limit" for point in found) else 0
