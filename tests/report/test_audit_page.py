from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import audits
import pages
from crossfair import api
from crossfair.auditing import Audit
from crossfair.errors import InputError
from crossfair.estimators.guaranteed import Guaranteed
from crossfair.estimators.smoothed import Smoothed


def page_of(audit: Audit, folder: Path, **limits: float) -> pages.Node:
    path = folder / "audit.html"
    audit.to_html(path, audit.check(limits) if limits else None)
    return pages.parse(path.read_text("utf-8"))


def test_the_verdicts_are_those_of_check(tmp_path: Path) -> None:
    audit = audits.ordinary()
    limits = {
        "impact_ratio": 0.01,
        "statistical_parity": 3.0,
        "accuracy_parity": audit["accuracy_parity"].epsilon,
    }
    verdicts = audit.check(limits)
    assert {verdict.verdict for verdict in verdicts} == {"pass", "fail", "undecided"}
    page = page_of(audit, tmp_path, **limits)
    assert pages.verdicts(page) == {verdict.metric: verdict.verdict for verdict in verdicts}
    assert page.one("p", class_="lead").text == "✕ 1 of 3 limits is broken, 1 is undecided, 1 is kept."
    table = dict(page.one("table", id="metrics-table").named_rows())
    assert [table[name][7][:6] for name in ("impact ratio", "statistical parity")] == ["✕ Fail", "✓ Pass"]


@pytest.mark.parametrize("estimator", [Smoothed(), Guaranteed()])
def test_the_verdicts_of_estimators_without_draws(estimator: Smoothed | Guaranteed, tmp_path: Path) -> None:
    audit = audits.ordinary(estimator)
    for limit in (0.0, 1.0, 50.0):
        verdicts = audit.check({"impact_ratio": limit, "tpr_parity": limit})
        shown = pages.verdicts(page_of(audit, tmp_path, impact_ratio=limit, tpr_parity=limit))
        assert shown == {verdict.metric: verdict.verdict for verdict in verdicts}


def test_the_driving_pair_stands_in_words_with_its_counts(tmp_path: Path) -> None:
    audit = audits.infinite()
    answer = page_of(audit, tmp_path, impact_ratio=1.0).one("article")
    assert "the highest share of positive labels is infinitely many times the lowest" in answer.text
    assert "Highest: M 40.0 % (20 of 50)" in answer.text
    assert "Lowest: F 0 % (0 of 50)" in answer.text


def test_raw_rates_that_give_another_ratio_than_the_estimate_are_said_to_be_raw(tmp_path: Path) -> None:
    people = {"sex": ["F"] * 20 + ["M"] * 20, "y": [1] + [0] * 19 + [1] * 10 + [0] * 10}
    for estimator, said in (("bayes", True), (Smoothed(0, 0), False)):
        audit = api.audit(people, by="sex", label="y", estimator=estimator)
        answer = page_of(audit, tmp_path, impact_ratio=1.0).one("article").text
        assert ("as counted, before small numbers are allowed for" in answer) is said


def test_the_tables_hold_the_figures_of_the_audit(tmp_path: Path) -> None:
    audit = audits.ordinary()
    page = page_of(audit, tmp_path)
    rows = {tuple(row[:2]): row for row in page.one("table", id="groups-table").rows()}
    assert len(rows) == len(audit.counts.cells) == 6
    for cell, support, n in zip(audit.counts.cells.values, audit.counts.support, audit.counts.n):
        row = rows[cell]
        assert row[2] == f"{support:,}"
        assert row[3].partition("%")[2].strip().startswith(f"{n[1].sum():,} of {n.sum():,} ")
        assert row[4].startswith(f"{100 * n[:, 1].sum() / n.sum():.1f} %")
    metrics = page.one("table", id="metrics-table")
    assert [name for name, _ in metrics.named_rows()] == [
        finding.metric.words for finding in audit.findings.values()
    ]
    lattice = page.one("table", id="lattice-table").rows()
    assert [row[0] for row in lattice] == ["age", "sex", "sex, age"]  # age tells more than sex
    assert lattice[2][2].startswith(f"{audit['impact_ratio'].epsilon:.3f}")
    prior = {row[0]: row[1:] for row in page.one("table", id="prior-table").rows()}
    assert prior["impact ratio"][0] == f"{audit['impact_ratio'].epsilon_at(0.01):.3f}"


def test_every_chart_has_a_text_alternative(tmp_path: Path) -> None:
    charts = page_of(audits.ordinary(), tmp_path).all("svg")
    assert len(charts) == 4
    for chart in charts:
        assert chart.attributes["role"] == "img"
        assert len(chart.attributes["aria-label"]) > 40


def test_the_evidence_says_what_rests_on_too_little(tmp_path: Path) -> None:
    words = page_of(audits.infinite(), tmp_path).one("section", id="answer").text
    assert "What rests on too little data" not in words
    assert "2 of 2 groups" not in words
    audit = audits.nothing()
    words = page_of(audit, tmp_path, impact_ratio=1.0).one("aside").text
    assert "All metrics: 6 of 6 groups have too few records and are left out." in words


