"""`crossfair demo`: the whole way on data that come with the package."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--out", default="demo", show_default=True, metavar="DIR", help="Folder to write into.")
def demo(out: str) -> None:
    """Audit the bundled census data; writes audit.json."""
    from crossfair import api, documents
    from crossfair.cli.audit_view import show
    from crossfair.cli.terminal import console
    from crossfair.datasets import adult

    audit = api.audit(
        adult("train"),
        by=["sex", "age", "race_4"],
        bins={"age": [50]},
        label="income",
        positive=">50K",
        prediction="prediction",
    )
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    documents.write(folder / "audit.json", audit.to_json())
    show(audit, None, console(), title="Adult, training split", most_cells=12)
    click.echo(f"Wrote {folder / 'audit.json'}")
