"""How objects show themselves: as text, in which nothing steers a terminal, and as HTML in a notebook."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return text that came with the data with what cannot be printed spelt out.

    >>> plain("Other \\x1b[31m")
    'Other \\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Shown:
    """Shows itself in a notebook as a small table, in which what came with the data is text."""

    def _repr_html_(self) -> str:
        from crossfair.report import notebook

        return notebook.html(self)
