"""A page as Markdown; its charts are files in a folder beside it."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from crossfair.paper.blocks import Block, Chart, Heading, Listing, Points, Table, Text, Verdict, Verdicts


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


@functools.singledispatch
def _block(block: Block, _folder: str) -> str:
    raise TypeError(type(block).__name__)


@_block.register
def _heading(block: Heading, _: str) -> str:
    return f"{'#' * block.level} {block.words}"


@_block.register
def _text(block: Text, _: str) -> str:
    return block.words


@_block.register
def _points(block: Points, _: str) -> str:
    return "\n".join(f"- {item}" for item in block.items)


@_block.register
def _listing(block: Listing, _: str) -> str:
    return "\n".join(["```sh", *block.lines, "```"])


@_block.register
def _table(block: Table, _: str) -> str:
    rules = [":--" if place < block.words else "--:" for place in range(len(block.columns))]
    head, *lines = (
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        for row in [block.columns, *block.rows]
    )
    return "\n".join([head, "|" + "|".join(rules) + "|", *lines])


@_block.register
def _verdicts(block: Verdicts, folder: str) -> str:
    rows = [[row.words, _badge(row), row.figures] for row in block.rows]
    return _table(Table(["The paper's claim", "", "Figures"], rows, words=3), folder)


@_block.register
def _chart(block: Chart, folder: str) -> str:
    return f"![{block.words}]({folder}/{block.name}.svg)"


def _badge(row: Verdict) -> str:
    return f"**{row.badge}**" if row.held is False else row.badge
