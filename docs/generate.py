"""Write what in docs/ comes from the program: commands.md, audit.svg, the script in scale.md: `make docs`."""

from __future__ import annotations

import io
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from crossfair import api
from crossfair.cli.app import app
from crossfair.cli.audit_view import show
from crossfair.datasets import adult

HERE = Path(__file__).parent

SCRIPT, SCRIPT_END = "<!-- spark_example.py -->", "<!-- end of spark_example.py -->"

COMMAND = """\
$ crossfair audit adult.csv --by sex,age,race --bins age=50 \\
    --label income --positive '>50K' --prediction prediction \\
    --metric impact_ratio --metric fpr_parity --metric tpr_parity \\
    --limit impact_ratio=3 --limit fpr_parity=1 --cells 6
"""


def picture() -> str:
    """The command above in a terminal of 80 columns, as SVG."""
    people = adult("train")
    audit = api.audit(
        {**people, "race": people["race_4"]},
        by=["sex", "age", "race"],
        bins={"age": [50]},
        label="income",
        positive=">50K",
        prediction="prediction",
        metrics=["impact_ratio", "fpr_parity", "tpr_parity"],
    )
    verdicts = audit.check({"impact_ratio": 3, "fpr_parity": 1})
    console = Console(file=io.StringIO(), record=True, width=80, force_terminal=True, highlight=False)
    console.print(Text(COMMAND, "dim"))
    show(audit, verdicts, console, title="adult.csv", most_cells=6)
    return console.export_svg(title="crossfair")


def commands() -> str:
    """The help pages of all commands."""
    page = ["# The commands", "", "Written by `make docs` from the program itself.", ""]
    parent = app.make_context("crossfair", ["completion"], terminal_width=100)
    for name, command in app.commands.items():
        context = click.Context(command, parent, info_name=name)
        page += [f"## crossfair {name}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(page)


def scale() -> str:
    """The page on scale, with the script between its marks."""
    script = HERE.joinpath("spark_example.py").read_text(encoding="utf-8")
    before, mark, rest = HERE.joinpath("scale.md").read_text(encoding="utf-8").partition(SCRIPT)
    _, end, after = rest.partition(SCRIPT_END)
    return f"{before}{mark}\n```python\n{script}```\n{end}{after}"


def main() -> None:
    """Write the files."""
    HERE.joinpath("commands.md").write_text(commands(), encoding="utf-8")
    HERE.joinpath("scale.md").write_text(scale(), encoding="utf-8")
    HERE.joinpath("audit.svg").write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
