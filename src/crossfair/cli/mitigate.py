"""`crossfair mitigate`: the best decisions within limits on unfairness, with a certificate."""

from __future__ import annotations

from typing import Any

import click

from crossfair.cli.names import limited_names
from crossfair.cli.options import Source, limits, reading
from crossfair.cli.output import Output, output, page, typed
from crossfair.cli.progress import progress
from crossfair.cli.repair_options import repairing
from crossfair.cli.sections import SectionedCommand, section
from crossfair.errors import InfeasibleError, UnfinishedError

INFEASIBLE = 1
STOPPED = 3

_limiting = section("Limits")
_testing = section("Test on other data")
_writing = section("Output")


@click.command(cls=SectionedCommand)
@reading
@_limiting(
    "--limit",
    "limit",
    multiple=True,
    required=True,
    callback=limits,
    metavar="M=ε",
    shell_complete=limited_names,
    help="Largest ε allowed for a metric; repeat for several.",
)
@_limiting(
    "--penalty", type=float, metavar="T", help="Price of breaking the limits, instead of forbidding it."
)
@_limiting(
    "--penalty-form",
    default="indicator",
    show_default=True,
    metavar="F",
    help="T once (indicator), or per unit of ε beyond the limits (hinge).",
)
@repairing
@_testing("--test", metavar="HOLDOUT", help="Evaluate on these data, not fitted to, read in the same way.")
@_testing("--level", type=float, default=0.95, show_default=True, metavar="P", help="Level of the intervals.")
@_testing(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="P",
    help="Confidence that a verdict needs.",
)
@_writing("--out", "-o", required=True, metavar="POLICY", help="File to write the policy to.")
@page
@_writing(
    "--frontier/--no-frontier",
    "explored",
    default=True,
    show_default=True,
    help="Solve for a row of limits for the slider of the page.",
)
@output  # fmt: skip
def mitigate(
    source: Source,
    limit: dict[str, float],
    repair: dict[str, Any],
    test: str | None,
    level: float,
    confidence: float,
    out: str,
    html: str | None,
    explored: bool,
    output: Output,
    **penalty: Any,
) -> int:
    """Find the decisions of least cost on DATA that keep limits on unfairness.

    Writes a policy: for each cell, the chance of a positive decision at each
    score. The limits hold on DATA; --test says what may be believed of the
    population. The exit code is 0 if solved, 1 if nothing keeps the limits, 3
    if stopped before proof.

    \b
    crossfair mitigate train.csv --by sex,race --label y --score p \\
        --limit equalized_odds=0.223 --test test.csv -o policy.json
    """
    from crossfair import checks
    from crossfair.frontiers import frontier
    from crossfair.read_sample import read_sample
    from crossfair.repair import mitigate as solve

    checks.probability("level", level)
    checks.probability("confidence", confidence)
    try:
        with progress(f"Repairing {source.title}", quiet=output.quiet):
            sample = read_sample(source.data, source.read)
            policy = solve(sample, limits=limit, **penalty, **repair)
    except InfeasibleError as error:
        click.echo(f"No policy: {error}", err=True)
        return STOPPED if isinstance(error, UnfinishedError) else INFEASIBLE
    policy.save(out)
    evaluation = None
    if test is not None:
        with progress(f"Evaluating on {test}", quiet=output.quiet):
            evaluation = policy.evaluate(test, level=level, confidence=confidence, seed=repair["seed"])
    output.write(policy.to_json if evaluation is None else evaluation.to_json)
    if html is not None:
        with progress("Solving for the slider of the page", quiet=output.quiet):
            row = frontier(sample, limits=list(limit), **repair) if explored else None
        origin = {"source": source.data, "held_out": test, "command": typed()}
        policy.to_html(html, sample, evaluation=evaluation, frontier=row, **origin)
    if output.shown:
        from crossfair.cli.policy_view import show
        from crossfair.cli.terminal import console

        show(policy, evaluation, console(), title=source.title, test=test or "")
        click.echo(f"Wrote {out}" if html is None else f"Wrote {out} and {html}")
    return 0 if policy.certificate is None or policy.certificate.status.proven else STOPPED
