"""`crossfair count` and `crossfair curves`: files of counts and of curves, which add up exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crossfair.cli.options import Source, reading, reading_scores
from crossfair.cli.progress import progress
from crossfair.cli.sections import Command, SectionedCommand, section

if TYPE_CHECKING:
    from crossfair.counts import Counts
    from crossfair.curve import Curves

_writing = section("Output")


def _out(kind: str, endings: str) -> Command:
    return _writing("--out", "-o", required=True, metavar="FILE", help=f"File of {kind} to write: {endings}.")


_quiet = _writing("--quiet", "-q", is_flag=True, help="Print nothing; the exit code tells.")


@click.command(cls=SectionedCommand)
@reading
@_writing(
    "--suppress-below",
    type=int,
    metavar="K",
    help="Merge small cells, so that the file tells no count under K; it then adds up to no other.",
)
@_out("counts", "….counts")
@_quiet
def count(source: Source, suppress_below: int | None, out: str, quiet: bool) -> None:
    """Count the records of DATA per cell, label and prediction.

    The file holds no record and no identifier, only the table of counts. Files
    made by the same options in different places add up exactly: give them all
    to `crossfair audit`, or here, to make one file of them.

    \b
    crossfair count may.parquet --by sex,race --label y --prediction yhat \\
        -o may.counts
    crossfair audit april.counts may.counts
    """
    from crossfair import api, shards

    shards.check_ending(out, "counts")
    with progress(f"Counting {source.title}", quiet=quiet):
        counts = api.count(source.data, **source.read, suppress_below=suppress_below)
    counts.save(out)
    if not quiet:
        _say(counts, f"{counts.records:,} records", out)


@click.command(cls=SectionedCommand)
@reading_scores
@_writing(
    "--bits",
    type=click.IntRange(min=0),
    metavar="K",
    help="Bin the scores, 2^K bins per unit.  [default: exact up to 10 million scores]",
)
@_out("curves", "….curves")
@_quiet
def curves(source: Source, bits: int | None, out: str, quiet: bool) -> None:
    """Count the records of DATA per cell, label and score.

    Files made by the same options in different places add up exactly: give
    them all to `crossfair mitigate`, or here, to make one file of them. Exact
    scores nearly are records; bins are not.

    \b
    crossfair curves may.parquet --by sex,race --label y --score p \\
        --bits 10 -o may.curves
    crossfair mitigate april.curves may.curves --limit equalized_odds=0.2 \\
        -o policy.json
    """
    from crossfair import api, shards

    shards.check_ending(out, "curves")
    with progress(f"Counting {source.title}", quiet=quiet):
        found = api.curves(source.data, **source.read, bits=bits)
    found.save(out)
    if not quiet:
        kind = "distinct scores" if found.exact else f"bins of scores, 2^{found.bits} per unit"
        _say(
            found, f"{int(found.records.sum()):,} records, {len(found.scores):,} {kind}", out, _bounds(found)
        )


def _bounds(curves: Curves) -> str | None:
    if curves.exact:
        return None
    rate, auc = curves.resolution.max(), curves.auc_error.max()
    return f"a threshold inside a bin would move a rate by at most {rate:.2g}; AUC is within {auc:.2g}"


def _say(table: Counts | Curves, counted: str, out: str, bounds: str | None = None) -> None:
    cells = table.cells
    click.echo(f"{counted} in {len(cells):,} cells of {', '.join(cells.by)}")
    if bounds is not None:
        click.echo(bounds)
    for reason, records in table.dropped.items():
        click.echo(f"left out: {records:,} records, {reason}")
    click.echo(f"Wrote {out}")
