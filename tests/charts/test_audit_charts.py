from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import audits
from crossfair.auditing import Audit
from crossfair.charts.of_audit import CHARTS
from crossfair.errors import InputError


def values(spec: Any) -> Iterator[dict[str, Any]]:
    """The rows of data in all parts of a chart."""
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else []
    if isinstance(spec, dict) and "data" in spec:
        yield from spec["data"].get("values", [])
    for part in parts:
        yield from values(part)


def rows(audit: Audit, name: str, **options: Any) -> list[dict[str, Any]]:
    """The rows of a chart, each once."""
    found = values(audit.chart(name, **options).to_dict())
    return list({json.dumps(row): row for row in found}.values())


def test_the_rates_are_sorted_with_the_driving_pair_marked() -> None:
    audit = audits.ordinary()
    finding = audit["statistical_parity"]
    shown = rows(audit, "rates", metric="statistical_parity")
    rates = [row["raw"] for row in shown]
    assert rates == sorted(rates, reverse=True)
    assert [row["place"] for row in shown] == list(range(6))
    roles = {row["role"]: row for row in shown if row["role"] != "other"}
    assert finding.highest is not None
    assert finding.lowest is not None
    assert roles["highest"]["name"] == " · ".join(map(str, finding.highest.cell or ()))
    assert roles["lowest"]["raw"] == pytest.approx(finding.lowest.raw)
    for row in shown:
        assert row["low"] <= row["raw"] <= row["high"]
    assert {row["records"] for row in shown} == set(audit.counts.support.tolist())


def test_equalized_odds_shows_both_its_rates() -> None:
    spec = audits.ordinary().chart("rates", metric="equalized_odds").to_dict()
    assert [panel["title"] for panel in spec["vconcat"]] == ["true positive rate", "false positive rate"]


def test_of_more_cells_than_can_be_searched_the_ends_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = audits.many(30)
    whole = [row["name"] for row in rows(audit, "rates", metric="impact_ratio", most=1_000)]
    monkeypatch.setattr("crossfair.charts.theme.MOST_SEARCHED", len(whole) - 1)
    shown = rows(audit, "rates", metric="impact_ratio", most=10)
    assert [row["name"] for row in shown] == [*whole[:5], f"… {len(whole) - 10:,} more …", *whole[-5:]]
    assert not any("kept" in row for row in shown)


def test_four_hundred_cells_show_top_and_bottom_and_the_others_are_searched() -> None:
    audit = audits.many(400)
    found = sorted(rows(audit, "rates", metric="statistical_parity", most=10), key=lambda row: row["place"])
    every = rows(audit, "rates", metric="statistical_parity", most=400)
    assert [row["name"] for row in found if row["kept"] is not None] == [row["name"] for row in every]
    shown = [row["name"] for row in found if row["kept"] is not False]
    names = [row["name"] for row in every]
    assert shown == [*names[:5], "… 390 more …", *names[-5:]]
    spec = audit.chart("rates", metric="statistical_parity", most=10).to_dict()
    assert [param["bind"]["input"] for param in spec["params"]] == ["search"]
    assert "params" not in audit.chart("rates", metric="statistical_parity", most=400).to_dict()


def test_epsilon_has_intervals_and_limits() -> None:
    audit = audits.ordinary()
    shown = {row["name"]: row for row in rows(audit, "epsilon", verdicts=audit.check({"impact_ratio": 0.7}))}
    assert list(shown) == [finding.metric.words for finding in audit.findings.values()]
    for finding in audit.findings.values():
        row = shown[finding.metric.words]
        assert [row["epsilon"], row["low"], row["high"]] == pytest.approx(
            [finding.epsilon, finding.low, finding.high]
        )
    assert shown["impact ratio"]["limit"] == 0.7
    assert shown["elift"]["limit"] is None


def test_an_infinite_epsilon_stands_at_the_end_of_the_axis_and_says_so() -> None:
    (row,) = [row for row in rows(audits.infinite(), "epsilon") if row["name"] == "impact ratio"]
    assert (row["kind"], row["shown"]) == ("beyond the axis", "∞")
    assert row["epsilon"] < 100


def test_the_lattice_has_every_subset() -> None:
    audit = audits.ordinary()
    shown = rows(audit, "lattice", metric="impact_ratio")
    assert [row["name"] for row in shown] == ["age", "sex", "sex, age"]  # age tells more than sex
    assert shown[-1]["epsilon"] == audit["impact_ratio"].epsilon


def test_the_prior_is_followed_over_alpha() -> None:
    audit = audits.ordinary()
    shown = [row for row in rows(audit, "prior", metric="impact_ratio") if row["metric"] == "impact ratio"]
    assert (shown[0]["alpha"], shown[-1]["alpha"]) == (pytest.approx(0.001), pytest.approx(1))
    for row in shown[::10]:
        assert row["epsilon"] == pytest.approx(audit["impact_ratio"].epsilon_at(row["alpha"]))


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("odd", ["infinite", "single", "nothing", "unlabelled"])
def test_every_chart_can_be_drawn_of_what_is_hard_to_show(name: str, odd: str) -> None:
    spec = audits.ODD[odd]().chart(name).to_dict()
    assert len(spec["description"]) > 20
    assert "nan" not in spec["description"].lower().split()


def test_colours_are_never_alone() -> None:
    for name in CHARTS:
        spec = str(audits.ordinary().chart(name).to_dict())
        if "'color': {'field'" in spec:
            assert "'shape': {'field'" in spec, name


def test_bad_arguments_are_refused() -> None:
    audit = audits.ordinary()
    with pytest.raises(
        InputError, match=r"name: must be one of 'epsilon', .*; got rate\. Did you mean 'rates'"
    ):
        audit.chart("rate")
    with pytest.raises(InputError, match=r"must be one of .*impact_ratio"):
        audit.chart("rates", metric="impact")
    with pytest.raises(InputError, match="most: must be an integer of at least 2; got 1"):
        audit.chart("rates", most=1)
