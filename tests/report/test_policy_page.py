from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import audits
import pages
import repairs
from crossfair import api
from crossfair.errors import InputError
from crossfair.frontiers import frontier
from crossfair.performance import GIVEN, REPAIRED
from crossfair.policy import Policy
from crossfair.repair import mitigate


def page_of(policy: Policy, folder: Path, data: Any = None, **known: Any) -> pages.Node:
    policy.to_html(folder / "policy.html", data, **known)
    return pages.parse((folder / "policy.html").read_text("utf-8"))


def test_sample_and_population_stand_apart(tmp_path: Path) -> None:
    policy = repairs.repaired()
    evaluation = repairs.held_out(policy)
    page = page_of(policy, tmp_path, evaluation=evaluation)
    (sides,) = page.all("div", class_="sides")
    sample, population = sides.all("div", class_="answers")
    assert sample.one("h3").text == "The repair: on the sample it was fitted to"
    assert sample.one("article").attributes.get("data-verdict") is None
    assert "keep every limit on this sample" in sample.text
    assert "This says nothing yet about people who are not in the sample." in sample.text
    assert population.one("h3").text == "The repair: in the population, judged on held-out data"
    assert pages.verdicts(population) == {v.metric: v.verdict for v in evaluation.verdicts}
    assert [table.one("caption").text for table in page.one("section", id="cost").all("table")] == [
        "On the sample it was fitted to: smoothed rates, certified",
        "In the population, judged on held-out data: 300 records",
    ]


@pytest.mark.parametrize("limit", [0.02, 0.3, 3.0])
def test_the_verdicts_are_those_of_the_evaluation(limit: float, tmp_path: Path) -> None:
    policy = repairs.repaired(limits={"statistical_parity": limit, "tpr_parity": limit})
    evaluation = repairs.held_out(policy)
    page = page_of(policy, tmp_path, evaluation=evaluation)
    judged = {verdict.metric: verdict.verdict for verdict in evaluation.verdicts}
    assert pages.verdicts(page) == judged
    tones = {1: "fail", 3: "undecided", 0: "pass"}
    assert tones[evaluation.exit_code] in page.one("p", class_="lead").attributes["class"].split()
    table = page.one("table", id="held-out-table").named_rows()
    badges = [row[8].split()[1].lower() for name, row in table if name == "repaired"]
    assert badges == list(judged.values())


def test_without_held_out_data_the_page_says_that_nothing_was_tested(tmp_path: Path) -> None:
    page = page_of(repairs.repaired(), tmp_path)
    assert "beyond its sample was not tested" in page.one("p", class_="lead").text
    assert "limits kept on a sample are often broken in its population" in page.one("aside").text
    assert pages.verdicts(page) == {}


def test_the_tables_hold_the_figures_of_the_policy(tmp_path: Path) -> None:
    policy = repairs.repaired()
    page = page_of(policy, tmp_path, repairs.people(), frontier=repairs.explored())
    rows = {name: row[1:] for name, row in page.one("table", id="sample-table").named_rows()}
    assert list(rows) == ["given", "unconstrained", "repaired"]
    for name, row in rows.items():
        found = policy.expected[name]
        assert row[0] == f"{found.loss:.5g}"
        assert row[3] == f"{found.epsilon['equalized_odds']:.3f}"
    changes = page.one("div", class_="sides").all("li")
    before, after = (policy.expected[name].epsilon["equalized_odds"] for name in (GIVEN, REPAIRED))
    assert changes[0].text == f"Equalized odds: ε from {before:.3f} to {after:.3f}, allowed 0.200."
    points = page.one("table", id="frontier-table").rows()
    assert [row[0] for row in points] == ["0.000", "0.100", "0.200", "0.500", "1.000"]
    assert points[2][1] == f"{policy.expected[REPAIRED].loss:.4f}"


def test_the_rules_and_rates_of_groups_are_those_of_its_decisions(tmp_path: Path) -> None:
    policy = repairs.repaired("threshold")
    data = repairs.people()
    page = page_of(policy, tmp_path, data)
    accepted = policy.acceptance(data)
    rows = {row[0]: row[1:] for row in page.one("table", id="rules-table").rows()}
    for name in repairs.NAMES:
        mine = [i for i, value in enumerate(data["<b>sex</b>"]) if value == name]
        (edge,), _ = policy.steps.row(int(policy.find([(name,)])[0]))
        assert rows[name][0] == f"all from {edge:.4g}"
        assert rows[name][1] == str(len(mine))
        before = 100 * sum(data["said"][i] for i in mine) / len(mine)
        after = 100 * sum(accepted[i] for i in mine) / len(mine)
        assert rows[name][2] == f"{before:.1f} % → {after:.1f} %"


