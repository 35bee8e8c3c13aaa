"""A real browser for tests: Debian's Chromium, cut off from the network, in a fresh profile."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from components import require, require_program

# 210 mm less margins of 12 mm on either side, at 96 pixels per inch.
A4_WIDTH = 703

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser; the test is skipped, or fails, where there is none."""
    playwright = require("playwright.sync_api")
    program = require_program("chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    """A page in a context of its own, offline; a message on the console or a request fails the test."""
    context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: complaints.append(request.url))
    page.goto(path.as_uri())
    assert complaints.pop(0) == path.as_uri()
    yield page
    context.close()
    assert not complaints


def axe(page: Any) -> list[dict[str, Any]]:
    """The serious violations of accessibility that axe-core finds."""
    script = Path(require("axe_playwright_python").__file__).with_name("axe.min.js")
    found = page.evaluate(f"{script.read_text('utf-8')};axe.run()")
    return [
        {"rule": rule["id"], "nodes": [node["html"][:200] for node in rule["nodes"][:3]]}
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


def table_texts(page: Any) -> dict[str, list[str]]:
    """The first column of every table, by the table's caption."""
    return {
        table.locator("caption").inner_text(): [
            text.partition("\n")[0] for text in table.locator("tbody td:first-child").all_inner_texts()
        ]
        for table in page.locator("table").all()
    }


def print_to_text(page: Any, path: Path) -> str:
    """The text of the page printed on A4."""
    program = require_program("pdftotext")
    page.pdf(path=str(path), prefer_css_page_size=True)
    command = [program, "-layout", str(path), "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


def cut_on_paper(page: Any) -> list[str]:
    """The tables and charts that reach beyond the right edge of A4 paper, less its margins."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4_WIDTH, "height": 1000})
    reach = (
        "parts => parts.filter(p => p.getBoundingClientRect().right > innerWidth).map(p => p.id || p.tagName)"
    )
    found: list[str] = page.locator("table, svg, article").evaluate_all(reach)
    page.emulate_media(media="screen")
    return found


def check_printed(tables: dict[str, list[str]], printed: str) -> None:
    """Every table is there, with every row."""
    for caption, cells in tables.items():
        assert caption in printed
        behind = printed[printed.index(caption) :]
        for cell in cells:
            place = behind.find(cell)
            assert place >= 0, (caption, cell)
            behind = behind[place:]
