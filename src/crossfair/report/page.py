"""The document: one file that fetches nothing and runs nothing but its own script."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

from crossfair.report import components
from crossfair.report.model import Page, Section, Slider
from crossfair.report.text import Safe, element

# The parts in the list of links, where their titles would be long.
SHORT = {
    "preset": "Impact ratios",
    "metrics": "ε per metric",
    "groups": "Groups",
    "lattice": "Intersections",
    "intervals": "Rates",
    "prior": "Assumptions",
    "cost": "Costs",
    "rules": "Rules",
    "frontier": "Frontier",
    "roc": "ROC curves",
    "methods": "Methods",
}


def document(page: Page) -> str:
    """Return the page as HTML."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy()),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", page.title),
        element("style", asset("page.css")),
    )
    body = element(
        "body",
        element("a", "Skip to the answer", href="#answer", class_="skip"),
        _header(page),
        element("main", _opening(page), _parts(page), *(section(one) for one in page.sections), id="main"),
        element("footer", element("p", "Made by crossfair. This page fetches nothing and sends nothing.")),
        *(_embedded(f"{one.key}-points", list(one.points)) for one in _sliders(page)),
        element("script", asset("page.js")),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


@functools.cache
def asset(name: str) -> Safe:
    """A file of the page, which is trusted as it comes with the package."""
    return Safe(resources.files("crossfair.report").joinpath(name).read_text(encoding="utf-8"))


def embedded_json(data: Any) -> Safe:
    """Return JSON that can stand in a script element whatever it holds.

    >>> embedded_json(["</script>"])
    '["\\\\u003c/script\\\\u003e"]'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Safe(text)


def section(one: Section) -> Safe:
    """A part of the page under its heading."""
    blocks = (components.block(block) for block in one.blocks)
    return element(
        "section", element("h2", one.title, id=f"{one.key}-title"), *blocks, id=one.key,
        aria_labelledby=f"{one.key}-title",
    )  # fmt: skip


def _policy() -> str:
    """What the page may do: show its styles, run the one script that it came with."""
    digest = base64.b64encode(hashlib.sha256(asset("page.js").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _header(page: Page) -> Safe:
    return element(
        "header",
        element("h1", element("bdi", page.title)),
        element("p", components.phrase(page.subject), class_="subject"),
        None if page.lead is None else components.lead(page.lead),
    )


def _parts(page: Page) -> Safe:
    """Links to the parts, which stay in sight."""
    links = (
        element("li", element("a", SHORT.get(one.key, one.title), href=f"#{one.key}"))
        for one in page.sections
    )
    answer = element("li", element("a", "The answer", href="#answer"))
    return element("nav", element("ul", answer, *links), aria_label="Parts of this page")


def _opening(page: Page) -> Safe:
    cautions = (element("li", components.phrase(one)) for one in page.cautions)
    resting = element(
        "aside",
        element("h3", "What rests on too little data", id="cautions-title"),
        element("ul", *cautions),
        class_="cautions",
        aria_labelledby="cautions-title",
    )
    return element(
        "section",
        element("h2", "The answer", id="answer-title"),
        element("div", *(components.block(block) for block in page.opening), class_="opening"),
        resting if page.cautions else None,
        id="answer",
        aria_labelledby="answer-title",
    )


def _sliders(page: Page) -> Iterator[Slider]:
    return (block for one in page.sections for block in one.blocks if isinstance(block, Slider))


def _embedded(key: str, data: Any) -> Safe:
    return element("script", embedded_json(data), type="application/json", id=key)
