"""The files crossfair writes and reads."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossfair import documents
from crossfair.errors import FormatError


def test_keys_are_sorted_and_text_is_kept() -> None:
    text = documents.dump("demo", 1, {"z": "ε", "a": 1})
    assert text == '{"a": 1, "format": "crossfair/demo/1", "z": "ε"}'
    assert documents.parse(text, "demo", 1, "text") == {"a": 1, "z": "ε"}


def test_numbers_of_numpy_are_numbers() -> None:
    assert json.loads(documents.dump("demo", 1, {"n": np.int64(3), "x": np.float32(0.5)}))["n"] == 3
    with pytest.raises(TypeError, match="set has no JSON form"):
        documents.dump("demo", 1, {"n": {1}})


@pytest.mark.parametrize("value", [0.1, 1e-300, math.inf, -math.inf, None, 3])
def test_numbers_come_back_to_the_last_bit(value: Any) -> None:
    item = json.loads(json.dumps(documents.number(value), allow_nan=False))
    assert item is None if value is None else documents.from_number(item, "text") == value


def test_nan_is_never_written() -> None:
    with pytest.raises(ValueError, match="Out of range float values"):
        documents.dump("demo", 1, {"x": documents.number(math.nan)})


@pytest.mark.parametrize("item", ["nan", True, None, [1]])
def test_what_is_no_number_is_refused(item: Any) -> None:
    with pytest.raises(FormatError, match="text: must hold a number here"):
        documents.from_number(item, "text")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text: is not complete JSON, so it is no demo file or was cut short"),
        ('{"format": "crossfair/demo/1"', "text: is not complete JSON"),
        ('{"format": "crossfair/demo/1", "x": NaN}', "text: is not complete JSON.*NaN is no JSON"),
        ('{"format": "crossfair/demo/1", "x": Infinity}', "Infinity is no JSON"),
        ("[" * 100_000, "text: is not complete JSON"),
        ('{"format": "crossfair/demo/1", "x": ' + "9" * 5000 + "}", "text: is not complete JSON"),
        ("{}", "text: has no field format: crossfair/demo/…, so it is no demo file"),
        ("3", "text: has no field format"),
        ('{"format": 1}', "text: has no field format"),
        ('{"format": "other/demo/1"}', "text: has no field format"),
        ('{"format": "crossfair/policy/1"}', "text: must be a demo file; got crossfair/policy/1"),
        ('{"format": "crossfair/demo/1/2"}', "text: must be a demo file"),
        (
            '{"format": "crossfair/demo/3"}',
            "text: is a demo file of a version not known here, which reads up to 2; got",
        ),
        ('{"format": "crossfair/demo/0"}', "text: is a demo file of a version not known here"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        documents.parse(text, "demo", 2, "text")


def test_older_versions_are_read() -> None:
    assert documents.parse('{"format": "crossfair/demo/1", "x": 1}', "demo", 2, "text") == {"x": 1}


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_files_keep_their_text_and_equal_texts_give_equal_bytes(tmp_path: Path, name: str) -> None:
    paths = [tmp_path / name, tmp_path / f"b{name}"]
    for path in paths:
        documents.write(path, "ε = ∞\n")
    assert documents.read(paths[0], "demo") == "ε = ∞\n"
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert (paths[0].read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")


def test_a_packed_file_of_any_name_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(gzip.compress(b"{}"))
    assert documents.read(tmp_path / "a.json", "demo") == "{}"


@pytest.mark.parametrize(
    "data", [b"\x1f\x8b", b"\x1f\x8b" + b"x" * 30, b"\xff\xfe", gzip.compress(b"text", mtime=0)[:-3]]
)
def test_other_bytes_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.json: is no demo file, or was cut short"):
        documents.read(tmp_path / "a.json", "demo")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is no demo file"):
        documents.read(tmp_path, "demo")
