"""Columns in one compact file: per column its distinct values and a small integer per record.

It is an npz of plain arrays, so numpy reads it without pickle, and it holds every value exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read", "write"]


def write(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    """Write the columns; equal columns give equal bytes (numpy writes no dates into the archive).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder) / "a.npz", {"sex": np.array(["F", "M", "F"])})
    ...     read(Path(folder) / "a.npz")
    {'sex': array(['F', 'M', 'F'], dtype='<U1')}
    """
    arrays: dict[str, Any] = {}
    for name, column in columns.items():
        values, codes = np.unique(column, return_inverse=True)
        arrays[f"{name}.values"] = values
        arrays[f"{name}.codes"] = codes.astype(np.min_scalar_type(len(values)))
    np.savez_compressed(path, **arrays)


def read(path: Path) -> dict[str, NDArray[Any]]:
    """Read the columns that `write` wrote, in their order.

    >>> from crossfair.datasets.census import BUNDLE
    >>> read(BUNDLE)["score"].dtype
    dtype('float32')
    """
    with np.load(path, allow_pickle=False) as arrays:
        names = [key.removesuffix(".values") for key in arrays if key.endswith(".values")]
        return {name: arrays[f"{name}.values"][arrays[f"{name}.codes"]] for name in names}
