"""What only Spark needs: columns by position, and what a cluster says when it fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import narwhals.dependencies as known

from crossfair.errors import invalid


def is_frame(data: Any) -> bool:
    """Whether data are a frame of Spark, classic or Connect."""
    return bool(known.is_pyspark_dataframe(data) or known.is_pyspark_connect_dataframe(data))


def pick(frame: Any, at: Mapping[str, int]) -> Any:
    """Return some columns under new names. All are renamed by position first: Spark parses names."""
    renamed = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
    return renamed.select(*(renamed[f"c{i}"].alias(new) for new, i in at.items()))


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """Turn what Spark says into one clear sentence; nothing has been counted then."""
    from pyspark.errors import PySparkException

    kinds: tuple[type[BaseException], ...] = (PySparkException,)
    with contextlib.suppress(ImportError):  # Connect has no Java
        from py4j.protocol import Py4JError

        kinds += (Py4JError,)
    try:
        yield
    except kinds as error:
        raise invalid("data", "Spark could not count", got=_words(error)) from error


def _words(error: BaseException) -> str:
    """The first line that says what happened, not where in Java."""
    lines = [line.removeprefix(": ") for line in str(error).strip().splitlines()]
    telling = [line for line in lines if line and not line.startswith("An error occurred while calling")]
    return (telling[0] if telling else type(error).__name__).rstrip(".:;")
