"""The paper's figures on the Adult training data, through the public names, from every kind of table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import crossfair as cf
from components import require

READ: dict[str, Any] = {
    "by": ["sex", "age", "race_4"],
    "bins": {"age": [50]},
    "label": "income",
    "positive": ">50K",
    "prediction": "prediction",
}
COLUMNS = ("sex", "age", "race_4", "income", "prediction")


@pytest.fixture(scope="module")
def people() -> dict[str, Any]:
    return cf.datasets.adult("train")


@pytest.mark.parametrize(
    ("alpha", "metric", "expected"),
    [
        (0.01, "elift", 1.825197),
        (0.01, "impact_ratio", 2.375099),
        (0.01, "fpr_parity", 8.147651),
        (0.01, "tpr_parity", 4.267486),
        (0.01, "statistical_parity", 6.906971),
        (0.01, "equalized_odds", 8.147651),
        (0.0, "elift", 1.834378),
        (0.0, "impact_ratio", 2.384279),
    ],
)
def test_reference_epsilon(people: dict[str, Any], alpha: float, metric: str, expected: float) -> None:
    audit = cf.audit(people, estimator=cf.Smoothed(alpha, alpha), metrics=metric, **READ)
    assert audit[metric].epsilon == pytest.approx(expected, abs=5e-7)


def test_the_prior_dominates_the_papers_headline_figure(people: dict[str, Any]) -> None:
    finding = cf.audit(people, estimator=cf.Smoothed(0.01, 0.01), metrics="fpr_parity", **READ)["fpr_parity"]
    assert finding.evidence.prior_dominated
    assert finding.lowest.cell == ("Female", "≤ 50", "Other")
    assert (finding.lowest.successes, finding.lowest.trials) == (0, 185)
    assert finding.epsilon_at(1 / 3) < 5


def test_the_papers_running_example(people: dict[str, Any]) -> None:
    audit = cf.audit(people, by=["sex", "race"], label="income", positive=">50K", estimator=cf.Smoothed())
    groups = audit.groups()
    rates = dict(zip(zip(groups["sex"], groups["race"]), groups["raw"]))
    assert len(rates) == 10
    assert rates["Male", "White"] == pytest.approx(6089 / 19174)
    assert rates["Female", "Black"] == pytest.approx(90 / 1555)
    finding = audit["elift"]
    assert (finding.highest.cell, finding.lowest.cell) == (None, ("Female", "Other"))


def test_every_kind_of_table_gives_the_same_findings_to_the_last_bit(
    people: dict[str, Any], tmp_path: Path
) -> None:
    pandas, polars = require("pandas"), require("polars")
    columns = {name: list(people[name]) for name in COLUMNS}
    frame = pandas.DataFrame(columns)
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet")
    tables = [
        people,
        frame,
        polars.DataFrame(columns),
        polars.LazyFrame(columns),
        tmp_path / "people.csv",
        str(tmp_path / "people.parquet"),
    ]
    found = [cf.audit(table, estimator=cf.Bayes(draws=200), **READ) for table in tables]
    expected = json.loads(found[0].to_json())["findings"]
    for audit in found[1:]:
        assert json.loads(audit.to_json())["findings"] == expected
