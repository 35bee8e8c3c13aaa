"""A page as one self-contained HTML file, its charts inside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from crossfair.paper.blocks import Block, Chart, Heading, Listing, Table, Text

STYLE = """
:root { color-scheme: light dark; --ink: #1c2733; --paper: #fff; --line: #dde2e8; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe5eb; --paper: #14191f; --line: #36404b; } }
body { font: 16px/1.55 Arial, "Liberation Sans", sans-serif; color: var(--ink); background: var(--paper);
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; margin: 2em 0 .6em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th.number, td.number { text-align: right; white-space: nowrap; }
figure { margin: 1.5rem 0; padding: .5rem; background: #fff; overflow-x: auto; }
pre, code { font-family: "DejaVu Sans Mono", monospace; font-size: .9em; }
""".strip()


def render(blocks: Sequence[Block], charts: Mapping[str, str]) -> str:
    """Return the text of a page; `charts` holds the SVG of each chart by its name.

    >>> "<h1>a &lt; b</h1>" in render([Heading(1, "a < b")], {})
    True
    """
    title = next((escape(block.words) for block in blocks if isinstance(block, Heading)), "")
    body = "\n".join(_block(block, charts) for block in blocks)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _block(block: Block, charts: Mapping[str, str]) -> str:
    match block:
        case Heading(level, words):
            return f"<h{level}>{_inline(words)}</h{level}>"
        case Text(words):
            return f"<p>{_inline(words)}</p>"
        case Listing(lines):
            return f"<pre><code>{escape(chr(10).join(lines))}</code></pre>"
        case Table():
            return _table(block)
        case Chart(name):
            return f"<figure>{charts[name]}</figure>"


def _table(table: Table) -> str:
    head = "".join(_cell("th", place, name, table.words) for place, name in enumerate(table.columns))
    rows = [
        "".join(_cell("td", place, text, table.words) for place, text in enumerate(row)) for row in table.rows
    ]
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _cell(tag: str, place: int, text: str, words: int) -> str:
    kind = "" if place < words else ' class="number"'
    return f"<{tag}{kind}>{_inline(text)}</{tag}>"


def _inline(words: str) -> str:
    """Escape, and turn the Markdown used here (code, bold, links) into tags."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words, quote=False))
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)
