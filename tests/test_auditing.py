"""An audit as a whole: against the definitions, its tables, its lattice, its file, its settings."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
import crossfair as cf
from core_strategies import counted, counts, counts_of, records
from crossfair.auditing import Settings
from crossfair.errors import FormatError, InputError
from crossfair.estimators.registry import ESTIMATORS

RAW = cf.Smoothed(0, 0)
N = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]], [[20, 1], [6, 2]], [[8, 0], [2, 5]]])
LEVELS = (2, 2)


@given(counts(), st.sampled_from(["positive", "all"]))
def test_raw_epsilon_is_the_definition_for_every_metric(made: cf.Counts, outcomes: Any) -> None:
    audit = cf.audit(made, estimator=RAW, outcomes=outcomes)
    everyone = brute_force.records_of(made)
    judged = made.outcomes.values if outcomes == "all" else [1]
    for name in audit:
        expected = brute_force.epsilon(everyone, name, judged)
        assert audit[name].epsilon == pytest.approx(expected, abs=1e-12), name


@given(records(outcomes=3))
def test_three_outcomes_are_one_against_the_rest_each(table: dict[str, list[Any]]) -> None:
    made = counted(table, outcomes=("a", "b", "c"), positive=None)
    audit = cf.audit(made, estimator=RAW, outcomes="all")
    for name in audit:
        expected = brute_force.epsilon(brute_force.records_of(made), name, made.outcomes.values)
        assert audit[name].epsilon == pytest.approx(expected, abs=1e-12), name


def test_three_outcomes_without_a_positive_one_are_refused_with_what_to_say() -> None:
    table = {"a": ["x", "x", "y"], "job": ["clerk", "cook", "guard"]}
    message = r"positive: must name the positive outcome .* got the values 'clerk', 'cook', 'guard'"
    with pytest.raises(InputError, match=message):
        cf.audit(table, by="a", label="job")
    assert len(cf.audit(table, by="a", label="job", outcomes="all", estimator=RAW)) == 2


@given(counts(), st.randoms(use_true_random=False))
def test_raw_epsilon_does_not_depend_on_the_names_or_the_order_of_cells(made: cf.Counts, random: Any) -> None:
    order = list(range(len(made.cells)))
    random.shuffle(order)
    table = {
        "cell": [f"renamed {order[i]}" for i, y, p in np.ndindex(made.n.shape)],
        "label": [y for i, y, p in np.ndindex(made.n.shape)],
        "prediction": [p for i, y, p in np.ndindex(made.n.shape)],
        "n": made.n.ravel().tolist(),
    }
    renamed = cf.Counts.from_table(table, by="cell", label="label", prediction="prediction")
    one, other = cf.audit(made, estimator=RAW), cf.audit(renamed, estimator=RAW)
    assert {name: one[name].epsilon for name in one} == {name: other[name].epsilon for name in other}


@given(counts(), st.integers(2, 9))
def test_raw_epsilon_does_not_depend_on_the_size_of_the_whole(made: cf.Counts, factor: int) -> None:
    larger = cf.Counts(made.cells, made.outcomes, made.n * factor)
    one, other = cf.audit(made, estimator=RAW), cf.audit(larger, estimator=RAW)
    for name in one:
        assert one[name].epsilon == pytest.approx(other[name].epsilon, abs=1e-12)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("outcomes", ["positive", "all"])
def test_every_estimator_measures_every_metric(name: str, outcomes: Any) -> None:
    audit = cf.audit(counts_of(N, LEVELS), estimator=name, outcomes=outcomes)
    assert len(audit) == 11
    for finding in audit.findings.values():
        assert finding.epsilon >= 0
        if finding.low is not None and finding.high is not None:
            assert finding.low <= finding.epsilon <= finding.high
        assert (finding.draws is not None) == ESTIMATORS[name].drawn


@pytest.mark.parametrize("name", ["hierarchical", "bayes", "bootstrap", "smoothed", "guaranteed"])
def test_expected_counts_are_audited_and_it_is_said(name: str) -> None:
    made = counts_of(N + 0.25, LEVELS)
    audit = cf.audit(made, estimator=name, metrics="fpr_parity")
    assert made.fractional
    assert "the counts are expected ones, not whole records" in audit["fpr_parity"].evidence.notes


def test_the_columns_decide_which_metrics_there_are() -> None:
    table = {"a": ["x", "x", "y", "y"], "y": [0, 1, 0, 1], "p": [1, 1, 0, 1]}
    assert list(cf.audit(table, by="a", label="y", estimator=RAW)) == ["elift", "impact_ratio"]
    assert list(cf.audit(table, by="a", prediction="p", estimator=RAW)) == ["statistical_parity"]
    assert len(cf.audit(table, by="a", label="y", prediction="p", estimator=RAW)) == 11


def test_a_metric_is_found_by_its_alias_and_measured_once() -> None:
    audit = cf.audit(counts_of(N), metrics=["equal_opportunity", "tpr_parity"], estimator=RAW)
    assert list(audit) == ["tpr_parity"]
    assert audit["equal_opportunity"] is audit["tpr_parity"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"metrics": "tpr_party"},
            r"metrics: must be one of .*; got tpr_party\. Did you mean 'tpr_parity'\?",
        ),
        ({"metrics": []}, r"metrics: must name at least one of .*; got none"),
        ({"estimator": "bayess"}, r"estimator: must be one of .*; got bayess\. Did you mean 'bayes'\?"),
        ({"estimator": 3}, r"estimator: must be one of Hierarchical\(\), .*; got 3"),
        ({"level": 95}, r"level: must lie strictly between 0 and 1; got 95"),
        ({"min_support": -1}, r"min_support: must be a finite number of at least 0; got -1"),
        ({"seed": 1.5}, r"seed: must be an integer of at least 0; got 1.5"),
        ({"outcomes": "both"}, r"outcomes: must be one of 'positive', 'all'; got both"),
        ({"label": "y"}, r"label: says how to read records, but the data are counts already; got y"),
    ],
)
def test_what_breaks_a_rule_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cf.audit(counts_of(N), **options)


def test_a_metric_that_the_counts_cannot_give_is_refused_with_those_they_can() -> None:
    message = r"metrics: 'tpr_parity' needs a prediction; got counts without a prediction\. .* ask for elift"
    with pytest.raises(InputError, match=message):
        cf.audit({"a": ["x", "y"], "y": [0, 1]}, by="a", label="y", metrics="tpr_parity")


def test_a_metric_that_was_not_measured_is_named_with_those_that_were() -> None:
    audit = cf.audit(counts_of(N), metrics="fpr_parity", estimator=RAW)
    with pytest.raises(InputError, match=r"metric: must be one of 'fpr_parity'; got tpr_parity"):
        audit["tpr_parity"]


def test_the_lattice_is_the_audit_of_every_marginal() -> None:
    made = counts_of(N, LEVELS)
    table = cf.audit(made, estimator="bayes", seed=7).lattice()
    row = {(table["attributes"][i], table["metric"][i]): i for i in range(len(table["metric"]))}
    assert len(row) == 3 * 11
    for subset in (["a0"], ["a1"], ["a0", "a1"]):
        alone = cf.audit(made.marginal(subset), estimator="bayes", seed=7)
        for name in alone:
            i = row[", ".join(subset), name]
            assert (table["epsilon"][i], table["low"][i], table["high"][i]) == (
                alone[name].epsilon,
                alone[name].low,
                alone[name].high,
            )
            assert (table["by_a0"][i], table["by_a1"][i]) == ("a0" in subset, "a1" in subset)


@given(counts(attributes=3))
def test_down_the_lattice_raw_epsilon_falls(made: cf.Counts) -> None:
    metrics = ["elift", "impact_ratio", "statistical_parity", "tpr_parity", "fpr_parity", "equalized_odds"]
    table = cf.audit(made, estimator=RAW, metrics=metrics).lattice()
    epsilon = {
        (frozenset(attributes.split(", ")), name): value
        for attributes, name, value in zip(table["attributes"], table["metric"], table["epsilon"])
    }
    for (small, name), (large, other) in itertools.permutations(epsilon, 2):
        # A finite ε of the whole bounds that of a part even for the two-sided elift.
        if name == other and small < large:
            assert epsilon[small, name] <= epsilon[large, name] + 1e-12


def test_the_order_of_the_lattice_is_bounded() -> None:
    audit = cf.audit(counts_of(N, LEVELS), estimator=RAW, metrics="fpr_parity")
    assert audit.lattice(max_order=1)["attributes"] == ["a0", "a1"]
    with pytest.raises(InputError, match=r"max_order: must be an integer from 1 to 2; got 3"):
        audit.lattice(max_order=3)


def test_groups_show_raw_rates_beside_estimates_with_exact_intervals() -> None:
    audit = cf.audit(counts_of(N), estimator=cf.Smoothed(1, 1), metrics=["fpr_parity", "fnr_parity"])
    table = audit.groups()
    assert table["rate"] == ["fpr"] * 4 + ["fnr"] * 4
    assert table["trials"] == [100, 43, 21, 8, 50, 35, 8, 7]
    assert table["successes"] == [10, 3, 1, 0, 30, 10, 6, 2]
    assert table["raw"] == pytest.approx([s / t for s, t in zip(table["successes"], table["trials"])])
    assert table["estimate"] == pytest.approx(
        [(s + 1) / (t + 2) for s, t in zip(table["successes"], table["trials"])]
    )
    for low, raw, high in zip(table["low"], table["raw"], table["high"]):
        assert low <= raw <= high


def test_an_attribute_named_like_a_column_of_the_table_keeps_its_name() -> None:
    table = {"rate": ["x", "y"], "y": [0, 1]}
    found = cf.audit(table, by="rate", label="y", estimator=RAW).groups()
    assert found["rate"] == ["x", "y"]
    assert found["rate_"] == ["base", "base"]


def test_tables_come_in_the_library_of_the_data() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    columns = {"a": ["x", "x", "y", "y"], "y": [0, 1, 0, 1]}
    for frame, kind in (
        (polars.DataFrame(columns), polars.DataFrame),
        (pandas.DataFrame(columns), pandas.DataFrame),
    ):
        audit = cf.audit(frame, by="a", label="y", estimator=RAW)
        for table in (audit.table(), audit.groups(), audit.lattice()):
            assert isinstance(table, kind)
    assert isinstance(cf.audit(columns, by="a", label="y", estimator=RAW).table(), dict)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_audit_is_read_back_from_its_json_as_it_was(name: str) -> None:
    audit = cf.audit(counts_of(N, LEVELS), estimator=name, seed=3)
    text = audit.to_json()
    again = cf.Audit.from_json(text)
    assert again.to_json() == text
    limits = {"fpr_parity": 1.0, "impact_ratio": 0.5}
    assert again.check(limits).to_json() == audit.check(limits).to_json()
    assert again.groups() == audit.groups()


def test_json_holds_infinity_as_a_text_and_is_standard() -> None:
    audit = cf.audit(counts_of(N), estimator=RAW, metrics="fpr_parity")
    assert audit["fpr_parity"].epsilon == math.inf
    body = json.loads(audit.to_json(), parse_constant=pytest.fail)
    assert body["findings"][0]["epsilon"] == "Infinity"
    assert body["format"] == "crossfair/audit/1"


@pytest.mark.parametrize(
    "edit",
    [
        {"format": "crossfair/audit/2"},
        {"format": "crossfair/counts/1"},
        {"findings": [{}]},
        {"settings": {}},
        {"counts": None},
    ],
)
def test_an_edited_file_is_refused(edit: dict[str, Any]) -> None:
    body = json.loads(cf.audit(counts_of(N), estimator=RAW).to_json())
    with pytest.raises(FormatError, match="my audit"):
        cf.Audit.from_json(json.dumps({**body, **edit}), "my audit")


def test_equal_audits_have_equal_bytes_and_another_seed_others() -> None:
    made = counts_of(N)
    assert cf.audit(made, seed=1).to_json() == cf.audit(made, seed=1).to_json()
    assert cf.audit(made, seed=1).to_json() != cf.audit(made, seed=2).to_json()


def test_settings_speak_of_their_own_arguments() -> None:
    with pytest.raises(InputError, match=r"level: must lie strictly between 0 and 1; got 0"):
        Settings(RAW, level=0)


def _document() -> dict[str, Any]:
    made = counts_of(N, LEVELS)
    return dict(json.loads(cf.audit(made, estimator=cf.Bayes(draws=5), metrics="tpr_parity").to_json()))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("draws",), [1.0], "a finding must have as many draws as its estimator makes; got 1 for tpr_parity"),
        (("draws", 0), "x", "must hold a number here; got x"),
        (("epsilon",), None, "epsilon of a finding must be a number; got None"),
        (
            ("highest", "cell"),
            ["x"],
            "cell of highest of a finding must be one of the counts; got \\('x',\\)",
        ),
        (("highest", "cell"), 7, "cell of highest of a finding must be a list; got 7"),
        (("lowest", "trials"), None, "trials of lowest of a finding must be a number; got None"),
        (("lowest", "raw"), "Infinity", "raw of lowest of a finding must be a finite number"),
        (("lowest", "rate"), "trp", "a.json: rate: must be one of 'base'.* Did you mean 'tpr'"),
        (("evidence", "notes"), [1], "notes of evidence of a finding must be a list of texts"),
        (("evidence", "supported"), "x", "supported of evidence of a finding must be an integer, 0 or more"),
        (
            ("evidence", "prior_dominated"),
            None,
            "prior_dominated of evidence of a finding must be true or false",
        ),
        (("evidence", "more"), 1, "evidence of a finding must have the fields .*; got more is not known"),
    ],
)
def test_a_damaged_finding_is_refused(place: tuple[Any, ...], value: Any, message: str) -> None:
    document = _document()
    *path, last = place
    at = document["findings"][0]
    for step in path:
        at = at[step]
    at[last] = value
    with pytest.raises(InputError, match=message):
        cf.Audit.from_json(json.dumps(document), "a.json")


def test_an_audit_without_findings_is_refused() -> None:
    document = _document()
    del document["findings"]
    with pytest.raises(FormatError, match=r"the audit must have the fields .*; got findings is missing"):
        cf.Audit.from_json(json.dumps(document), "a.json")


def test_arguments_of_another_kind_are_refused() -> None:
    made = counts_of(N, LEVELS)
    audit = cf.audit(made, estimator=RAW)
    for call, message in [
        (
            lambda: cf.audit(made, metrics=3),
            "metrics: must be the name of a metric or a list of names; got 3",
        ),  # type: ignore[arg-type]
        (lambda: audit.check(["elift"]), r"limits: must map metrics to limits on ε; got \['elift'\]"),  # type: ignore[arg-type]
        (lambda: audit.check({"elift": "1"}), "the limit on 'elift' must be a number of at least 0; got '1'"),  # type: ignore[dict-item]
        (lambda: cf.compare(audit, made), "audits: must be two audits; got a value of type Counts"),  # type: ignore[arg-type]
        (
            lambda: cf.audit(made, missing="drop"),
            "missing: says how to read records, but the data are counts",
        ),
        (
            lambda: cf.audit(made, threshold=0.7),
            "threshold: says how to read records, but the data are counts",
        ),
        (lambda: cf.Hierarchical(draws=1.5), "draws: must be an integer of at least 1; got 1.5"),  # type: ignore[arg-type]
    ]:
        with pytest.raises(InputError, match=message):
            call()
    with pytest.raises(TypeError):
        made + 1  # type: ignore[operator]
