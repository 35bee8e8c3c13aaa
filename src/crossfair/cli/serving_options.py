"""The options that the commands which apply a policy share."""

from __future__ import annotations

from typing import Any

import click

from crossfair.cli.options import pairs
from crossfair.cli.sections import section

_option = section("Decisions")


def load_policy(_context: click.Context, _option: click.Parameter, path: str | None) -> Any:
    """Read the policy that an option names."""
    from crossfair.policy import Policy

    return None if path is None else Policy.load(path)


def _columns(_context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    return pairs(option, given, "sex=gender")


policy_file = _option(
    "--policy",
    required=True,
    callback=load_policy,
    metavar="FILE",
    help="Policy written by crossfair mitigate.",
)
columns = _option(
    "--columns",
    multiple=True,
    callback=_columns,
    metavar="NAME=COLUMN",
    help="Column that holds what the policy knows by another name; repeat for several.",
)
