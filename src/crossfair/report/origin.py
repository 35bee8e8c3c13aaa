"""Where a page's figures come from: files with their hashes, and the command that gives them again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Self

from crossfair import frames


@dataclass(frozen=True)
class File:
    """A file and the hash of its content."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: str) -> Self:
        """Hash a file."""
        with open(path, "rb") as content:
            return cls(path, hashlib.file_digest(content, "sha256").hexdigest())


@dataclass(frozen=True)
class Origin:
    """The files that were read, none for a table in memory, and the command, None where there was none.

    >>> Origin.of(None, "crossfair demo").command
    'crossfair demo'
    """

    files: tuple[File, ...] = ()
    command: str | None = None

    @classmethod
    def of(cls, source: Any, command: str | None) -> Self:
        """Hash the files that `source` names as the data of an audit do: a path, glob, folder or list."""
        paths = () if source is None else frames.paths_of(source)
        return cls(tuple(File.of(path) for path in paths), command)
