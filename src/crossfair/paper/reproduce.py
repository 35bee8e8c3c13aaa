"""The files of a run: the page in two forms, its charts, the figures, and the seconds on their own."""

from __future__ import annotations

from pathlib import Path

from crossfair.errors import invalid
from crossfair.files import check_target, write_text
from crossfair.paper import figures, html, markdown, page
from crossfair.paper.experiment import Results

#: The folder of all files but the page, and the name of the page, in both forms.
FOLDER = NAME = "paper"


def prepare(out: Path) -> None:
    """Make the folder of a run; refuse one that cannot be written to, before the work."""
    try:
        (out / FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        rule = "must be a folder, or a place where one can be made"
        raise invalid("out", rule, got=str(out), hint="Choose another place.") from error
    check_target(out / f"{NAME}.md", "out")
    check_target(out / FOLDER / "figures.json", "out")


def write(results: Results, out: Path) -> list[Path]:
    """Write the files of a run into a folder, and return their paths, the page first."""
    prepare(out)
    files = texts(results)
    for name, text in files.items():
        write_text(out / name, text)
    return [out / name for name in files]


def texts(results: Results) -> dict[str, str]:
    """Return the text of each file by its path within the folder."""
    blocks = page.blocks(results.figures, FOLDER)
    charts = figures.draw(results.figures)
    known, spent = results.to_json()
    return {
        f"{NAME}.md": markdown.render(blocks, FOLDER),
        f"{NAME}.html": html.render(blocks, charts),
        f"{FOLDER}/figures.json": known,
        f"{FOLDER}/seconds.json": spent,
        **{f"{FOLDER}/{name}.svg": figures.standalone(chart) for name, chart in charts.items()},
    }
