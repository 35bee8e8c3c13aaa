"""Presets set the limits that they say, on who was selected; impact ratios are what a plain count gives."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossfair as cf
from crossfair.errors import InputError
from crossfair.presets import PRESETS, preset, selection

READ: dict[str, Any] = {"by": ["sex", "race"], "prediction": "hired"}


def applicants(seed: int = 0, records: int = 400) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["F", "M", None], size=records, p=[0.5, 0.45, 0.05]).tolist()
    race = rng.choice(["A", "B", "C", None], size=records, p=[0.6, 0.3, 0.03, 0.07]).tolist()
    chance = [0.2 + 0.2 * (s == "M") + 0.2 * (r == "A") for s, r in zip(sex, race)]
    return {"sex": sex, "race": race, "hired": (rng.random(records) < chance).astype(int).tolist()}


def by_hand(people: dict[str, list[Any]], names: tuple[str, ...], least: float) -> dict[str, float]:
    """Impact ratios by counting records one by one; unknown and small categories apart."""
    who = list(zip(*(people[name] for name in names)))
    size, chosen = Counter(who), Counter(w for w, hired in zip(who, people["hired"]) if hired)
    included = [w for w, n in size.items() if None not in w and n / len(who) >= least]
    most = max(chosen[w] / size[w] for w in included)
    return {" · ".join(w): chosen[w] / size[w] / most for w in included}


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.02, 0.1]))
@settings(max_examples=25, deadline=None)
def test_impact_ratios_are_those_of_a_count_by_hand(seed: int, least: float) -> None:
    people = applicants(seed)
    audit = cf.audit(people, **READ, estimator="smoothed")
    table = audit.impact_ratios(least_share=least, missing="apart")
    for names in (("sex",), ("race",), ("sex", "race")):
        found = {
            category: ratio
            for subset, category, ratio in zip(table["attributes"], table["category"], table["impact_ratio"])
            if subset == ", ".join(names) and ratio is not None
        }
        assert found == pytest.approx(by_hand(people, names, least))


def test_what_is_left_out_keeps_its_figures_and_says_why() -> None:
    table = cf.audit(applicants(), **READ, estimator="smoothed").impact_ratios(
        least_share=0.05, missing="apart"
    )
    rows = {
        (subset, category): (records, rate, ratio, why)
        for subset, category, records, rate, ratio, why in zip(
            *(
                table[n]
                for n in ("attributes", "category", "records", "selection_rate", "impact_ratio", "left_out")
            )
        )
    }
    records, rate, ratio, why = rows["race", "C"]
    assert (ratio, why) == (None, "small")
    assert records > 0
    assert 0 <= rate <= 1
    assert rows["sex", "missing"][2:] == (None, "missing")
    assert sum(n for (subset, _), (n, *_) in rows.items() if subset == "sex") == 400


def test_nobody_is_left_out_unless_asked() -> None:
    table = cf.audit(applicants(), **READ, estimator="smoothed").impact_ratios()
    assert set(table["left_out"]) == {None}


def test_weights_count_in_the_rates() -> None:
    people = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "w": [3.0, 1.0, 1.0, 1.0]}
    table = cf.audit(people, by="sex", prediction="hired", weight="w", estimator="smoothed").impact_ratios()
    assert (table["records"], table["selected"]) == ([2.0, 2.0], [1.0, 1.0])
    assert (table["selection_rate"], table["impact_ratio"]) == ([0.25, 0.5], [0.5, 1.0])


def test_where_nobody_is_selected_there_is_no_ratio() -> None:
    people = {"sex": ["F", "M"], "race": ["A", "B"], "hired": [0, 0]}
    table = cf.audit(people, **READ, estimator="smoothed").impact_ratios()
    assert set(table["impact_ratio"]) == {None}


def test_a_ratio_of_four_fifths_is_kept_and_less_is_not() -> None:
    def judged(hired: int) -> str:
        table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [100 - hired, hired, 0, 100]}
        audit = cf.audit(
            cf.Counts.from_table(table, by="sex", prediction="hired"), estimator=cf.Smoothed(0, 0)
        )
        (verdict,) = audit.check("four-fifths")
        assert (verdict.metric, verdict.limit) == ("statistical_parity", cf.four_fifths)
        return verdict.verdict

    assert [judged(79), judged(80), judged(81)] == ["fail", "pass", "pass"]


def test_without_predictions_the_label_says_who_was_selected() -> None:
    people = applicants()
    by_label = cf.audit(people, by=["sex"], label="hired", estimator="smoothed")
    assert selection(by_label.counts).name == "impact_ratio"
    by_prediction = cf.audit(people, by=["sex"], prediction="hired", estimator="smoothed")
    assert by_label.impact_ratios() == by_prediction.impact_ratios()


def test_the_city_s_layout_sets_no_limit_and_has_two_attributes() -> None:
    audit = cf.audit(applicants(), **READ, estimator="smoothed")
    assert len(audit.check("nyc-local-law-144")) == 0
    with pytest.raises(
        InputError, match=r"'nyc-local-law-144' is laid out for 2 attributes; got 1: sex\. Name sex"
    ):
        cf.audit(applicants(), by="sex", prediction="hired").check("nyc-local-law-144")


def test_presets_know_their_names() -> None:
    assert all(preset(name).name == name for name in PRESETS)
    assert preset("four-fifths").limits(cf.count(applicants(), **READ)) == {
        "statistical_parity": -math.log(0.8)
    }
    with pytest.raises(
        InputError, match=r"preset: must be one of .*; got four_fifths\. Did you mean 'four-fifths'"
    ):
        preset("four_fifths")
    with pytest.raises(InputError, match=r"limits: must be one of 'four-fifths'"):
        cf.audit(applicants(), **READ, estimator="smoothed").check("five-fifths!")
    with pytest.raises(InputError, match="least_share: must be a finite number of at least 0; got -1"):
        cf.audit(applicants(), **READ, estimator="smoothed").impact_ratios(least_share=-1)
