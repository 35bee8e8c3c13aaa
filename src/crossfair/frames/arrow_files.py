"""Arrow IPC files, by polars or PyArrow: DuckDB would have to download an extension."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

from crossfair.errors import MissingDependencyError


def scan(paths: Sequence[str]) -> Any:
    """Return Arrow IPC files as a lazy polars frame, or as a PyArrow table where polars is not installed."""
    if importlib.util.find_spec("polars"):
        return importlib.import_module("polars").scan_ipc(list(paths))
    if importlib.util.find_spec("pyarrow"):
        feather, arrow = importlib.import_module("pyarrow.feather"), importlib.import_module("pyarrow")
        return arrow.concat_tables([feather.read_table(path, memory_map=True) for path in paths])
    message = "Reading Arrow IPC files needs polars or pyarrow: pip install polars"
    raise MissingDependencyError(message)
