"""`crossfair sql`: a policy as one SQL statement."""

from __future__ import annotations

from typing import Any

import click

from crossfair.cli.sections import SectionedCommand, section
from crossfair.cli.serving_options import columns, policy_file

_option = section("Statement")


@click.command(cls=SectionedCommand)
@policy_file
@columns
@_option("--table", required=True, metavar="NAME", help="Table of the records, with its schema before a dot.")
@_option("--key", required=True, metavar="COLUMN", help="Column that identifies each record for good.")
@_option(
    "--dialect",
    type=click.Choice(["duckdb", "postgresql", "spark"]),
    default="duckdb",
    show_default=True,
    metavar="NAME",
    help="duckdb, postgresql or spark.",
)
@_option("--changes", is_flag=True, help="Count instead how many decisions change in each cell.")
@_option("--out", "-o", metavar="FILE", help="File to write; by default the standard output.")
def sql(policy: Any, out: str | None, **given: Any) -> None:
    """Write a policy as one SQL statement for a warehouse.

    Its result has a row for each record of the table: the key, the acceptance
    probability and the decision, the same as `crossfair decide` gives.

    \b
    crossfair sql --policy policy.json --dialect spark --table main.people \\
        --key id | spark-sql
    """
    from crossfair import files

    statement = policy.to_sql(**given)
    if out is None:
        click.echo(statement)
    else:
        files.write_text(out, f"{statement}\n")
