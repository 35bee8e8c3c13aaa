"""A real browser for tests: Debian's Chromium, cut off from the network, in a fresh profile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from components import require, require_program

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
