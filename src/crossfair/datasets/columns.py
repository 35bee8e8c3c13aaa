"""Named numpy columns, and the frames they turn into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from crossfair.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Columns"]


class Columns(dict[str, NDArray[Any]]):
    """A dict of equally long numpy columns, ready for any function that takes data.

    >>> import numpy as np
    >>> people = Columns(sex=np.array(["F", "M"]), age=np.array([51, 38]))
    >>> people.to_pandas().shape
    (2, 2)
    """

    def to_pandas(self) -> pandas.DataFrame:
        """Return the columns as a pandas frame.

        >>> from crossfair.datasets import adult
        >>> len(adult("test").to_pandas())
        16281
        """
        with _needed("pandas", "to_pandas"):
            import pandas
        return pandas.DataFrame(self)

    def to_polars(self) -> polars.DataFrame:
        """Return the columns as an eager polars frame.

        >>> from crossfair.datasets import adult
        >>> adult("test").to_polars().height
        16281
        """
        with _needed("polars", "to_polars"):
            import polars
        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """Return the columns as a PyArrow table.

        >>> from crossfair.datasets import adult
        >>> adult("test").to_arrow().num_rows
        16281
        """
        with _needed("pyarrow", "to_arrow"):
            import pyarrow
        return pyarrow.table(dict(self))


@contextmanager
def _needed(library: str, method: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{method}() needs {error.name}, which is not installed: pip install {library}"
        raise MissingDependencyError(message) from error
