"""A compressed file that was cut short must not pass for the records that are left of it."""

from __future__ import annotations

import random

import pytest

from components import require
from crossfair.errors import FormatError
from crossfair.frames import read_counts, zstd
from crossfair.reading import Reading

READ = Reading(by="sex", label="y")


def frame(content, *, checksum=False, repeated=False):
    """A zstd frame by hand, as RFC 8878 has it: magic number, head, one block that is not compressed."""
    kind, body = (1, content[:1]) if repeated else (0, content)
    head = (len(content) << 3 | kind << 1 | 1).to_bytes(3, "little")
    descriptor = bytes([0b10100000 | checksum << 2])  # one segment, whose size takes four bytes
    end = b"sum4" if checksum else b""
    return b"\x28\xb5\x2f\xfd" + descriptor + len(content).to_bytes(4, "little") + head + body + end


def compressed(path, rows):
    """A CSV file compressed by DuckDB."""
    duckdb = require("duckdb")
    people = f"SELECT if(hash(i) % 2 = 0, 'F', 'M') AS sex, hash(-i) % 2 AS y FROM range({rows}) t(i)"
    duckdb.connect().sql(f"COPY ({people}) TO '{path}' (FORMAT csv, COMPRESSION zstd, HEADER)")
    return path.read_bytes()


def is_whole(path, data):
    path.write_bytes(data)
    try:
        zstd.check(str(path))
    except FormatError:
        return False
    return True


def test_a_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "p.csv.zst"
    data = compressed(path, 300_000)
    assert read_counts(path, READ).records == 300_000
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(
        FormatError, match=r"p.csv.zst: is damaged, or was cut short; got [\d,]+ bytes of zstd"
    ):
        read_counts(path, READ)


def test_no_part_of_a_file_passes_for_the_whole(tmp_path):
    path = tmp_path / "p.csv.zst"
    data = compressed(path, 300_000)
    sizes = [*range(1, 300), *random.Random(0).sample(range(300, len(data)), 200), len(data) - 1]
    assert is_whole(path, data)
    assert not any(is_whole(path, data[:size]) for size in sizes)


@pytest.mark.parametrize("options", [{}, {"checksum": True}, {"repeated": True}])
def test_frames_of_every_kind_follow_each_other(tmp_path, options):
    path = tmp_path / "p.csv.zst"
    one, skippable = frame(b"sex,y\n", **options), b"\x51\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"any"
    assert is_whole(path, one + skippable + frame(b"F,1\n", **options))
    whole = one + skippable
    assert not any(is_whole(path, whole[:size]) for size in range(1, len(whole)) if size != len(one))
    assert not is_whole(path, one + b"what is this")
