"""Run the benchmarks and write docs/benchmarks.md and docs/scale.md: `python -m benchmarks [SECTION …]`."""

from __future__ import annotations

import datetime
import importlib
import os
import platform
import sys
from pathlib import Path

from benchmarks.common import python_version

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
SECTIONS = ("audit", "reading", "mitigation", "mitigation_peers", "serving")

# Sections that stand, between marks, in a page of their own.
ELSEWHERE = {"scale": PAGE.with_name("scale.md")}


def machine() -> str:
    """The machine, in words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {python_version()}"


def main(names: list[str]) -> None:
    """Run the named sections, or all, and replace them in the page."""
    parts = {name: _kept(name) for name in SECTIONS}
    for name in names or (*SECTIONS, *ELSEWHERE):
        stamp = f"*Measured {datetime.date.today().isoformat()} on {machine()}.*"
        text = importlib.import_module(f"benchmarks.{name}").section()
        measured = f"<!-- {name} -->\n{text.rstrip()}\n\n{stamp}\n"
        if name in ELSEWHERE:
            _replace(ELSEWHERE[name], name, measured)
            continue
        parts[name] = measured
        PAGE.write_text(HEAD + "\n".join(part for part in parts.values() if part), encoding="utf-8")


def _replace(page: Path, name: str, measured: str) -> None:
    """Put a section between its marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    page.write_text(f"{before}{measured}{end}{after}", encoding="utf-8")


def _kept(name: str) -> str:
    """A section as the page has it."""
    if not PAGE.exists():
        return ""
    _, found, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    return found + rest.split("<!-- ")[0].rstrip() + "\n" if found else ""


HEAD = """# Benchmarks

Written by `make bench` (`python -m benchmarks`). Each table comes from one run, side by side, on a small
shared machine: the ratios count, the seconds are of that machine.

"""

if __name__ == "__main__":
    main(sys.argv[1:])
