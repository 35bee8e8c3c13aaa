"""The view model of a page: what it says, in which order, before any HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

# A table of more rows scrolls in a frame, under its headings.
MOST_ROWS = 24

Tone = Literal["pass", "fail", "undecided", "measured", "certified"]


class Name(str):
    """Text that came with the data: set apart from the sentence around it."""

    __slots__ = ()


class Strong(str):
    """Text with weight."""

    __slots__ = ()


class Code(str):
    """A name of the library, or a command."""

    __slots__ = ()


Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Bar:
    """One of a pair of rates: whose, the rate in words with counts, its share of the wider bar."""

    role: str
    who: str
    figures: str
    share: float


@dataclass(frozen=True)
class Answer:
    """What the first screen says of one limit or one metric."""

    tone: Tone
    badge: str
    headline: Phrase
    certainty: Phrase
    driver: Phrase = ()
    pair: tuple[Bar, ...] = ()
    metric: str | None = None
    details: tuple[Phrase, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    heading: str
    numeric: bool = False
    note: str | None = None
    filtered: bool = False


@dataclass(frozen=True)
class Item:
    """A cell of a table: text, a smaller second line, the value it sorts by, a tone."""

    text: str
    detail: str | None = None
    sort: float | None = None
    tone: Tone | None = None
    share: float | None = None


@dataclass(frozen=True)
class Table:
    """A table; a searchable one has a search field, filters and headings that sort."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Item, ...], ...]
    key: str
    searchable: bool = False

    @property
    def long(self) -> bool:
        """Whether it scrolls in a frame of its own."""
        return len(self.rows) > MOST_ROWS


@dataclass(frozen=True)
class Figure:
    """A chart drawn as SVG, and what it shows."""

    svg: str
    caption: Phrase


@dataclass(frozen=True)
class Facts:
    """Names and what they are, as a list, under a heading where the page has several."""

    rows: tuple[tuple[str, Phrase], ...]
    heading: str | None = None


@dataclass(frozen=True)
class Note:
    """A paragraph; one that matters is set apart."""

    text: Phrase
    matters: bool = False


@dataclass(frozen=True)
class Slider:
    """A certified frontier to move along: the chart's points, and what the table shows at each."""

    key: str
    label: str
    figure: Figure
    table: Table
    points: tuple[Mapping[str, Any], ...]
    start: int


@dataclass(frozen=True)
class Answers:
    """Answers to one question, under a heading where the page has several."""

    answers: tuple[Answer, ...]
    heading: str | None = None


@dataclass(frozen=True)
class Sides:
    """Two groups of answers side by side that must not be taken for one another."""

    left: Answers
    right: Answers


Block = Table | Figure | Facts | Note | Slider | Answers | Sides


@dataclass(frozen=True)
class Section:
    """A part of the page under a heading."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Lead:
    """The one sentence that stands above all."""

    tone: Tone
    words: str


@dataclass(frozen=True)
class Page:
    """A whole page."""

    title: str
    subject: Phrase
    lead: Lead | None
    opening: tuple[Block, ...]
    cautions: tuple[Phrase, ...]
    sections: tuple[Section, ...]
