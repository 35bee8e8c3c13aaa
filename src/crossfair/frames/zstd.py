"""Whether a zstd file is whole: DuckDB takes one that was cut short for the records that are left of it."""

from __future__ import annotations

import os
from typing import BinaryIO

from crossfair.errors import malformed

_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A5
# Sizes, by what the frame's descriptor says: the dictionary's name, the size of the content.
_NAME, _CONTENT = (0, 1, 2, 4), (0, 2, 4, 8)


def check(path: str) -> None:
    """Refuse a file that ends within a frame; only the heads of frames and blocks are read (RFC 8878)."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        while file.tell() < size:
            if not _skip_frame(file) or file.tell() > size:
                raise malformed(path, "is damaged, or was cut short", got=f"{size:,} bytes of zstd content")


def _skip_frame(file: BinaryIO) -> bool:
    """Go behind a frame; False where none begins, or the file ends within a head."""
    magic = _integer(file, 4)
    if magic >> 4 == _SKIPPABLE:
        file.seek(_integer(file, 4), os.SEEK_CUR)
        return True
    descriptor = _integer(file, 1)
    if magic != _FRAME or descriptor < 0:
        return False
    single = descriptor >> 5 & 1
    window, content = 1 - single, max(_CONTENT[descriptor >> 6], single)
    file.seek(window + _NAME[descriptor & 3] + content, os.SEEK_CUR)
    last = 0
    while not last:
        head = _integer(file, 3)
        if head < 0:
            return False
        last, kind = head & 1, head >> 1 & 3
        file.seek(1 if kind == 1 else head >> 3, os.SEEK_CUR)  # a repeated byte is there once
    file.seek(4 * (descriptor >> 2 & 1), os.SEEK_CUR)  # the checksum
    return True


def _integer(file: BinaryIO, size: int) -> int:
    """The next integer; −1 where the file ends."""
    found = file.read(size)
    return int.from_bytes(found, "little") if len(found) == size else -1
