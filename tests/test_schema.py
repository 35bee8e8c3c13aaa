"""The JSON of an audit is as its published schema says."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from crossfair.auditing import Settings, run_audit
from crossfair.counts import Counts
from crossfair.estimators.registry import ESTIMATORS
from crossfair.metrics import METRICS, RATES

SCHEMA = json.loads(Path(__file__).parents[1].joinpath("docs", "audit.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

TABLE = {
    "sex": ["F", "F", "F", "M", "M", None],
    "old": [True, False, False, True, True, False],
    "hired": [0, 1, 0, 0, 1, 1],
    "predicted": [0, 1, 1, 0, 1, 0],
    "n": [5, 3, 2, 6, 4, 1],
    "w": [5.5, 3.25, 2.5, 6.0, 4.0, 0.5],
    "w2": [7.0, 4.0, 3.25, 6.0, 4.0, 0.25],
}
ROLES: dict[str, Any] = {"by": ["sex", "old"], "label": "hired", "prediction": "predicted"}


@pytest.mark.parametrize("outcomes", ["positive", "all"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_gives_valid_json(name: str, outcomes: Any) -> None:
    audit = run_audit(Counts.from_table(TABLE, **ROLES), Settings(ESTIMATORS[name](), outcomes))
    limits = {"fpr_parity": 0.5, "elift": math.inf}
    VALIDATOR.validate(json.loads(audit.to_json(audit.check(limits))))


def test_weights_and_an_infinite_epsilon_are_valid() -> None:
    counts = Counts.from_table(TABLE, **ROLES, weight="w", weight_squared="w2")
    text = run_audit(counts, Settings(ESTIMATORS["smoothed"](0, 0))).to_json()
    assert '"Infinity"' in text
    VALIDATOR.validate(json.loads(text))


def test_the_schema_knows_every_metric_rate_and_estimator() -> None:
    definitions = SCHEMA["$defs"]
    assert definitions["metric"]["enum"] == list(METRICS)
    assert definitions["rate"]["enum"] == list(RATES)
    names = definitions["settings"]["properties"]["estimator"]["properties"]["name"]["enum"]
    assert sorted(names) == sorted(ESTIMATORS)


@pytest.mark.parametrize("change", [{"extra": 1}, {"format": "crossfair/audit/2"}, {"findings": [{}]}])
def test_the_schema_refuses_what_is_not_an_audit(change: dict[str, Any]) -> None:
    audit = run_audit(Counts.from_table(TABLE, **ROLES), Settings(ESTIMATORS["smoothed"]()))
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(json.loads(audit.to_json()) | change)
