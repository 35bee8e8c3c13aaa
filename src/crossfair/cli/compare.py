"""`crossfair compare`: how many times the bias of one audit is that of another."""

from __future__ import annotations

import click

from crossfair.cli.output import Output, output
from crossfair.cli.sections import SectionedCommand


@click.command(cls=SectionedCommand)
@click.argument("a", metavar="A.JSON")
@click.argument("b", metavar="B.JSON")
@output
def compare(a: str, b: str, output: Output) -> None:
    """Compare two audits, written by `crossfair audit --json`.

    The amplification exp(ε of B - ε of A) is above 1 where B is the more
    biased: the predictions of a model, say, than the labels it learnt from.
    """
    from crossfair import api, documents
    from crossfair.auditing import Audit

    audits = [Audit.from_json(documents.read(path, "audit"), path) for path in (a, b)]
    comparison = api.compare(*audits)
    output.write(comparison.to_json)
    if output.shown:
        from crossfair.cli.compare_view import show
        from crossfair.cli.terminal import console

        show(comparison, console(), names=(a, b), level=audits[0].settings.level)
