"""What objects show of themselves: a line of text, and in a notebook a table, all of it escaped."""

from __future__ import annotations

from typing import Any

import pytest

import audits
import pages
import repairs
from crossfair import api
from crossfair.counts import Counts


def shown(item: Any) -> pages.Node:
    return pages.parse(f"<html>{item._repr_html_()}</html>")


def test_an_audit_lists_its_findings() -> None:
    audit = audits.ordinary()
    page = shown(audit)
    assert [row[0] for row in page.rows()] == [finding.metric.words for finding in audit.findings.values()]
    assert page.rows()[1][4] == audit["impact_ratio"].highest.words()
    assert f"{audit.counts.records:,} records in 6 cells of sex, age, by bayes" in page.text
    assert repr(audit).startswith(
        f"<Audit: {audit.counts.records:,} records in 6 cells of sex, age, by bayes\n"
    )
    assert f"  impact_ratio       ε = {audit['impact_ratio'].epsilon:.3f}  (" in repr(audit)


def test_a_finding_says_what_sets_it() -> None:
    finding = audits.infinite()["impact_ratio"]
    assert repr(finding) == "<Finding impact_ratio: ε = ∞, ratio ∞; M (20 of 50) against F (0 of 50)>"
    assert ["Lowest", "F (0 of 50)"] in shown(finding).rows()
    assert "nothing to compare" in repr(audits.nothing()["impact_ratio"])


def test_verdicts_are_a_table() -> None:
    verdicts = audits.ordinary().check({"impact_ratio": 0.01})
    assert shown(verdicts).rows()[0][:3] == ["fail", "impact ratio", "0.010"]
    assert repr(verdicts) == "<Verdicts at confidence 0.95: impact_ratio ≤ 0.01: fail, P(ε ≤ 0.01) < 0.005>"


def test_a_policy_lists_its_rules() -> None:
    policy = repairs.repaired()
    page = shown(policy)
    assert [row[0] for row in page.rows()] == list(repairs.NAMES)
    assert "expected loss " in page.text
    assert repr(policy).startswith("<Policy derived: equalized_odds ≤ 0.2 over 3 cells of <b>sex</b>")


def test_a_frontier_lists_its_points() -> None:
    frontier = repairs.explored()
    assert [row[0] for row in shown(frontier).rows()] == ["0.000", "0.100", "0.500", "1.000"]
    assert repr(frontier).startswith("<Frontier of equalized_odds, 4 points: loss 0.")
    assert " at ε ≤ 0 to 0." in repr(frontier)


def test_an_evaluation_lists_its_verdicts() -> None:
    evaluation = repairs.held_out(repairs.repaired())
    assert [row[6] for row in shown(evaluation).rows()] == [row["verdict"] for row in evaluation.rows()]


def test_counts_and_curves_list_their_cells() -> None:
    counts = audits.counts([("F", "x"), ("M", "y")], ["sex", "b"])
    n = counts.n[0].ravel().tolist()
    assert shown(counts).rows()[0] == ["F · x", str(sum(n)), *map(str, n)]
    assert repr(counts) == f"<Counts: {counts.records:,} records in 2 cells of sex, b; label and prediction>"
    curves = api.curves(repairs.people(), **repairs.READ)
    assert [row[0] for row in shown(curves).rows()] == list(repairs.NAMES)
    assert repr(curves).startswith("<Curves: 300 records in 3 cells of <b>sex</b>; ")


def test_many_rows_are_cut() -> None:
    page = shown(audits.many(400).counts)
    assert len(page.rows()) == 20
    assert "… 380 more" in page.text


@pytest.mark.parametrize("name", audits.ODD)
def test_what_is_hard_to_show(name: str) -> None:
    audit = audits.ODD[name]()
    for item in (audit, *audit.findings.values(), audit.counts):
        text = item._repr_html_()
        assert "<script" not in text
        assert "nan" not in pages.parse(f"<html>{text}</html>").text.split()
        assert repr(item).isprintable() or "\n" in repr(item)
        assert "\u202e" not in repr(item)


def test_hostile_names_of_a_repair_are_text() -> None:
    known = repairs.hostile()
    for item in (known["policy"], known["evaluation"], known["frontier"]):
        assert "<script" not in item._repr_html_()
        assert "<b>" not in item._repr_html_()
    by = Counts.from_table({"a\x1b[31m": ["x", "y"], "y": [0, 1], "n": [1, 1]}, by="a\x1b[31m", label="y")
    assert "\x1b" not in repr(by)
