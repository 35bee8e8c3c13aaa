"""Each claim is held or not held by the figures: it turns when they do."""

from __future__ import annotations

from copy import deepcopy

import pytest

from crossfair.paper import census_claims, claims, synthetic_claims
from crossfair.paper.rows import one, select


def synthetic(changes):
    """Figures on two sizes, as the paper would have them, with some changed."""
    errors = {"smoothed": (2.0, 0.05), "bootstrap": (3.0, 0.06), "bayes": (1.0, 0.04)} | changes.get(
        "mse", {}
    )
    widths = {"bootstrap": 5.0, "bayes": 3.0, "smoothed": None} | changes.get("width", {})
    pairs = [("bayes", "smoothed"), ("bayes", "bootstrap"), ("bootstrap", "smoothed")]
    return {
        "settings": {"sizes": [500, 10_000]},
        "synthetic": {
            "summaries": [
                {"size": size, "estimator": name, "mse": both[place], "width": widths[name], "coverage": 0.9}
                for place, size in enumerate((500, 10_000))
                for name, both in errors.items()
            ],
            "pairs": [
                {
                    "size": size,
                    "first": first,
                    "second": second,
                    "mse_difference": errors[first][place] - errors[second][place],
                    "mse_difference_error": 0.004,
                }
                for place, size in enumerate((500, 10_000))
                for first, second in pairs
            ],
        },
    }


@pytest.mark.parametrize("claim", synthetic_claims.CLAIMS)
def test_on_figures_like_the_papers_its_claims_on_estimators_hold(claim):
    assert claim(synthetic({})).held


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        (synthetic_claims.converge, {"mse": {"bootstrap": (3.0, 0.6)}}),
        (synthetic_claims.bayes_best, {"mse": {"smoothed": (2.0, 0.02)}}),
        (synthetic_claims.bayes_best, {"mse": {"bootstrap": (0.5, 0.06)}}),
        (synthetic_claims.bootstrap_worse, {"mse": {"bootstrap": (1.5, 0.06)}}),
        (synthetic_claims.bootstrap_worse, {"mse": {"bootstrap": (2.001, 0.06)}}),  # not beyond doubt
        (synthetic_claims.bootstrap_wider, {"width": {"bootstrap": 2.0}}),
    ],
)
def test_on_other_figures_they_do_not(claim, changes):
    assert not claim(synthetic(changes)).held


def test_a_larger_error_is_shown_with_both_figures():
    found = synthetic_claims.bayes_best(synthetic({"mse": {"smoothed": (2.0, 0.02)}}))
    assert "smaller at 500, larger at 10,000 (0.0400 against 0.0200)" in found.figures


def test_speed_is_judged_at_every_size():
    rows = [
        {"size": 50, "estimator": "bayes", "seconds": 1.0},
        {"size": 50, "estimator": "bootstrap", "seconds": 2.0},
    ]
    assert synthetic_claims.faster(rows).held
    assert "takes 2.0 to 2.0 times as long" in synthetic_claims.faster(rows).figures
    more = [{**row, "size": 100, "seconds": 1.0} for row in rows]
    assert not synthetic_claims.faster(rows + more).held


HELD_ON_ADULT = {
    "elift_cell": True,
    "worst_metric": True,
    "bayes_wider_on_census": True,
    "limit_met": True,
    "limit_in_intervals": False,
    "bad_cell": True,
    "bad_cell_mostly_wrong": False,
    "randomize_close": True,
    "coins_close": True,
    "threshold_far": False,
    "no_overfitting": False,
}


@pytest.mark.parametrize("claim", census_claims.CLAIMS, ids=lambda claim: claim.__name__)
def test_on_adult(claim, figures):
    assert claim(figures).held is HELD_ON_ADULT[claim.__name__]


def changed(figures, change):
    copy = deepcopy(figures)
    change(copy["census"])
    return copy


def raise_all(rows, key, value):
    for row in rows:
        row[key] = value


def loss(census, name):
    return one(census["performance"], split="train", decisions=name)


TURNED = {
    "elift_cell": lambda c: c["example"]["race"].update(cell=["Female", "Black"]),
    "worst_metric": lambda c: raise_all(select(c["audit"], metric="elift"), "epsilon", 9.0),
    "bayes_wider_on_census": lambda c: raise_all(select(c["audit"], estimator="bootstrap"), "high", 99.0),
    "limit_met": lambda c: raise_all(select(c["repaired"], decisions="overall"), "epsilon", 2.2),
    "limit_in_intervals": lambda c: raise_all(c["repaired"], "low", 0.0),
    "bad_cell": lambda c: raise_all(c["cells"], "repaired", 1.0),
    "bad_cell_mostly_wrong": lambda c: raise_all(c["cells"], "given", 0.6),
    "randomize_close": lambda c: loss(c, "randomize").update(loss=0.15),
    "coins_close": lambda c: loss(c, "overall").update(loss=0.15),
    "threshold_far": lambda c: loss(c, "threshold").update(loss=0.154),
    "no_overfitting": lambda c: raise_all(select(c["repaired"], split="test"), "epsilon", 2.0),
}


@pytest.mark.parametrize("claim", census_claims.CLAIMS, ids=lambda claim: claim.__name__)
def test_the_verdict_turns_with_the_figures(claim, figures):
    assert claim(changed(figures, TURNED[claim.__name__])).held is not HELD_ON_ADULT[claim.__name__]


def test_every_claim_is_checked_once(figures):
    found = claims.check(figures)
    assert len({claim.words for claim in found}) == len(found) == 15
    assert [claim.row() for claim in found] == figures["claims"]
