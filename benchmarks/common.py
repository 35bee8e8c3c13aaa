"""What the benchmarks share: timing, tables in Markdown, and environments for peers."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

CACHE = Path(__file__).parent.parent / "build" / "benchmarks"

# What one environment of a peer holds, whichever benchmark asks for it first.
FAIRLEARN = ["fairlearn", "pandas", "pyarrow"]


def best(function: Callable[[], Any], repeat: int = 5) -> float:
    """Return the least of several times in seconds: the one that the rest of the machine disturbed least."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def seconds(value: float) -> str:
    """A time with three figures."""
    return f"{value:.3g} s"


def ratio(value: float, unit: float) -> str:
    """How many times the unit a value is."""
    return f"{value / unit:.3g} ×"


def peer(name: str, packages: Sequence[str], script: str, arguments: Mapping[str, Any]) -> Any:
    """Run a script of this folder in an environment of the peer's own; it prints its result as JSON.

    Its standard input holds the arguments as JSON.
    """
    home = CACHE / name
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        (home / "ready").touch()
    found = subprocess.run(
        [python, Path(__file__).parent / script],
        input=json.dumps(dict(arguments)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(found.stdout.splitlines()[-1])


def python_version() -> str:
    """The Python that runs."""
    return ".".join(map(str, sys.version_info[:3]))
