"""Arrow IPC files, by polars or PyArrow: DuckDB would have to download an extension."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Any

from crossfair.errors import CrossfairError, MissingDependencyError, malformed
from crossfair.frames import libraries


def scan(paths: Sequence[str]) -> Any:
    """Return Arrow IPC files as a lazy polars frame, or as a PyArrow table where polars is not installed."""
    if importlib.util.find_spec("polars"):
        return importlib.import_module("polars").scan_ipc(list(paths))
    if importlib.util.find_spec("pyarrow"):
        feather, arrow = importlib.import_module("pyarrow.feather"), importlib.import_module("pyarrow")
        return arrow.concat_tables([feather.read_table(path, memory_map=True) for path in paths])
    message = "Reading Arrow IPC files needs polars or pyarrow: pip install polars"
    raise MissingDependencyError(message)


@contextlib.contextmanager
def errors(path: str) -> Iterator[None]:
    """Turn what polars or PyArrow say about a file into an error that names it; polars may even panic."""
    try:
        yield
    except (CrossfairError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        if libraries.name(error) is None:
            raise
        hint = "A file is also broken if two of its columns have one name."
        raise malformed(path, "cannot be read", got=libraries.words(error), hint=hint) from error
