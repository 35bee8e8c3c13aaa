"""`crossfair reproduce`: the paper's experiments, beside its published figures."""

from __future__ import annotations

from pathlib import Path

import click

from crossfair.cli.progress import progress


@click.command()
@click.option(
    "--out", "-o", default="reproduction", show_default=True, metavar="DIR", help="Folder to write into."
)
@click.option("--quick", is_flag=True, help="Take few synthetic data sets: seconds instead of minutes.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the data sets and the draws.",
)
@click.option("--retrain", is_flag=True, help="Train the model again and compare its scores (xgboost).")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing.")
def reproduce(out: str, quick: bool, seed: int, retrain: bool, quiet: bool) -> int:
    """Run the paper's experiments and set its figures beside ours.

    Writes paper.md and paper.html, and in the folder paper/ the charts and all
    figures. The same seed gives the same files, but for paper/seconds.json.
    Ends with the paper's claims, each held or not held. The exit code is 1 if
    --retrain finds other scores.
    """
    from crossfair.paper import experiment, figures
    from crossfair.paper.reproduce import prepare, write

    figures.require()
    folder = Path(out)
    prepare(folder)
    datasets = experiment.QUICK if quick else experiment.FULL
    with progress("Reproducing the paper", quiet=quiet) as advance:
        results = experiment.run(datasets, seed, retrain=retrain, advance=advance)
        page, *_ = write(results, folder)
    if not quiet:
        from crossfair.cli.claims_view import show
        from crossfair.cli.terminal import console

        show(results.claims, results.figures["retrained"], console())
        click.echo(f"Wrote {page}, {page.with_suffix('.html')} and the folder {page.with_suffix('')}")
    return int(results.scores_differ)
