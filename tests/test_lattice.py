"""The lattice: which subsets come first, and how many there are to read."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossfair as cf
from crossfair.errors import InputError
from crossfair.lattice import MOST_SUBSETS, readable_order, telling_first

EPSILON = st.one_of(st.just(math.inf), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 10))


def rows(attributes: str, order: int, epsilons: list[list[float]]) -> list[Any]:
    """Subsets up to a size, with ε of as many metrics as there are columns."""
    subsets = [s for size in range(1, order + 1) for s in itertools.combinations(attributes, size)]
    return [(s, [SimpleNamespace(epsilon=e) for e in found]) for s, found in zip(subsets, epsilons)]


def told(subset: tuple[str, ...], made: list[Any]) -> float:
    """By the definition: the most that any metric's ε adds to the largest one of the next smaller subsets."""
    epsilon = {frozenset(s): [finding.epsilon for finding in found] for s, found in made}
    own, smaller = (
        epsilon[frozenset(subset)],
        [e for s, e in epsilon.items() if s < set(subset) and len(s) == len(subset) - 1],
    )
    added = []
    for place, value in enumerate(own):
        least = max((e[place] for e in smaller), default=0.0)
        added.append(0.0 if value == least else value - least)
    return max(added)


@given(st.lists(st.lists(EPSILON, min_size=2, max_size=2), min_size=14, max_size=14), st.integers(1, 16))
def test_the_most_telling_subsets_come_first(epsilons: list[list[float]], most: int) -> None:
    made = rows("abcd", 3, epsilons)
    found = telling_first(made)
    assert sorted(subset for subset, _ in found) == sorted(subset for subset, _ in made)
    order = [(len(subset), -told(subset, made)) for subset, _ in found]
    assert order == sorted(order)
    kept = telling_first(made, most)
    assert len(kept) == min(most, len(made))
    left = {subset for subset, _ in made} - {subset for subset, _ in kept}
    least = min(told(subset, made) for subset, _ in kept)
    assert all(told(subset, made) <= least for subset in left)


@pytest.mark.parametrize("attributes", range(1, 16))
def test_what_is_to_be_read_is_little(attributes: int) -> None:
    order = readable_order(attributes)
    sizes = [math.comb(attributes, size) for size in range(1, attributes + 1)]
    assert sum(sizes[:order]) <= MOST_SUBSETS
    assert order == attributes or sum(sizes[: order + 1]) > MOST_SUBSETS


def planted() -> cf.Audit:
    """Six attributes of which b and e matter, and only where they meet."""
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(2, size=20_000) for name in "abcdef"}
    columns["y"] = (rng.random(20_000) < np.where(columns["b"] == columns["e"], 0.6, 0.3)).astype(int)
    return cf.audit(columns, by=list("abcdef"), label="y", metrics="impact_ratio", estimator=cf.Smoothed())


def test_an_intersection_that_matters_is_found() -> None:
    audit = planted()
    assert audit.lattice(2, most=1)["attributes"] == ["b, e"]
    assert len(audit.lattice(2)["attributes"]) == 6 + 15
    assert audit.lattice(2)["attributes"][6] == "b, e"
    with pytest.raises(InputError, match="most: must be an integer of at least 1; got 0"):
        audit.lattice(most=0)


def test_the_cells_at_either_end_of_a_rate() -> None:
    audit = planted()
    everyone, table = audit.groups(), audit.groups(most=5)
    ranked = sorted(everyone["estimate"], reverse=True)
    assert table["estimate"] == [*ranked[:3], *ranked[-2:]]
    places = [everyone["estimate"].index(estimate) for estimate in table["estimate"]]
    for name, column in table.items():
        assert column == [everyone[name][place] for place in places]
    assert audit.groups(most=64) == everyone
    with pytest.raises(InputError, match="most: must be an integer of at least 2; got 1"):
        audit.groups(most=1)


def test_json_lists_the_largest_of_many_cells_that_are_left_out() -> None:
    table = {"a": list(range(100)), "y": [1] * 100, "n": list(range(1, 101))}
    audit = cf.audit(cf.Counts.from_table(table, by="a", label="y"), min_support=81, estimator="smoothed")
    evidence = audit["impact_ratio"].evidence
    assert len(evidence.left_out) == 80
    written = evidence.to_json()
    assert [row["records"] for row in written["left_out"]] == list(range(80, 60, -1))
    assert written["left_out_more"] == 60
    text = audit.to_json()
    assert cf.Audit.from_json(text)["impact_ratio"].evidence == evidence
    assert cf.Audit.from_json(text).to_json() == text
