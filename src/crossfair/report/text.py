"""Safe text: HTML is built from elements; a plain str that comes with the data is always escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable

from crossfair.shown import plain

Child = str | Iterable[str] | None
Attribute = str | float | bool | None

VOID = frozenset({"meta", "input", "br", "hr", "link"})


class Safe(str):
    """Text that is HTML already: made by `element` and `escape` only.

    >>> element("p", Safe("<b>so</b>"), "<b>not so</b>")
    '<p><b>so</b>&lt;b&gt;not so&lt;/b&gt;</p>'
    """

    __slots__ = ()


def escape(text: str) -> Safe:
    """Return text as HTML; what steers a reader of text (control characters, bidi overrides) is spelt out.

    >>> escape("a < b"), escape("tab\\tand\\x00")
    ('a &lt; b', 'tab\\\\tand\\\\x00')
    """
    if isinstance(text, Safe):
        return text
    visible = "\n".join(map(plain, text.split("\n")))
    return Safe(html.escape(visible))


def joined(*children: Child) -> Safe:
    """Return children one behind the other; None is nothing."""
    return Safe("".join(_flat(children)))


def element(name: str, /, *children: Child, **attributes: Attribute) -> Safe:
    """Return an element. `class_` is class, `data_sort` is data-sort; None and False leave an attribute out.

    >>> element("td", "3", data_sort=3.0, class_="number", hidden=False)
    '<td data-sort="3.0" class="number">3</td>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Safe(f"<{name}{written}>")
    return Safe(f"<{name}{written}>{joined(*children)}</{name}>")


def _flat(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            yield escape(child)
        else:
            yield from _flat(child)


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
