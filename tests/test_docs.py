"""The pages that are written by the program are up to date."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_pages_are_those_of_the_program() -> None:
    specification = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert specification is not None
    assert specification.loader is not None
    generate = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(generate)
    written = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert written == generate.commands(), "run: make docs"
    assert (DOCS / "scale.md").read_text(encoding="utf-8") == generate.scale(), "run: make docs"


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    readme = DOCS.with_name("README.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)
    assert "docs/report.png" in pictures
    for picture in pictures:
        assert 10_000 < (DOCS.parent / picture).stat().st_size < 300_000
