"""What a page is made of, whatever it is written in: headings, texts, lists, tables, charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 to 3."""

    level: int
    words: str


@dataclass(frozen=True)
class Text:
    """A paragraph; `words` may hold code between backticks, bold words and links, as Markdown has them."""

    words: str


@dataclass(frozen=True)
class Points:
    """A list of short texts."""

    items: Sequence[str]


@dataclass(frozen=True)
class Listing:
    """Lines of code."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Table:
    """Rows of text under column names; the first `words` columns hold words, the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1


@dataclass(frozen=True)
class Verdict:
    """A claim, whether it held, and the figures that say so; None where another file says it."""

    words: str
    held: bool | None
    figures: str

    @property
    def badge(self) -> str:
        """The verdict in a word or two."""
        return {True: "held", False: "not held", None: "measured"}[self.held]


@dataclass(frozen=True)
class Verdicts:
    """Claims, one by one."""

    rows: Sequence[Verdict]


@dataclass(frozen=True)
class Chart:
    """A chart by its name, and what it shows in words."""

    name: str
    words: str


Block = Heading | Text | Points | Listing | Table | Verdicts | Chart
