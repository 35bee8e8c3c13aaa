"""Long results into codes and arrays, by each library's own means; their rows never become Python objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from crossfair.frames import coded
from crossfair.frames.coded import Coded

Frame = nw.LazyFrame[Any]


@dataclass(frozen=True)
class Long:
    """The columns of a long table: some as codes, the others as numbers."""

    coded: Sequence[Coded]
    numbers: Mapping[str, NDArray[Any]]


def is_here(frame: Frame) -> bool:
    """Whether the engine of a frame runs in this process alone."""
    kind = frame.implementation
    return bool(kind.is_polars() or kind.is_pandas() or kind.is_pyarrow())


def collect(frame: Frame, names: Sequence[str]) -> Long:
    """Collect a lazy frame of polars, pandas, PyArrow or what turns into one; `names` are to be coded."""
    polars = frame.implementation.is_polars()
    native = frame.to_native().collect(engine="streaming") if polars else frame.collect().to_native()
    code, number = _MEANS[type(native).__module__.partition(".")[0]]
    every = frame.collect_schema().names()
    return Long(
        [code(native[name]) for name in names],
        {name: number(native[name]) for name in every if name not in names},
    )


def _pandas_numbers(column: Any) -> NDArray[Any]:
    kind = np.int64 if column.dtype.kind in "iu" and not column.hasnans else np.float64
    array: NDArray[Any] = column.to_numpy(dtype=kind, na_value=np.nan)
    return array


def _own_numbers(column: Any) -> NDArray[Any]:
    array: NDArray[Any] = column.to_numpy()
    return array


_MEANS: dict[str, tuple[Callable[[Any], Coded], Callable[[Any], NDArray[Any]]]] = {
    "polars": (coded.from_polars, _own_numbers),
    "pyarrow": (coded.from_arrow, _own_numbers),
    "pandas": (coded.from_pandas, _pandas_numbers),
}
