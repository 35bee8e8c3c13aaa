"""A bundle gives back every column exactly, and equal columns give equal bytes."""

import tempfile
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crossfair.datasets import bundle
from crossfair.datasets.census import BUNDLE

TEXT = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)
NUMBERS = hnp.arrays(np.int64, st.integers(1, 300))
SCORES = hnp.arrays(np.float32, st.integers(1, 300), elements=st.floats(0, 1, width=32).map(abs))
TEXTS = st.lists(TEXT, min_size=1, max_size=300).map(np.array)


@given(column=NUMBERS | SCORES | TEXTS)
def test_a_column_survives_to_the_last_bit(column):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "columns.npz"
        bundle.write(path, {"first": column, "second": column[::-1]})
        found = bundle.read(path)
        once = path.read_bytes()
        bundle.write(path, found)
        assert path.read_bytes() == once
    assert list(found) == ["first", "second"]
    assert found["first"].dtype == column.dtype
    assert found["first"].tobytes() == column.tobytes()
    assert found["second"].tobytes() == column[::-1].tobytes()


def test_codes_are_as_small_as_the_number_of_values_allows(tmp_path):
    path = tmp_path / "columns.npz"
    bundle.write(path, {"few": np.arange(255), "many": np.arange(70_000)})
    with np.load(path) as arrays:
        assert arrays["few.codes"].dtype == np.uint8
        assert arrays["many.codes"].dtype == np.uint32


def test_the_shipped_file_is_small_and_carries_no_dates():
    assert BUNDLE.stat().st_size < 1_000_000
    with ZipFile(BUNDLE) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
