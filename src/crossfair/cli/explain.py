"""`crossfair explain`: one decision with all that led to it."""

from __future__ import annotations

from typing import Any

import click

from crossfair.cli.options import pairs
from crossfair.cli.sections import SectionedCommand, section
from crossfair.cli.serving_options import policy_file

_option = section("Record")


def _record(
    _context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, str | None]:
    """Read `sex=Female` as the value of an attribute; an empty value is missing, as in a CSV file."""
    return {name: value or None for name, value in pairs(option, given, "sex=Female", empty=True).items()}


@click.command(cls=SectionedCommand)
@policy_file
@_option(
    "--set",
    "record",
    multiple=True,
    callback=_record,
    metavar="A=VALUE",
    help="Value of an attribute, empty if it is missing; repeat for each.",
)
@_option("--score", metavar="P", help="What the model gives, for a policy on scores.")
@_option("--prediction", metavar="VALUE", help="What the model predicts, for a policy on predictions.")
@_option("--key", metavar="KEY", help="What identifies the person, where the decision needs a coin.")
@_option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(policy: Any, record: dict[str, str | None], as_json: bool, **given: Any) -> None:
    """Decide on one record, and say why.

    Shows the cell, the step of the score, the acceptance probability and the
    coin, so that the decision can be recomputed by hand.

    \b
    crossfair explain --policy policy.json --set sex=Female --set age=61 \\
        --score .49 --key 17
    """
    found = policy.explain_one(record, **given)
    if as_json:
        from crossfair import documents

        click.echo(documents.dump("explanation", 1, found.to_json()))
    else:
        from crossfair.cli.terminal import clean

        click.echo("\n".join(clean(line).plain for line in found.lines()))
