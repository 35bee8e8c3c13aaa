"""What only pandas needs: columns by position without a copy, and object columns, which may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import narwhals.dependencies as known

from crossfair.frames import objects


def pick(frame: Any, at: Mapping[str, int]) -> Any:
    """Return some columns under new names, without copying them and without the index."""
    pandas = known.get_pandas()
    columns = {new: frame.iloc[:, i] for new, i in at.items()}
    for new, column in columns.items():
        if column.dtype == object and pandas.api.types.infer_dtype(column, skipna=True).startswith("mixed"):
            objects.check_types(column.to_numpy(), str(frame.columns[at[new]]))
    picked = pandas.DataFrame(columns, copy=False)
    picked.index = pandas.RangeIndex(len(picked))
    return picked


def with_floats(frame: nw.LazyFrame[Any], names: Mapping[str, tuple[str, str]]) -> nw.LazyFrame[Any]:
    """Replace object columns by their numbers; `names` gives the argument and the user's name of each."""
    native = frame.to_native().copy(deep=False)
    for part, (argument, name) in names.items():
        native[part] = objects.to_floats(native[part].tolist(), argument, name)
    replaced: nw.LazyFrame[Any] = nw.from_native(native).lazy()
    return replaced
