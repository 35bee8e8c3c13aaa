"""The committed page, docs/paper.md, against a fresh run of the code, to rounding.

What is compared, so that nothing on the page stands unchecked but for one thing, which is said:

- The page and its charts are written again from the committed figures.json: every word, every number, every
  verdict and every difference. (Charts: all texts, and all places to two pixels.)
- All figures on Adult are computed again.
- On the synthetic data, those of four estimators are computed again over all 1,000 data sets of each size.
- The hierarchical estimator, which takes a minute, is run again on the first ten data sets of each size and
  compared one by one. Its means over all of its data sets are the one thing that is not computed again.

The hierarchical estimator's figures are compared within a tenth, as processors differ in the last bits.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from crossfair.paper import claims, reproduce, summaries, synthetic
from crossfair.paper.estimators import ESTIMATORS
from crossfair.paper.experiment import Results
from crossfair.paper.rows import select

DOCS = Path(__file__).parents[2] / "docs"
AGAIN = "the committed page is not that of this code; write it anew: make paper"

#: Nine digits are kept, and less than that is printed; processors differ in the last bits.
ROUNDING = {"rel": 1e-5, "abs": 1e-7}

SLOW = "hierarchical"
#: Its last bits can decide which prior is drawn, and so move its figures within their Monte-Carlo error.
DRAWN = {"rel": 0.1, "abs": 0.05}
#: Seconds differ from run to run; the page for browsers, of the same blocks, is not committed.
NOT_COMPARED = ("paper/seconds.json", "paper.html")

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture(scope="module")
def committed() -> Results:
    return Results.from_json(*(text(f"paper/{name}.json") for name in ("figures", "seconds")))


def text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def assert_same(found, expected, where="", tolerance=ROUNDING):
    """Equal rows of equal words, and of equal numbers to rounding."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), f"{where}: {AGAIN}"
        chosen = DRAWN if expected.get("estimator") == SLOW else tolerance
        for key in expected:
            assert_same(found[key], expected[key], f"{where}.{key}", chosen)
    elif isinstance(expected, list):
        assert len(found) == len(expected), f"{where}: {AGAIN}"
        for place, (one, other) in enumerate(zip(found, expected)):
            assert_same(one, other, f"{where}[{place}]", tolerance)
    elif isinstance(expected, float) and math.isfinite(expected):
        assert found == pytest.approx(expected, **tolerance), f"{where}: {AGAIN}"
    else:
        assert found == expected, f"{where}: {AGAIN}"


def test_it_is_of_a_full_run(committed):
    settings = committed.figures["settings"]
    assert (settings["seed"], settings["datasets"], settings["sizes"]) == (0, 1000, list(synthetic.SIZES))


def test_page_and_charts_are_written_from_the_committed_figures(committed):
    fresh = reproduce.texts(committed)
    assert {name.removeprefix("paper/") for name in fresh if "/" in name} == {
        path.name for path in (DOCS / "paper").iterdir()
    }
    for name, expected in fresh.items():
        if name.endswith(".svg"):
            assert_drawn_alike(text(name), expected)
        elif name not in NOT_COMPARED:
            same = text(name) == expected
            assert same, f"{name}: {AGAIN}"


def assert_drawn_alike(found, expected):
    same = NUMBER.sub("#", found) == NUMBER.sub("#", expected)
    assert same, AGAIN
    places = [[float(number) for number in NUMBER.findall(one)] for one in (found, expected)]
    assert places[0] == pytest.approx(places[1], abs=2), AGAIN


def test_the_verdicts_follow_from_the_committed_figures(committed):
    assert_same(committed.figures["claims"], [claim.row() for claim in claims.check(committed.figures)])


def test_the_figures_on_adult_are_those_of_this_code(committed, figures):
    assert_same(committed.figures["census"], figures["census"], "census")


def test_every_estimator_finds_the_committed_values_on_the_first_data_sets(committed, figures):
    for found, fresh in zip(committed.figures["synthetic"]["summaries"], figures["synthetic"]["summaries"]):
        assert (found["size"], found["estimator"]) == (fresh["size"], fresh["estimator"])
        kept = [{"estimator": row["estimator"], "first": row["first"]} for row in (found, fresh)]
        assert_same(*kept, f"{found['size']}, {found['estimator']}")


def test_the_means_of_four_estimators_are_those_of_this_code(committed):
    names = [name for name in ESTIMATORS if name != SLOW]
    fresh = summaries.summarise(synthetic.run(1000, 0, estimators=names, workers=1))
    found = committed.figures["synthetic"]
    assert_same([row for row in found["summaries"] if row["estimator"] != SLOW], fresh["summaries"], "means")
    assert_same([row for row in found["pairs"] if row["first"] != SLOW], fresh["pairs"], "pairs")
    assert len(select(found["summaries"], estimator=SLOW, datasets=synthetic.MOST[SLOW])) == len(
        synthetic.SIZES
    )
