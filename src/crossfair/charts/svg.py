"""A chart as inline SVG, drawn without a browser and without a network."""

from __future__ import annotations

import html
import re
from typing import Any

from crossfair.errors import missing_extra

# How much larger than drawn a chart may be shown, and the width down to which it shrinks before it scrolls;
# the same for all, so that the texts of all charts on a page are of one size.
SCALE, LEAST = 1.4, 480.0

_WIDTH = re.compile(r'<svg[^>]* width="([0-9.]+)"')
_TAG = re.compile(r"<[^>]+>")
_ROLES = re.compile(r' (?:role|aria-[a-z]+|xmlns(?::xlink)?)="[^"]*"')
_IDS = re.compile(r'(\bid="|url\(#|href="#)')


def draw(chart: Any, prefix: str) -> str:
    """Return the SVG of a chart as one image with a text alternative.

    Its ids begin with `prefix`, so that several stand on one page; the roles of its parts are taken off.
    """
    spec = chart.to_dict()
    drawn = converter("a chart on a page").vegalite_to_svg(spec)
    bare = _TAG.sub(lambda tag: _named(tag.group(), prefix), drawn)
    label, width = html.escape(spec["description"]), float(_WIDTH.findall(bare)[0])
    size = f"width:{SCALE * width:.0f}px;min-width:{min(width, LEAST):.0f}px"
    return bare.replace("<svg", f'<svg role="img" aria-label="{label}" style="{size}"', 1)


def converter(purpose: str) -> Any:
    """Return the module vl_convert, or say which extra brings it."""
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        raise missing_extra("vl-convert-python", "report", purpose) from error
    return vl_convert


def _named(tag: str, prefix: str) -> str:
    return _IDS.sub(lambda found: f"{found.group()}{prefix}-", _ROLES.sub("", tag))
