"""Write docs/report.png: the first screen of the page that `crossfair demo` makes. Run it by `make pictures`.

It needs Debian's Chromium and its fonts: apt-get install chromium fonts-liberation.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from crossfair.cli.app import run

PICTURE = Path(__file__).with_name("report.png")
WIDTH = 1280


def photograph(page_file: Path, picture: Path) -> None:
    """Take a picture of a page down to the end of its answer."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit(
            "No picture: chromium is not installed. Install it: apt-get install chromium fonts-liberation"
        )
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.goto(page_file.as_uri())
        end = page.locator("#answer").bounding_box()
        height = round(end["y"] + end["height"]) + 16
        page.screenshot(path=picture, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
        browser.close()


def main() -> None:
    """Make the demo's page in a folder of its own, and take its picture."""
    with tempfile.TemporaryDirectory() as folder:
        run(["demo", "--out", folder])
        photograph(Path(folder, "report.html"), PICTURE)


if __name__ == "__main__":
    main()