def test_provenance_has_settings_files_and_the_command(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_bytes(b"sex,hired\nF,1\nM,0\n")
    audit = audits.ordinary()
    audit.to_html(tmp_path / "a.html", source=str(data), command="crossfair audit people.csv --by sex")
    methods = pages.parse((tmp_path / "a.html").read_text("utf-8")).one("section", id="methods").text
    # printf 'sex,hired\nF,1\nM,0\n' | sha256sum
    assert "841ac729b35e944e6067ab1239dfaf3cd09d55d022f22f643fb0bbd2b7b93dc0" in methods
    assert "crossfair audit people.csv --by sex" in methods
    assert "bayes: " in methods
    assert re.search(r"Versions Python 3\.\d+\.\d+, crossfair 0\.", methods)


def test_the_same_audit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        audits.ordinary().to_html(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", audits.ODD)
def test_what_is_hard_to_show(name: str, tmp_path: Path) -> None:
    audit = audits.ODD[name]()
    limits = dict.fromkeys(list(audit.findings)[:2], 1.0)
    page = page_of(audit, tmp_path, **limits)
    assert pages.verdicts(page) == {v.metric: v.verdict for v in audit.check(limits)}
    assert len(page.one("table", id="groups-table").rows()) == len(audit.counts.cells)
    assert "NaN" not in page.text
    assert "nan" not in page.text.split()
    for chart in page.all("svg"):
        drawn = " ".join(" ".join(part.attributes.values()) for part in chart.all("path"))
        assert "NaN" not in drawn
        assert "Infinity" not in drawn


def test_hostile_values_are_text_everywhere(tmp_path: Path) -> None:
    audit = audits.hostile()
    path = tmp_path / "audit.html"
    audit.to_html(path, title="</title><script>alert(2)</script>")
    text = path.read_text("utf-8")
    page = pages.parse(text)
    assert "<script>alert" not in text
    assert len(page.all("script")) == 1
    shown = [row[0] for row in page.one("table", id="groups-table").rows()]
    assert sorted(shown) == sorted(value.replace("\u202e", "\\u202e") for value in audits.HOSTILE)
    assert page.one("title").children == ["</title><script>alert(2)</script>"]
    assert not page.all("b", class_="x")
    assert not page.all("i")


def test_a_page_of_sixteen_cells_is_small_and_one_of_two_thousand_bearable(tmp_path: Path) -> None:
    audits.many(16).to_html(tmp_path / "16")
    audits.many(2000).to_html(tmp_path / "2000")
    assert (tmp_path / "16").stat().st_size < 3_000_000 / 10
    assert (tmp_path / "2000").stat().st_size < 3_000_000


def test_the_page_names_nothing_to_fetch(tmp_path: Path) -> None:
    page = page_of(audits.ordinary(), tmp_path)
    policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    assert policy.startswith("default-src 'none'; ")
    assert not page.all("link")
    assert not page.all("img")
    assert all(link.attributes["href"].startswith("#") for link in page.all("a"))


def test_a_path_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    audit = audits.ordinary()
    with pytest.raises(InputError, match=r"path: the folder of the file must exist; got '.*absent/a\.html'"):
        audit.to_html(tmp_path / "absent" / "a.html")
    with pytest.raises(InputError, match="path: must be a file to write to, not a folder"):
        audit.to_html(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = audits.ordinary()
    (tmp_path / "a.html").write_text("old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        audit.to_html(tmp_path / "a.html")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_a_page_is_made_of_an_audit_read_from_its_file(tmp_path: Path) -> None:
    audit = audits.ordinary()
    verdicts = audit.check({"impact_ratio": 0.5})
    again = Audit.from_json(audit.to_json(verdicts))
    audit.to_html(tmp_path / "a", verdicts)
    again.to_html(tmp_path / "b", again.check({"impact_ratio": 0.5}))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert json.loads(audit.to_json(verdicts))["verdicts"][0]["verdict"] == verdicts["impact_ratio"].verdict


def test_a_metric_with_nothing_to_compare_has_no_figures(tmp_path: Path) -> None:
    audit = api.audit({"sex": ["F"] * 4, "y": [0, 1, 1, 0]}, by="sex", label="y")
    verdict = audit.check({"impact_ratio": 0.2})["impact_ratio"]
    assert (verdict.verdict, verdict.more) == ("undecided", None)
    assert verdict.reason == "1 of 1 cells have enough records; two are needed"
    page = page_of(audit, tmp_path, impact_ratio=0.2)
    for _, row in page.one("table", id="metrics-table").named_rows():
        assert row[1:6] == ["–", "–", "–", "–", "1 of 1"]
        assert row[-2:] == ["–", "–"]
