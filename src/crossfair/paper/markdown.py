"""A page as Markdown; its charts are files in a folder beside it."""

from __future__ import annotations

from collections.abc import Sequence

from crossfair.paper.blocks import Block, Chart, Heading, Listing, Table, Text


def render(blocks: Sequence[Block], folder: str) -> str:
    """Return the text of a page.

    >>> print(render([Heading(1, "Title"), Table(["a", "b"], [["x", "1"]])], "paper"), end="")
    # Title
    <BLANKLINE>
    | a | b |
    |:--|--:|
    | x | 1 |
    """
    return "\n\n".join(_block(block, folder) for block in blocks) + "\n"


def _block(block: Block, folder: str) -> str:
    match block:
        case Heading(level, words):
            return f"{'#' * level} {words}"
        case Text(words):
            return words
        case Listing(lines):
            return "\n".join(["```sh", *lines, "```"])
        case Table():
            return _table(block)
        case Chart(name, words):
            return f"![{words}]({folder}/{name}.svg)"


def _table(table: Table) -> str:
    rules = [":--" if place < table.words else "--:" for place in range(len(table.columns))]
    rows = [table.columns, *table.rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join(rules) + "|", *lines[1:]])
