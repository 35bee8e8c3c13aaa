"""A dict of columns becomes a frame of each library, or says what to install."""

import sys

import numpy as np
import pytest

from components import require
from crossfair.datasets import Columns
from crossfair.errors import MissingDependencyError

PEOPLE = {
    "sex": ["F", "M", "F"],
    "age": [51, 38, 20],
    "member": [True, False, True],
    "score": [0.1, 0.5, 1.0],
}


@pytest.fixture
def columns():
    return Columns({name: np.array(values) for name, values in PEOPLE.items()})


@pytest.mark.parametrize(
    ("library", "method", "as_lists"),
    [
        ("pandas", "to_pandas", lambda frame: frame.to_dict("list")),
        ("polars", "to_polars", lambda frame: frame.to_dict(as_series=False)),
        ("pyarrow", "to_arrow", lambda frame: frame.to_pydict()),
    ],
)
def test_frames_hold_the_same_columns_in_the_same_order(columns, library, method, as_lists):
    require(library)
    found = as_lists(getattr(columns, method)())
    assert found == PEOPLE
    assert list(found) == list(PEOPLE)


@pytest.mark.parametrize(
    ("library", "method"), [("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")]
)
def test_an_absent_library_is_named_with_its_remedy(columns, library, method, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    message = rf"{method}\(\) needs {library}, which is not installed: pip install {library}"
    with pytest.raises(MissingDependencyError, match=message):
        getattr(columns, method)()
