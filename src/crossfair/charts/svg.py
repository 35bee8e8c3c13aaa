"""A chart as inline SVG, drawn without a browser and without a network."""

from __future__ import annotations

import html
import re
from typing import Any

from crossfair.errors import missing_extra

_TAG = re.compile(r"<[^>]+>")
_ROLES = re.compile(r' (?:role|aria-[a-z]+|xmlns(?::xlink)?)="[^"]*"')
_IDS = re.compile(r'(\bid="|url\(#|href="#)')


def draw(chart: Any, prefix: str) -> str:
    """Return the SVG of a chart as one image with a text alternative.

    Its ids begin with `prefix`, so that several stand on one page; the roles of its parts are taken off.
    """
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        raise missing_extra("vl-convert-python", "report", "a chart on a page") from error
    spec = chart.to_dict()
    bare = _TAG.sub(lambda tag: _named(tag.group(), prefix), vl_convert.vegalite_to_svg(spec))
    label = html.escape(spec["description"])
    return bare.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _named(tag: str, prefix: str) -> str:
    return _IDS.sub(lambda found: f"{found.group()}{prefix}-", _ROLES.sub("", tag))
