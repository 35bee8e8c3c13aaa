"""What a dataframe library says of a frame that it cannot read, as one clear sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from crossfair import values
from crossfair.errors import CrossfairError, invalid

# The module of an error tells whose it is; polars may even panic.
_NAMES = {"polars": "polars", "pyo3_runtime": "polars", "pyarrow": "PyArrow"}


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """Turn what polars and PyArrow raise, for pandas too, into an error; nothing has been counted then."""
    try:
        yield
    except (CrossfairError, KeyboardInterrupt, MemoryError):
        raise
    except UnicodeEncodeError as error:
        values.check_text(str(error.object), "data")
        raise
    except BaseException as error:
        library = name(error)
        if library is None:
            raise
        raise invalid("data", f"{library} cannot read them", got=words(error)) from error


def name(error: BaseException) -> str | None:
    """Return the library that an error is of, None for any other."""
    return _NAMES.get(type(error).__module__.partition(".")[0])


def words(error: BaseException) -> str:
    """Return the first line of what an error says."""
    return str(error).strip().partition("\n")[0][:200].rstrip(".:")