def test_a_repair_of_predictions_has_rules_in_words_and_no_curves(tmp_path: Path) -> None:
    policy = repairs.by_prediction()
    page = page_of(policy, tmp_path, repairs.people())
    assert all("of those predicted positive" in row[1] for row in page.one("table", id="rules-table").rows())
    assert not page.all("svg")


def test_the_audit_of_the_given_decisions_comes_first(tmp_path: Path) -> None:
    read = {"by": ["<b>sex</b>"], "label": "repaid", "prediction": "said"}
    audit = api.audit(repairs.people(), **read, estimator="smoothed")
    policy = repairs.repaired()
    page = page_of(policy, tmp_path, audit=audit, verdicts=audit.check(repairs.LIMITS))
    assert page.one("p", class_="lead").text.startswith("? As given, the limit is broken.")
    assert page.one("table", id="groups-table").rows()
    headings = [heading.text for heading in page.all("h2")]
    assert headings.index("The groups") < headings.index("What the repair costs")


def test_methods_have_the_terms_the_certificate_and_the_files(tmp_path: Path) -> None:
    for name in ("train", "test"):
        (tmp_path / f"{name}.csv").write_text(f"sex\n{name}\n")
    files = {"source": tmp_path / "train.csv", "held_out": [tmp_path / "test.csv"]}
    page = page_of(repairs.repaired(), tmp_path, **files, command="crossfair mitigate train.csv")
    words = page.one("section", id="methods").text
    for said in (
        "Method derived, never accepting a lower score more often",
        "Limit on ε of equalized odds 0.200",
        "Status optimal",
        f"Data {tmp_path / 'train.csv'}, SHA-256 ",
        f"Held-out data {tmp_path / 'test.csv'}, SHA-256 ",
        "crossfair mitigate train.csv",
    ):
        assert said in words, said


def test_hostile_values_are_text_everywhere(tmp_path: Path) -> None:
    known = repairs.hostile()
    policy = known.pop("policy")
    page = page_of(policy, tmp_path, **known)
    text = (tmp_path / "policy.html").read_text("utf-8")
    assert "<script>alert" not in text
    assert [script.attributes.get("type") for script in page.all("script")] == ["application/json", None]
    groups = [row[0] for row in page.one("table", id="frontier-groups").rows()]
    assert sorted(groups) == sorted(value.replace("\u202e", "\\u202e") for value in audits.HOSTILE)
    assert "Fairness repair by <b>sex</b>" in page.one("h1").text


def test_two_thousand_cells_make_a_bearable_page(tmp_path: Path) -> None:
    data = repairs.people(tuple(f"team {i:03}" for i in range(1000)), records=6000)
    data["half"] = [i % 2 for i in range(6000)]
    read = {**repairs.READ, "by": ["<b>sex</b>", "half"], "min_support": 1}
    policy = mitigate(data, **read, limits={"statistical_parity": 1.0})
    found = frontier(data, **read, limits="statistical_parity", epsilons=[0.5, 2])
    page = page_of(policy, tmp_path, data, frontier=found)
    assert len(policy.cells) > 1800
    assert (tmp_path / "policy.html").stat().st_size < 3_000_000
    assert len(page.one("table", id="rules-table").rows()) == len(policy.cells)
    assert len(page.one("table", id="frontier-groups").rows()) == 60


def test_a_frontier_of_other_limits_or_cells_is_refused(tmp_path: Path) -> None:
    other = frontier(repairs.people(), **repairs.READ, limits="tpr_parity", epsilons=[1])
    with pytest.raises(InputError, match="must limit the metrics that the policy limits; got tpr_parity"):
        repairs.repaired().to_html(tmp_path / "a.html", frontier=other)
    with pytest.raises(InputError, match="frontier: must be of the cells that the policy was fitted to"):
        repairs.repaired().to_html(tmp_path / "a.html", frontier=repairs.explored(("A", "B")))
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="path: the folder of the file must exist"):
        repairs.repaired().to_html(tmp_path / "absent" / "a.html")


def test_the_page_says_who_changes(tmp_path: Path) -> None:
    policy = repairs.repaired()
    found = policy.changes(api.curves(repairs.people(), by=["<b>sex</b>"], label="repaid", score="score"))
    section = page_of(policy, tmp_path, repairs.people()).one("section", id="changes")
    rows = section.one("table", id="changes-table").rows()
    assert [row[0] for row in rows] == ["F", "M", "X"]
    assert [int(row[1]) for row in rows] == found.records.tolist()
    accepted = [f"{before:,.0f} → {after:,.0f}" for before, after in zip(found.given, found.repaired)]
    assert [row[2] for row in rows] == accepted
    assert f"{found.total('up'):,.0f} are moved up" in section.text
