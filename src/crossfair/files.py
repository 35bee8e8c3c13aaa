"""Output files appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from crossfair.errors import invalid

__all__ = ["check_distinct", "check_target", "replacing", "write_text"]


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
    check_target(path)
    target = Path(path).resolve()
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


def check_target(path: str | os.PathLike[str], argument: str = "path") -> None:
    """Refuse a path that no file can be written to, before the work whose result it is for.

    >>> check_target("no/such/folder/page.html")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: path: the folder of the file must exist; got 'no/such/folder/page.html'. ...
    """
    target, given = Path(path).resolve(), repr(os.fspath(path))
    if target.is_dir():
        raise invalid(argument, "must be a file to write to, not a folder", got=given)
    if not target.parent.is_dir():
        raise invalid(argument, "the folder of the file must exist", got=given, hint="Create it first.")
    place = target if target.exists() and not target.is_file() else target.parent
    if not os.access(place, os.W_OK):
        raise invalid(argument, "must be writable", got=given, hint="Choose another place.")


def check_distinct(paths: Sequence[str]) -> None:
    """Refuse files to read of which one is named twice: its records would count twice.

    >>> check_distinct(["may.counts", "./may.counts"])
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: data: must name each file once, or its records count twice; got ...
    """
    known: set[str] = set()
    for path in paths:
        if os.path.realpath(path) in known:
            raise invalid("data", "must name each file once, or its records count twice", got=repr(path))
        known.add(os.path.realpath(path))
