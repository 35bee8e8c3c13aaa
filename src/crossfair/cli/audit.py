"""`crossfair audit`: measure the unfairness of a table, and check it against limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from crossfair.cli.names import estimator_names, metric_names
from crossfair.cli.options import Source, limits, reading
from crossfair.cli.output import Output, cells_shown, output, page, typed
from crossfair.cli.policy_check import Check, checking
from crossfair.cli.preset_options import Asked, presetting
from crossfair.cli.progress import progress
from crossfair.cli.sections import SectionedCommand, section

if TYPE_CHECKING:
    from crossfair.auditing import Audit
    from crossfair.verdicts import Verdicts

_measuring = section("Measuring")
_parameter = section("Parameters of the estimator (each has a default)")
_judging = section("Limits")


@click.command(cls=SectionedCommand)
@reading
@_measuring(
    "--metric",
    "metrics",
    multiple=True,
    metavar="M",
    shell_complete=metric_names,
    help="Metric to measure; repeat for several.  [default: all]",
)
@_measuring(
    "--outcomes",
    type=click.Choice(["positive", "all"]),
    default="positive",
    show_default=True,
    help="Compare the positive outcome, or every one.",
)
@_measuring(
    "--estimator",
    default="hierarchical",
    show_default=True,
    metavar="E",
    shell_complete=estimator_names,
    help="hierarchical, bayes, bootstrap, smoothed or guaranteed.",
)
@_measuring(
    "--level", type=float, default=0.95, show_default=True, metavar="P", help="Level of the intervals."
)
@_measuring(
    "--min-support",
    type=float,
    metavar="N",
    help="Leave out cells with fewer records.  [default: 1, or as the policy]",
)
@_measuring(
    "--suppress-below",
    type=int,
    metavar="K",
    help="Merge small cells, so that no result tells a count under K.",
)
@_measuring("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the random draws.")
@_parameter(
    "--alpha", type=float, metavar="A", help="Successes added to each cell (bayes, bootstrap, smoothed)."
)
@_parameter(
    "--beta", type=float, metavar="B", help="Failures added to each cell (bayes, bootstrap, smoothed)."
)
@_parameter("--draws", type=int, metavar="N", help="Number of draws (hierarchical, bayes).")
@_parameter("--resamples", type=int, metavar="N", help="Number of resamples (bootstrap).")
@_judging(
    "--limit",
    "limit",
    multiple=True,
    callback=limits,
    metavar="M=ε",
    shell_complete=metric_names,
    help="Largest ε allowed for a metric; repeat for several.",
)
@presetting
@_judging(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="P",
    help="Confidence that a verdict needs.",
)
@checking
@cells_shown
@page
@output  # fmt: skip
def audit(
    source: Source,
    metrics: tuple[str, ...],
    limit: dict[str, float],
    asked: Asked,
    confidence: float,
    most_cells: int,
    html: str | None,
    output: Output,
    check: Check | None,
    **settings: Any,
) -> int:
    """Measure the unfairness of DATA over the intersections of attributes.

    DATA are CSV, TSV, Parquet or JSON lines files, folders or globs of them, or
    a database. With --limit the exit code is 0 if all limits hold, 1 if one is
    broken, and 3 if the data cannot tell.

    With --policy it asks whether a policy still does what it was made for: DATA
    are read as those it was fitted to, and its decisions, or those made that
    --prediction names, are held against its limits; and whether the population
    has moved since.

    \b
    crossfair audit people.csv --by sex,race --label income --positive '>50K'
    crossfair audit scored.parquet --by sex,age --bins age=50 --label y \\
        --score p --threshold 0.4 --limit equalized_odds=0.22
    """
    from crossfair import api, checks
    from crossfair.verdicts import check_limits

    # What can be refused without the data is refused before a long read.
    check_limits(limit)
    checks.probability("confidence", confidence)
    asked.check(source.read)
    settings["estimator"] = _estimator(settings)
    given = {name: value for name, value in settings.items() if value is not None}
    verdicts: Verdicts | None
    with progress(f"Reading {source.title}", quiet=output.quiet):
        if check is not None:
            found, verdicts = check.run(source, limit, metrics, confidence, given | {"preset": asked.preset})
        else:
            wanted = _wanted((*metrics, *limit, *asked.metrics(source.read))) if metrics else None
            found = api.audit(source.data, **source.read, metrics=wanted, **given)
            limits = asked.limits(found.counts, limit)
            verdicts = found.check(limits, confidence=confidence) if limits else None
    output.write(lambda: found.to_json(verdicts))
    if html is not None:
        with progress("Drawing the page", quiet=output.quiet):
            laid_out: dict[str, Any] = {"preset": asked.preset, "least_share": asked.least_share}
            found.to_html(html, verdicts, **laid_out, source=source.data, command=typed())
    if output.shown:
        _show(found, verdicts, asked, title=source.title, most_cells=most_cells)
    return verdicts.exit_code if verdicts else 0


def _show(found: Audit, verdicts: Verdicts | None, asked: Asked, *, title: str, most_cells: int) -> None:
    from crossfair.cli import audit_view, preset_view
    from crossfair.cli.terminal import console

    audit_view.show(found, verdicts, console(), title=title, most_cells=most_cells)
    if asked.found is not None:
        preset_view.show(found.counts, asked.found, asked.least_share, console(), most=most_cells)


def _wanted(metrics: tuple[str, ...]) -> list[str]:
    from crossfair.metrics import metric

    return [metric(name).name for name in metrics]


def _estimator(settings: dict[str, Any]) -> Any:
    """Take the estimator and those of its parameters that were given out of the settings, and build it."""
    from crossfair.estimators import registry

    parameters = {name: settings.pop(name) for name in ("alpha", "beta", "draws", "resamples")}
    given = {name: value for name, value in parameters.items() if value is not None}
    return registry.build(settings.pop("estimator"), **given)
