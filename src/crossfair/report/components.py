"""Components: each block of the view model as HTML."""

from __future__ import annotations

import functools

from crossfair.report import model
from crossfair.report.model import Answer, Bar, Block, Column, Item, Phrase, Table
from crossfair.report.text import Safe, element, escape, joined

# Texts up to here are not broken over lines, on paper up to there, figures up to the last.
SHORT, SHORTEST, BRIEF = 24, 8, 16

ICONS = {"pass": "✓", "fail": "✕", "undecided": "?", "measured": "≈", "certified": "✓"}


def phrase(words: Phrase) -> Safe:
    """A sentence; what came with the data is set apart, so that its direction and its signs stay its own."""
    return joined(*(_word(word) for word in words))


def _word(word: str) -> Safe:
    if isinstance(word, model.Name):
        return element("bdi", str(word), class_="name")
    if isinstance(word, model.Strong):
        return element("strong", _unbroken(word))
    if isinstance(word, model.Code):
        return element("code", str(word))
    return _unbroken(word)


def _unbroken(words: str) -> Safe:
    """Words in which a line does not end between a number and its percent sign."""
    return Safe(escape(str(words)).replace(" %", "&nbsp;%"))


def lead(one: model.Lead) -> Safe:
    """The one sentence above all."""
    icon = element("span", ICONS[one.tone], aria_hidden="true")
    return element("p", icon, " ", one.words, class_=f"lead {one.tone}")


def answer(found: Answer) -> Safe:
    """What the first screen says of one limit."""
    return element(
        "article",
        element(
            "p", element("span", ICONS[found.tone], aria_hidden="true"), f" {found.badge}", class_="badge"
        ),
        element("div", *_said(found), class_="said"),
        class_=f"answer {found.tone}",
        data_metric=found.metric,
        data_verdict=None if found.metric is None else found.tone,
    )


def _said(found: Answer) -> list[Safe]:
    said = [
        element("p", phrase(found.headline), class_="headline"),
        element("p", phrase(found.certainty), class_="certainty"),
    ]
    if found.details:
        said.append(element("ul", *(element("li", phrase(one)) for one in found.details)))
    if found.driver:
        said.append(element("p", phrase(found.driver)))
    if found.pair:
        said.append(element("div", *(bar(one) for one in found.pair), class_="pair"))
    return said


def bar(one: Bar) -> Safe:
    """One of a pair of rates, as a bar under its words."""
    words = element("p", element("b", f"{one.role}: "), element("bdi", one.who, class_="name"))
    figures = element("span", one.figures, class_="figures")
    track = element("span", element("span", style=f"width:{100 * one.share:.2f}%"), class_="bar")
    return element("div", words, element("div", track, figures, class_="measure"))


@functools.singledispatch
def block(one: Block) -> Safe:
    """A block of a section."""
    raise TypeError(type(one).__name__)


@block.register
def _note(one: model.Note) -> Safe:
    return element("p", phrase(one.text), class_="note" if one.matters else None)


@block.register
def _facts(one: model.Facts) -> Safe:
    rows = (element("div", element("dt", name), element("dd", phrase(words))) for name, words in one.rows)
    heading = None if one.heading is None else element("h3", one.heading, class_="side")
    return joined(heading, element("dl", *rows, class_="facts"))


@block.register
def _figure(one: model.Figure) -> Safe:
    drawn = element("div", Safe(one.svg), class_="chart", tabindex="0", role="group", aria_label="chart")
    return element("figure", drawn, element("figcaption", phrase(one.caption)))


@block.register
def _answers(one: model.Answers) -> Safe:
    heading = None if one.heading is None else element("h3", one.heading, class_="side")
    cards = element("div", *(answer(found) for found in one.answers), class_="cards")
    return element("div", heading, cards, class_="answers")


@block.register
def _sides(one: model.Sides) -> Safe:
    return element("div", _answers(one.left), _answers(one.right), class_="sides")


@block.register
def _table(one: Table) -> Safe:
    tools = _tools(one) if one.searchable else None
    heading = element("thead", element("tr", *(_heading(column) for column in one.columns)))
    rows = (
        element("tr", *(_item(column, item) for column, item in zip(one.columns, row))) for row in one.rows
    )
    written = element(
        "table",
        element("caption", one.caption),
        heading,
        element("tbody", *rows),
        id=one.key,
        class_="data",
        data_searchable=one.searchable,
    )
    kind = "scroll long" if one.long else "scroll"
    around = element("div", written, class_=kind, tabindex="0", role="region", aria_label=one.caption)
    return element("div", tools, around, class_="table")


def _tools(one: Table) -> Safe:
    """The search field and a filter per attribute; they work, and appear, with JavaScript only."""
    search = element(
        "label", "Search ", element("input", type="search", data_search=one.key, autocomplete="off")
    )
    filters = [
        element(
            "label",
            f"{column.heading} ",
            element("select", element("option", "all", value=""), data_filter=place),
        )
        for place, column in enumerate(one.columns)
        if column.filtered
    ]
    status = element("output", role="status", data_status=one.key)
    return element("div", search, *filters, status, class_="tools", hidden=True, data_tools=one.key)


def _heading(column: Column) -> Safe:
    numeric = "number brief" if len(column.heading) <= SHORTEST else "number"
    return element(
        "th", column.heading, scope="col", class_=numeric if column.numeric else None, title=column.note
    )


def _item(column: Column, item: Item) -> Safe:
    share = None if item.share is None else f"--share:{100 * item.share:.2f}%"
    kinds = [
        kind
        for kind, there in (
            ("number", column.numeric),
            ("brief", column.numeric and len(item.text) <= BRIEF),
            (item.tone or "", item.tone),
            ("share", item.share is not None),
        )
        if there
    ]
    icon = None if item.tone is None else element("span", f"{ICONS[item.tone]} ", aria_hidden="true")
    detail = None if item.detail is None else joined(" ", element("small", item.detail))
    short = None if len(item.text) > SHORT else "short" if len(item.text) > SHORTEST else "short shortest"
    text = item.text if column.numeric else element("bdi", item.text, class_=short)
    return element("td", icon, text, detail, class_=" ".join(kinds) or None, data_sort=item.sort, style=share)


@block.register
def _slider(one: model.Slider) -> Safe:
    last = len(one.points) - 1
    control = element(
        "p",
        element("label", one.label, for_=f"{one.key}-range"),
        element(
            "input", type="range", id=f"{one.key}-range", min=0, max=last, step=1, value=one.start,
            data_slider=one.key,
        ),
        element("output", role="status", id=f"{one.key}-now", for_=f"{one.key}-range"),
        class_="slider",
        hidden=True,
        data_control=one.key,
    )  # fmt: skip
    return element(
        "div", control, _figure(one.figure), _table(one.table), class_="frontier", data_frontier=one.key
    )
