"""Checks of a policy in use: verdicts on its limits and on the population, by every kind of data."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import pages
from components import require
from crossfair import api, repair
from crossfair.cli.app import run
from crossfair.errors import FormatError, InputError
from crossfair.estimators.smoothed import Smoothed
from crossfair.policy import Policy
from crossfair.population import shift_of_base_rates, shift_of_shares

READ = {"by": ["sex", "age"], "bins": {"age": [40]}, "label": "y", "score": "p"}
LIMITS = {"statistical_parity": 0.2}


def people(seed, size=6000, women=0.5, lift=0.0):
    """Scores that favour men; more women, and more positives, where they are asked for."""
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(size) < women, "F", "M")
    p = np.round(np.clip(rng.normal(0.45 + 0.1 * (sex == "M"), 0.2, size), 0, 1), 3)
    return {
        "sex": sex.tolist(),
        "age": rng.integers(18, 70, size).tolist(),
        "p": p.tolist(),
        "y": (rng.random(size) < p + lift).astype(int).tolist(),
        "id": list(range(size)),
    }


@pytest.fixture(scope="module")
def policy():
    return repair.mitigate(people(0), **READ, limits=LIMITS)


def words(found):
    return {verdict.metric: verdict.verdict for verdict in found.verdicts}


def test_nothing_has_moved(policy):
    found = policy.check(people(1), limits={"statistical_parity": 0.5})
    assert words(found) == {"statistical_parity": "pass", "cell_shares": "pass", "base_rates": "pass"}
    assert found.exit_code == 0
    found = policy.check(people(1))
    assert found.verdicts["statistical_parity"] == policy.evaluate(people(1)).verdicts["statistical_parity"]


def test_each_shift_is_told_from_the_others(policy):
    moved = policy.check(people(1, women=0.9))
    assert words(moved) | {"cell_shares": "fail"} == words(moved)
    assert moved.exit_code == 1
    lifted = policy.check(people(1, lift=0.3))
    assert words(lifted) | {"cell_shares": "pass", "base_rates": "fail"} == words(lifted)
    few = policy.check(people(1, size=60))
    assert words(few)["cell_shares"] == words(few)["base_rates"] == "undecided"
    loose = policy.check(people(1, women=0.9), tolerance=0.9)
    assert words(loose)["cell_shares"] == "pass"


def test_the_reason_says_the_measure_its_bounds_and_the_cell(policy):
    found = policy.check(people(1, women=0.9))
    then, now = found.then, found.now
    shift = shift_of_shares(then, now, 0.95)
    before, after = (one.shares[int(np.abs(shift.by_cell).argmax())] for one in (then, now))
    reason = found.verdicts["cell_shares"].reason
    assert reason.startswith(
        f"moved by {shift.value:.3g}, in [{shift.low:.3g}, {shift.high:.3g}] with confidence"
    )
    assert reason.endswith(f": {100 * before:.1f} % → {100 * after:.1f} %")
    rates = shift_of_base_rates(then, now, 0.95)
    assert f"moved by {rates.value:.3g}" in found.verdicts["base_rates"].reason


def test_decisions_that_were_made_are_judged_as_they_are(policy):
    data = people(1)
    decided = {**data, "decision": policy.decide(data, key="id").tolist()}
    found = policy.check(decided, prediction="decision", estimator=Smoothed())
    counts = api.count(decided, by=READ["by"], bins=READ["bins"], label="y", prediction="decision")
    audit = api.audit(counts, estimator=Smoothed(), metrics=["statistical_parity"], min_support=10)
    assert found.audit["statistical_parity"].epsilon == audit["statistical_parity"].epsilon
    assert found.verdicts == policy.check(counts, estimator=Smoothed()).verdicts
    given = {**data, "decision": [int(p >= 0.5) for p in data["p"]]}
    assert words(policy.check(given, prediction="decision"))["statistical_parity"] == "fail"


def test_without_labels_what_needs_them_is_undecided():
    limits = {"statistical_parity": 0.2, "tpr_parity": 2.0}
    policy = repair.mitigate(people(0), **READ, limits=limits)
    data = people(1)
    del data["y"]
    data["decision"] = policy.decide(data, key="id").tolist()
    found = policy.check(data, label=None, prediction="decision")
    assert words(found) | {"tpr_parity": "undecided", "base_rates": "undecided"} == words(found)
    assert found.verdicts["tpr_parity"].reason == "the data have no labels"
    assert found.exit_code == 3
    unmade = policy.check(api.count(people(1), by=READ["by"], bins=READ["bins"], label="y"))
    assert unmade.verdicts["statistical_parity"].reason == "the data have no decisions"
    assert words(unmade)["base_rates"] == "pass"


def test_cells_not_seen_before_count_as_one_that_was_empty(policy):
    data = people(1)
    data["sex"] = ["X"] * 3000 + data["sex"][3000:]
    found = policy.check({**data, "d": [1] * 6000}, prediction="d")
    assert found.now.shares[-1] == 0.5
    assert "cells not seen before: 0 % → 50.0 %" in found.verdicts["cell_shares"].reason


def test_the_table_has_every_cell_then_and_now(policy):
    polars = require("polars")
    table = policy.check(polars.DataFrame(people(1))).table()
    assert isinstance(table, polars.DataFrame)
    assert table["seen"].to_list() == [True] * 4 + [False]
    for column in ("share_then", "share_now"):
        assert sum(table[column]) == pytest.approx(1)
    data = people(1)
    women = [y for y, sex, age in zip(data["y"], data["sex"], data["age"]) if sex == "F" and age <= 40]
    assert table["base_rate_now"][0] == pytest.approx(np.mean(women))
    assert table["share_now"][0] == pytest.approx(len(women) / 6000)


def test_a_policy_keeps_its_population_in_its_file(policy):
    again = Policy.from_json(policy.to_json())
    assert again == policy
    assert (
        again.check(people(1), estimator=Smoothed()).verdicts
        == policy.check(people(1), estimator=Smoothed()).verdicts
    )
    assert again.population.mass.sum() == 6000
    unknown = replace(policy, population=None)
    found = unknown.check(people(1), estimator=Smoothed())
    assert "does not hold the population" in found.verdicts["cell_shares"].reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": [1, 2]}, "population: must have numbers for each of 4 cells"),
        ({"mass": [0, 0, 0, 0], "positives": None}, "population: must have numbers for each of 4 cells"),
        ({"positives": [1, 1, 1, 10**9]}, "no cell has more positives than records"),
        ({"mass": [1, 2, 3, -1]}, "mass of population of the policy must be a list of numbers, 0 or more"),
        ({"mass": "x"}, "mass of population of the policy must be a list of numbers"),
        ({"more": 1}, "more is not known"),
    ],
)
def test_an_edited_population_is_refused(policy, change, message):
    document = json.loads(policy.to_json())
    document["population"].update(change)
    with pytest.raises(FormatError, match=message):
        Policy.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (people(1), {"tolerance": -1}, "tolerance: must be a finite number of at least 0; got -1"),
        (people(1), {"limits": {"parity": 1}}, "limits: must be one of"),
        (people(1), {"prediction": "d"}, "has no column 'd'"),
        ({"sex": ["F"], "p": [0.5]}, {}, "has no column 'age'"),
        (api.count(people(1), by="sex", label="y"), {}, "by: must be one of 'sex'; got age"),
        (
            api.count(people(1), by=["sex", "age"], bins={"age": [30]}, label="y"),
            {},
            "bins: tables must be cut at the same edges",
        ),
    ],
)
def test_bad_input(policy, data, options, message):
    with pytest.raises(InputError, match=message):
        policy.check(data, **options)


def test_the_command_line_gives_the_same_verdicts(policy, tmp_path, capsys):
    frame = require("polars").DataFrame(people(1, women=0.9))
    frame.write_csv(tmp_path / "people.csv")
    policy.save(tmp_path / "policy.json")
    command = ["audit", str(tmp_path / "people.csv"), "--policy", str(tmp_path / "policy.json")]
    found = policy.check(people(1, women=0.9))
    assert run([*command, "--json", str(tmp_path / "audit.json")]) == found.exit_code == 1
    body = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    assert body["verdicts"] == json.loads(json.dumps(found.verdicts.to_json()))
    page = " ".join(capsys.readouterr().out.split())
    assert "fail cell_shares ≤ 0.1 moved by" in page
    assert run([*command, "--drift", "0.6", "--limit", "statistical_parity=9", "-q"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drift", "0.2"], "--drift: is about a policy, so it needs --policy"),
        (["--policy", "none.json"], "none.json: there is no such policy file"),
        (["--policy", "policy.json", "--outcomes", "all"], "--outcomes: a policy decides for or against"),
        (["--policy", "policy.json", "--preset", "four-fifths"], "--preset: is not for --policy"),
    ],
)
def test_wrong_usage(policy, options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    policy.save("policy.json")
    require("polars").DataFrame(people(1)).write_csv("people.csv")
    assert run(["audit", "people.csv", *options]) == 2
    assert message in capsys.readouterr().err


def test_the_page_of_such_an_audit_says_it_too(policy, tmp_path):
    data = {
        **people(1, women=0.9),
        "sex": ["<b>" if i < 50 else "F" for i in range(6000)],
        "d": [0, 1] * 3000,
    }
    found = policy.check(data, prediction="d")
    found.audit.to_html(tmp_path / "audit.html", found.verdicts)
    page = pages.parse((tmp_path / "audit.html").read_text("utf-8"))
    assert pages.verdicts(page) == words(found)
    assert "Shares of the groups have moved: allowed is 0.1." in page.text
    assert "shares of the groups" in found.verdicts._repr_html_()
