"""`crossfair demo`: the whole way on data that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossfair.cli.output import typed
from crossfair.cli.progress import progress
from crossfair.errors import MissingDependencyError

if TYPE_CHECKING:
    from crossfair.auditing import Audit
    from crossfair.evaluation import Evaluation
    from crossfair.policy import Policy

# The limit of the paper's experiment: 8.14, its ε of the given predictions, less log(400).
LIMITS = {"equalized_odds": 2.14854}


def _read(**column: str) -> dict[str, Any]:
    return {
        "by": ["sex", "age", "race_4"],
        "bins": {"age": [50]},
        "label": "income",
        "positive": ">50K",
    } | column


@click.command()
@click.option("--out", "-o", default="demo", show_default=True, metavar="DIR", help="Folder to write into.")
def demo(out: str) -> None:
    """Audit and repair the bundled census data.

    Audits a model's predictions on the training split, repairs them by every
    method, and evaluates the best repair on the test split. Writes audit.json,
    policy.json and report.html, whose address is the last line.
    """
    from crossfair import api, documents
    from crossfair.cli import audit_view, demo_view, policy_view
    from crossfair.cli.terminal import console
    from crossfair.datasets import adult
    from crossfair.mitigation.solve import METHODS
    from crossfair.repair import mitigate

    people, folder, on = adult("train"), Path(out), console()
    folder.mkdir(parents=True, exist_ok=True)
    with progress("Auditing"):
        audit = api.audit(people, **_read(prediction="prediction"))
    documents.write(folder / "audit.json", audit.to_json())
    audit_view.show(audit, None, on, title="Adult, training split", most_cells=12)
    with progress("Repairing"):
        repair = _read(score="score") | {"limits": LIMITS, "min_support": 1}
        policies = {method: mitigate(people, **repair, method=method) for method in METHODS}
    demo_view.show(policies, on, title="Adult, training split")
    best = policies["derived"]
    best.save(folder / "policy.json")
    with progress("Evaluating"):
        evaluation = best.evaluate(adult("test"))
    policy_view.show_evaluation(evaluation, on, title="Adult, test split: method derived")
    click.echo(f"Wrote {folder / 'audit.json'} and {folder / 'policy.json'}")
    try:
        with progress("Drawing the page"):
            _draw(folder / "report.html", audit, best, evaluation)
    except MissingDependencyError as error:
        click.echo(f"No page: {error}", err=True)
        return
    click.echo(f"Wrote {folder / 'report.html'}; open it in a browser:")
    click.echo((folder / "report.html").resolve().as_uri())


def _draw(path: Path, audit: Audit, policy: Policy, evaluation: Evaluation) -> None:
    from crossfair.api import curves
    from crossfair.datasets import adult
    from crossfair.frontiers import frontier

    people = curves(adult("train"), **_read(score="score"))
    policy.to_html(
        path,
        people,
        evaluation=evaluation,
        frontier=frontier(people, limits=list(LIMITS), min_support=1),
        audit=audit,
        verdicts=audit.check(LIMITS),
        title="Income over $50,000: a model on census data",
        command=typed(),
    )
