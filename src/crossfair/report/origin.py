"""Where a page's figures come from: files with their hashes, and the command that gives them again."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Any, Self

from crossfair import frames, shards


@dataclass(frozen=True)
class File:
    """A file and the hash of its content; a database has none."""

    path: str
    sha256: str | None

    @classmethod
    def of(cls, path: str) -> Self:
        """Hash a file."""
        with open(path, "rb") as content:
            return cls(path, hashlib.file_digest(content, "sha256").hexdigest())


@dataclass(frozen=True)
class Origin:
    """The files that were read and those held out, none for a table in memory; the command, if there was one.

    >>> Origin.of(None, "crossfair demo").command
    'crossfair demo'
    """

    files: tuple[File, ...] = ()
    held_out: tuple[File, ...] = ()
    command: str | None = None

    @classmethod
    def of(cls, source: Any, command: str | None, held_out: Any = None) -> Self:
        """Hash the files that are named as the data of an audit are; of a database, name the place."""
        return cls(_files(source), _files(held_out), command)


def _files(source: Any) -> tuple[File, ...]:
    if source is None:
        return ()
    if frames.is_location(source):
        return (File(frames.without_password(os.fspath(source)), None),)
    return tuple(File.of(path) for path in shards.paths(source) or frames.paths_of(source))
