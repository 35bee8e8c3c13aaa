"""The reading options: everything that breaks a rule is refused when they are made."""

from __future__ import annotations

import math

import pytest

from crossfair.errors import InputError
from crossfair.reading import Reading


def test_one_attribute_may_be_a_text():
    assert Reading(by="sex", label="y").attributes == ("sex",)


def test_columns_name_the_part_of_each():
    reading = Reading(by=["sex", "age"], label="y", score="p", weight="w")
    assert reading.columns == {"k0": "sex", "k1": "age", "label": "y", "score": "p", "weight": "w"}


def test_edges_are_numbers():
    assert Reading(by="age", bins={"age": [30, 50]}, label="y").edges == {"age": (30.0, 50.0)}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"by": []}, "by: must name at least one attribute; got none"),
        ({"by": 3}, "by: must be the name of a column or a list of names; got 3"),
        ({"by": ["a", 3]}, "by: must be the name of a column or a list of names"),
        ({"by": ["a", "a"]}, "by: each column plays one part; got 'a' named twice"),
        ({"by": ["a", "y"]}, "by: each column plays one part; got 'y' named twice"),
        ({"by": "a", "weight": "y"}, "by: each column plays one part; got 'y' named twice"),
        ({"by": "a", "label": None}, "label, prediction: at least one must be named; got neither"),
        ({"by": "a", "label": 3}, "label: must be the name of a column; got 3"),
        ({"by": "a", "table": 3}, "table: must be the name of a table; got 3"),
        ({"by": "a", "prediction": "p", "score": "s"}, "prediction, score: give one of them; got both"),
        ({"by": "a", "missing": "keep"}, "missing: must be one of 'level', 'drop', 'error'; got keep"),
        ({"by": "a", "threshold": math.nan}, "threshold: must be a finite number; got nan"),
        ({"by": "a", "threshold": "high"}, "threshold: must be a finite number; got 'high'"),
        ({"by": "a", "bins": {"b": [1]}}, "bins: must be one of 'a'; got b"),
        ({"by": "a", "bins": {"a": [2, 1]}}, "bins: the edges of 'a' must be finite and increasing"),
    ],
)
def test_what_breaks_a_rule_is_refused(options, match):
    with pytest.raises(InputError, match=match):
        Reading(**{"label": "y", **options})
