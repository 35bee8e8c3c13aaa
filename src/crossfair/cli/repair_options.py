"""The options that the commands which repair share."""

from __future__ import annotations

import functools
from typing import Any

import click

from crossfair.cli.names import method_names
from crossfair.cli.options import names
from crossfair.cli.sections import Command, section


def _attributes(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[str] | None:
    """Read --decide-by: None where it is not given, no attribute for ''."""
    return names(context, option, given) if given else None


_repair = section("Repair")
_counting = section("Smoothing and support")
_solving = section("Solver")
_serving = section("Serving")
_OPTIONS = (
    _repair("--method", metavar="M", shell_complete=method_names,
            help="derived, overall, sequential, threshold or randomize; by default derived with --score, "
                 "randomize with --prediction."),
    _repair("--cost-fp", type=float, default=1, show_default=True, metavar="C",
            help="Cost of a false positive."),
    _repair("--cost-fn", type=float, default=1, show_default=True, metavar="C",
            help="Cost of a false negative."),
    _repair("--monotone/--any", default=None,
            help="Whether a higher score never has the lower chance; by default so but for randomize."),
    _repair("--decide-by", multiple=True, callback=_attributes, metavar="A,B,…",
            help="The only attributes that decisions may depend on; '' for none."),
    _counting("--alpha", type=float, default=0.01, show_default=True, metavar="A",
              help="Successes added to each cell."),
    _counting("--beta", type=float, default=0.01, show_default=True, metavar="B",
              help="Failures added to each cell."),
    _counting("--min-support", type=int, default=10, show_default=True, metavar="N",
              help="Exempt cells with fewer records from a limit."),
    _solving("--time-limit", type=float, metavar="S", help="Stop after S seconds with the best found."),
    _solving("--gap", type=float, default=0, show_default=True, metavar="G",
             help="Stop when proven this close."),
    _serving("--unseen", default="error", show_default=True, metavar="RULE",
             help="Cells not in DATA: error, pooled (best threshold for everyone) or given (as given)."),
    _serving("--salt", metavar="TEXT", help="Salt of the coins; by default drawn from the seed."),
    _serving("--seed", type=int, default=0, show_default=True, metavar="N",
             help="Seed of all that is drawn."),
)  # fmt: skip

_NAMES = (
    "method", "monotone", "decide_by", "alpha", "beta", "min_support", "time_limit", "gap", "unseen", "salt",
    "seed",
)  # fmt: skip


def repairing(command: Command) -> Command:
    """Add the options of a repair to a command, which receives them as `repair`, the keywords of the API."""

    def call(*arguments: Any, cost_fp: float, cost_fn: float, **given: Any) -> Any:
        from crossfair.mitigation.problem import Loss

        repair = {name: given.pop(name) for name in _NAMES}
        return command(*arguments, repair={**repair, "loss": Loss(cost_fp, cost_fn)}, **given)

    decorated: Command = functools.wraps(command)(call)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
