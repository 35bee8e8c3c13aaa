"""A page as one self-contained HTML file, its charts inside it, in the look of the reports."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from crossfair.paper.blocks import Block, Chart, Heading, Listing, Points, Table, Text, Verdict, Verdicts
from crossfair.report.page import asset
from crossfair.report.text import Safe, element, escape, joined

Charts = Mapping[str, str]

#: What this page has beyond the reports: prose, claims, and two more colours in its charts.
STYLE = Safe("""
p, main li { max-width: 60rem; }
nav { position: static; border: 0; }
nav ul { flex-wrap: wrap; white-space: normal; }
main ul { margin: 0 0 0.8rem; padding-left: 1.2rem; }
main li { margin-bottom: 0.45rem; }
pre { margin: 0 0 0.8rem; padding: 0.6rem 0.9rem; background: var(--ground); border-radius: 0.4rem;
  overflow-x: auto; }
header pre { background: var(--paper); border: 1px solid var(--line); }
h3 { margin-top: 1.6rem; font-weight: 600; }
h2 + h3 { margin-top: 0; }
.held { --tone: var(--pass); --tone-ground: var(--pass-ground); }
.refuted { --tone: var(--fail); --tone-ground: var(--fail-ground); }
.elsewhere { --tone: var(--measured); --tone-ground: var(--measured-ground); }
.claim { display: grid; grid-template-columns: 7.5rem 1fr; margin-bottom: 0.6rem; overflow: hidden;
  border: 1px solid var(--line); border-left: 0.3rem solid var(--tone); border-radius: 0.5rem; }
.verdict { margin: 0; padding: 0.6rem 0.5rem; background: var(--tone-ground); color: var(--tone);
  font-size: 0.95rem; font-weight: 700; text-align: center; }
.found { padding: 0.55rem 1rem 0.1rem; font-size: 0.95rem; min-width: 0; }
.words { font-weight: 600; margin-bottom: 0.2rem; font-size: 1rem; }
.scroll { margin-bottom: 1.2rem; width: fit-content; max-width: 100%; }
td:not(.number) { min-width: 0; }
@media screen and (prefers-color-scheme: dark) {
  svg [fill="#7a4a9e"] { fill: #c9a3e6; } svg [stroke="#7a4a9e"] { stroke: #c9a3e6; }
  svg [fill="#3d7d3a"] { fill: #86c983; } svg [stroke="#3d7d3a"] { stroke: #86c983; }
}
@media (max-width: 44rem) {
  .claim { grid-template-columns: 1fr; }
  .verdict { padding: 0.25rem 1rem; text-align: left; }
}
@media print {
  .claim { break-inside: avoid; }
  .verdict { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""")

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

TONES = {True: "held", False: "refuted", None: "elsewhere"}
ICONS = {True: "✓", False: "✕", None: "≈"}


def render(blocks: Sequence[Block], charts: Charts) -> str:
    """Return the text of a page; `charts` holds the SVG of each chart by its name.

    >>> "<h1>a &lt; b</h1>" in render([Heading(1, "a < b")], {})
    True
    """
    opening, *sections = _sections(blocks)
    title = next(block.words for block in opening if isinstance(block, Heading))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", asset("page.css"), STYLE),
    )
    body = element(
        "body",
        element("a", "Skip to the findings", href="#part-1", class_="skip"),
        element("header", *(_block(block, charts, title) for block in opening), _navigation(sections)),
        element("main", *(_section(number, part, charts) for number, part in enumerate(sections, 1))),
        element("footer", element("p", "Made by crossfair. This page fetches nothing and sends nothing.")),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Cut a page before each heading of level 2."""
    parts: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            parts.append([])
        parts[-1].append(block)
    return parts


def _navigation(sections: Sequence[Sequence[Block]]) -> Safe:
    links = (
        element("li", element("a", _words(part), href=f"#part-{number}"))
        for number, part in enumerate(sections, 1)
    )
    return element("nav", element("ul", *links), aria_label="Parts of this page")


def _section(number: int, part: Sequence[Block], charts: Charts) -> Safe:
    """A part of the page; its tables and charts are named after the heading that they stand under."""
    name = _words(part)
    written = []
    for block in part:
        name = block.words if isinstance(block, Heading) else name
        written.append(_block(block, charts, name))
    return element("section", *written, id=f"part-{number}")


def _words(part: Sequence[Block]) -> str:
    return next(block.words for block in part if isinstance(block, Heading))


@functools.singledispatch
def _block(block: Block, _charts: Charts, _name: str) -> Safe:
    raise TypeError(type(block).__name__)


@_block.register
def _heading(block: Heading, _charts: Charts, _name: str) -> Safe:
    return element(f"h{block.level}", _inline(block.words))


@_block.register
def _text(block: Text, _charts: Charts, _name: str) -> Safe:
    return element("p", _inline(block.words))


@_block.register
def _points(block: Points, _charts: Charts, _name: str) -> Safe:
    return element("ul", *(element("li", _inline(item)) for item in block.items))


@_block.register
def _listing(block: Listing, _charts: Charts, _name: str) -> Safe:
    return element("pre", element("code", "\n".join(block.lines)))


@_block.register
def _table(block: Table, _charts: Charts, name: str) -> Safe:
    head = element("tr", *(_cell("th", block, place, text) for place, text in enumerate(block.columns)))
    rows = (
        element("tr", *(_cell("td", block, place, text) for place, text in enumerate(row)))
        for row in block.rows
    )
    written = element("table", element("thead", head), element("tbody", *rows))
    return element("div", written, class_="scroll", tabindex="0", role="region", aria_label=name)


def _cell(tag: str, table: Table, place: int, text: str) -> Safe:
    kind = None if place < table.words else "number"
    return element(tag, _inline(text), class_=kind, scope="col" if tag == "th" else None)


@_block.register
def _verdicts(block: Verdicts, _charts: Charts, _name: str) -> Safe:
    return joined(*(_verdict(row) for row in block.rows))


def _verdict(row: Verdict) -> Safe:
    icon = element("span", ICONS[row.held], aria_hidden="true")
    said = (element("p", row.words, class_="words"), element("p", _inline(row.figures)))
    return element(
        "article",
        element("p", icon, f" {row.badge}", class_="verdict"),
        element("div", *said, class_="found"),
        class_=f"claim {TONES[row.held]}",
    )


@_block.register
def _chart(block: Chart, charts: Charts, _name: str) -> Safe:
    drawn = element(
        "div", Safe(charts[block.name]), class_="chart", tabindex="0", role="group", aria_label="chart"
    )
    return element("figure", drawn, element("figcaption", block.words))


def _inline(words: str) -> Safe:
    """Escape, and turn the Markdown used here (code, bold, links) into tags."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
    return Safe(re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text))
