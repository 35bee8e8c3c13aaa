"""Rates and metrics as masks, against the definitions written out."""

from __future__ import annotations

import pytest

import brute_force
from crossfair.errors import InputError
from crossfair.metrics import ALIASES, METRICS, RATES, applicable, choose_among, metric, rate


@pytest.mark.parametrize("name", RATES)
def test_masks_are_the_definitions(name: str) -> None:
    event, condition = brute_force.RATES[name]
    for y in (0, 1):
        for p in (0, 1):
            assert rate(name).denominator[y, p] == condition(bool(y), bool(p))
            assert rate(name).numerator[y, p] == (condition(bool(y), bool(p)) and event(bool(y), bool(p)))


def test_masks_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        rate("tpr").numerator[0, 0] = True


@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_made_of_the_rates_of_their_definition(name: str) -> None:
    expected = ["base"] if name == "elift" else brute_force.METRICS[name]
    assert [found.name for found in metric(name).rates] == expected
    assert metric(name).comparison == ("population" if name == "elift" else "between")


def test_the_names_are_those_of_the_contract() -> None:
    assert list(METRICS) == [
        "elift",
        "impact_ratio",
        "statistical_parity",
        "tpr_parity",
        "fpr_parity",
        "equalized_odds",
        "tnr_parity",
        "fnr_parity",
        "ppv_parity",
        "npv_parity",
        "accuracy_parity",
    ]
    assert dict(ALIASES) == {"equal_opportunity": "tpr_parity", "predictive_parity": "ppv_parity"}


def test_without_a_column_only_some_metrics_are_possible() -> None:
    assert [m.name for m in applicable(label=False, prediction=True)] == ["statistical_parity"]
    assert [m.name for m in applicable(label=True, prediction=False)] == ["elift", "impact_ratio"]
    assert [m.name for m in applicable(label=True, prediction=True)] == list(METRICS)
    assert applicable(label=False, prediction=False) == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("equal_odds", "Did you mean 'equalized_odds'"),
        ("Equal_Opportunity", "Did you mean 'equal_opportunity'"),
        ("tprparity", "Did you mean 'tpr_parity'"),
    ],
)
def test_an_unknown_metric_brings_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=rf"metric: must be one of 'elift', .*; got {name}\. {hint}"):
        metric(name)


@pytest.mark.parametrize("name", ["xyzzy", None, 3])
def test_an_unknown_metric_without_a_near_one(name: object) -> None:
    with pytest.raises(InputError, match=rf"metric: must be one of .*; got {name}\.$"):
        metric(name)  # type: ignore[arg-type]


def test_an_alias_chooses_among_what_there_is() -> None:
    assert choose_among(["ppv_parity"], "predictive_parity") == "ppv_parity"
    with pytest.raises(
        InputError, match=r"metric: must be one of 'ppv_parity', 'predictive_parity'; got equal_opp"
    ):
        choose_among(["ppv_parity"], "equal_opportunity")


def test_an_unknown_rate_brings_the_nearest() -> None:
    with pytest.raises(InputError, match=r"rate: must be one of .*; got frp\. Did you mean 'fpr'"):
        rate("frp")
