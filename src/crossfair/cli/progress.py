"""A bar on the terminal for work that takes more than a second, and nothing otherwise."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

PATIENCE = 1.0


@contextlib.contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """Show what is being done, and for how long, while the block runs; only where people see it.

    Gives a function that the block may tell the share of the work just done.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.start()
    try:
        yield lambda share: bar.update(task, total=1.0, advance=share)
    finally:
        timer.cancel()
        timer.join()  # the bar has started, or never will
        bar.stop()
