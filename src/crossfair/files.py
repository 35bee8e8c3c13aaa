"""Output files appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from crossfair.errors import invalid

__all__ = ["replacing", "write_text"]


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; on success the file takes the place of `path`, on failure nothing is left.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "out.txt")) as unfinished:
    ...         _ = unfinished.write_text("done")
    ...     os.listdir(folder)
    ['out.txt']
    """
    target = Path(path).resolve()
    _check(target, os.fspath(path))
    if (
        target.exists() and not target.is_file()
    ):  # a pipe or a device, such as /dev/null, has no place to take
        yield target
        return
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file, whole or not at all.

    >>> write_text("/dev/null", "ε = 2.15")
    """
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def _check(target: Path, given: str) -> None:
    if target.is_dir():
        raise invalid("path", "must be a file to write to, not a folder", got=repr(given))
    if not target.parent.is_dir():
        raise invalid("path", "the folder of the file must exist", got=repr(given), hint="Create it first.")
