"""Charts that save themselves: as one file that needs no network, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crossfair import files
from crossfair.charts import svg
from crossfair.errors import invalid

Spec = dict[str, Any]

# A PNG has this many times the pixels of the chart, so that it stays sharp on paper.
SHARPNESS = 2.0

# Stands for "<" while the page is built: the library writes the chart into a script as it is, where the value
# "</script>" would end it.
_STANDS_FOR_LESS = "\ue03c"


class Saving:
    """Gives an Altair chart another `save`."""

    to_dict: Callable[[], Spec]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chart as .png, .svg, .pdf or .html, by the ending; whole or not at all."""
        write = _FORMATS.get(Path(path).suffix.lower())
        if write is None:
            raise invalid("path", f"must end in one of {', '.join(_FORMATS)}", got=repr(os.fspath(path)))
        with files.replacing(path) as unfinished:
            unfinished.write_bytes(write(svg.converter("saving a chart"), self.to_dict()))


def saving(chart: Any) -> Any:
    """Return an Altair chart that saves itself like this, and is an Altair chart all the same."""
    # Altair keeps attributes that are set on a chart as parts of its specification, so this goes around it.
    object.__setattr__(chart, "__class__", _class(type(chart)))
    return chart


def _class(kind: type) -> type:
    if issubclass(kind, Saving):
        return kind
    return _CLASSES.setdefault(kind.__name__, type(kind.__name__, (Saving, kind), {}))


_CLASSES: dict[str, type] = {}


def _png(convert: Any, spec: Spec) -> bytes:
    made: bytes = convert.vegalite_to_png(_on_paper(spec), scale=SHARPNESS)
    return made


def _svg(convert: Any, spec: Spec) -> bytes:
    text: str = convert.vegalite_to_svg(spec)
    return text.encode("utf-8")


def _pdf(convert: Any, spec: Spec) -> bytes:
    made: bytes = convert.vegalite_to_pdf(spec)
    return made


def _html(convert: Any, spec: Spec) -> bytes:
    page: str = convert.vegalite_to_html(_replaced(spec), bundle=True)
    return page.replace(_STANDS_FOR_LESS, "\\u003c").encode("utf-8")


_FORMATS: dict[str, Callable[[Any, Spec], bytes]] = {
    ".png": _png,
    ".svg": _svg,
    ".pdf": _pdf,
    ".html": _html,
}


def _on_paper(spec: Spec) -> Spec:
    """A picture on white: on a dark page its dark text could not be read."""
    return {**spec, "config": {**spec["config"], "background": "white"}}


def _replaced(item: Any) -> Any:
    if isinstance(item, str):
        return item.replace("<", _STANDS_FOR_LESS)
    if isinstance(item, dict):
        return {_replaced(key): _replaced(value) for key, value in item.items()}
    return [_replaced(one) for one in item] if isinstance(item, list) else item
