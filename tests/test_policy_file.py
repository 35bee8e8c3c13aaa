"""Policies as files: the round trip is the identity, the schema describes them, every edit is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings

import crossfair as cf
from crossfair.errors import FormatError
from crossfair.policy import Policy
from policies import policies, small_policy

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "policy.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@settings(max_examples=40)
@given(policies())
def test_saving_and_loading_is_the_identity(policy):
    text = policy.to_json()
    loaded = Policy.from_json(text)
    assert loaded == policy
    assert loaded.to_json() == text
    assert list(loaded.steps) == list(policy.steps)
    assert loaded.certificate == policy.certificate


@settings(max_examples=40)
@given(policies())
def test_the_schema_describes_every_policy(policy):
    VALIDATOR.validate(json.loads(policy.to_json()))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ["policy.json", "policy.json.gz"])
def test_files(tmp_path, name):
    policy = small_policy()
    policy.save(tmp_path / name)
    assert cf.Policy.load(tmp_path / name) == policy
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match="there is no such policy file"):
        Policy.load(tmp_path / "none.json")


def edited(change):
    document = json.loads(small_policy().to_json())
    change(document)
    return json.dumps(document)


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(document):
        for step in path:
            document = document[step]
        document[last] = value

    return change


EDITS = [
    (put("steps", 0, "acceptance", [0.0, 1.2]), r"probabilities must lie between 0 and 1; got 1\.2 in F"),
    (put("steps", 0, "acceptance", [0.0, float("nan")]), "NaN is no JSON"),
    (put("terms", "penalty_form", "sum"), "penalty_form: must be one of 'indicator', 'hinge'; got sum"),
    (
        put("steps", 1, {"breaks": [0.6, 0.5], "acceptance": [0, 0.5, 1]}),
        "breaks must be finite and increasing",
    ),
    (put("steps", 0, "breaks", ["0.4"]), "its steps must hold lists of finite numbers"),
    (lambda document: document["steps"].pop(), "must have one row per deciding cell; got 1 rows"),
    (put("cells", "codes", [[0]]), "must be distinct and in canonical order|one row per deciding cell"),
    (put("cells", None), "its table of cells is damaged"),
    (put("format", "crossfair/policy/2"), "version not known here"),
    (put("format", "crossfair/counts/1"), "must be a policy file"),
    (put("salt", 7), "salt of the policy must be a text; got 7"),
    (put("salt", ""), "salt: must be a text that is not empty"),
    (put("sault", "x"), "the policy must have the fields .* got sault is not known"),
    (lambda document: document.pop("terms"), "got terms is missing"),
    (put("terms", "derived"), "terms of the policy must be an object"),
    (put("terms", "alpha", "0.01"), r"alpha of terms of the policy must be a number; got '0\.01'"),
    (put("terms", "min_support", -1), "must be an integer, 0 or more; got -1"),
    (put("terms", "min_support", True), "must be an integer, 0 or more; got True"),
    (put("terms", "monotone", 1), "must be true or false; got 1"),
    (put("terms", "limits", "tpr_party", 0.1), "Did you mean 'tpr_parity'"),
    (put("terms", "limits", "statistical_parity", -0.1), "must be a number, 0 or more; got -0.1"),
    (put("source", "kind", "scores"), "kind: must be one of"),
    (put("source", "threshold", None), "threshold of source of the policy must be a number; got None"),
    (put("source", "outcomes", 5), "outcomes of source must be a list"),
    (put("source", "positive", 1.5), "a value must be text, an integer"),
    (put("unseen", "mode", "pooled"), "a policy for unseen cells has one row"),
    (put("decide_by", "sex"), "decide_by of the policy must be a list of texts"),
    (put("certificate", "status", "best"), "status of the certificate is not known here; got 'best'"),
    (put("certificate", "pooled", [9]), "exempt cells must be cells of the policy"),
    (put("certificate", "exempt", "tpr", ["F"]), "must be a list of integers, 0 or more"),
    (put("certificate", "bound", 1.2), "must have a bound that is not above its objective"),
    (put("expected", "repaired", "tpr", 1.2), "rates from 0 to 1, of repaired too"),
    (put("expected", "repaired", "loss", -0.1), "loss must be 0 or more"),
    (
        put("expected", "repaired", "epsilon", "statistical_parity", -1),
        "ε must be 0 or more, of repaired too",
    ),
    (put("expected", "repaired", {"loss": 1}), "must have loss, tpr, fpr and epsilon"),
    (put("expected", "repaired", "loss", "low"), "must hold a number here; got low"),
    (put("expected", "repaired", "epsilon", 1), "epsilon must be an object"),
]


@pytest.mark.parametrize(("change", "message"), EDITS)
def test_an_edited_file_is_refused(change, message):
    with pytest.raises(FormatError, match=f"policy.json.*({message})"):
        Policy.from_json(edited(change), "policy.json")


def test_equal_runs_differ_in_the_seconds_only():
    document = json.loads(small_policy().to_json())
    assert document.pop("run") == {"seconds": 0.1}
    assert "seconds" not in json.dumps(document)
