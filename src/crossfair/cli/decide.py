"""`crossfair decide`: a policy on files of any size."""

from __future__ import annotations

from typing import Any

import click

from crossfair.cli.output import Output, cells_shown, output
from crossfair.cli.progress import progress
from crossfair.cli.sections import SectionedCommand, section
from crossfair.cli.serving_options import columns, policy_file

_deciding = section("Decisions")
_writing = section("Output")


@click.command(cls=SectionedCommand)
@click.argument("files", nargs=-1, required=True, metavar="DATA...")
@policy_file
@_deciding("--key", metavar="COLUMN", help="Column that identifies each record for good: its coin.")
@_deciding(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Instead of a key: coins drawn anew for each record.",
)
@columns
@_deciding("--table", metavar="NAME", help="Table to read, where DATA is a database.")
@_writing("--out", "-o", required=True, metavar="FILE", help="File to write: .parquet, .csv or .tsv.")
@cells_shown
@output
def decide(
    files: tuple[str, ...], policy: Any, out: str, most_cells: int, output: Output, **given: Any
) -> None:
    """Decide on every record of DATA by a policy.

    DATA are CSV, TSV or Parquet files, or a DuckDB database, of any size. Writes
    the key, the acceptance probability and the decision of each record, not in
    the order of DATA, and shows how many decisions change in each cell.

    \b
    crossfair decide people.parquet --policy policy.json --key id \\
        -o decisions.parquet
    """
    from crossfair import serving

    data = files[0] if len(files) == 1 else list(files)
    counted = output.shown or output.json is not None
    with progress(f"Deciding on {files[0]}", quiet=output.quiet) as advance:
        found = serving.decide_files(policy, data, out, **given, count_changes=counted, advance=advance)
    if found is not None:
        output.write(found.to_json)
    elif output.json is not None:
        click.echo(f"No {output.json}: DATA lack an attribute of the policy to count changes by.", err=True)
    if output.shown:
        from crossfair.cli.changes_view import show
        from crossfair.cli.terminal import console

        show(found, console(), most=most_cells)
        click.echo(f"Wrote {out}")
