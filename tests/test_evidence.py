"""Evidence: the driving pair with its counts, cells left out or never seen, what the prior does."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import crossfair as cf
from core_strategies import counts, counts_of
from crossfair.epsilon import log_ratio

N = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]], [[20, 1], [6, 2]]])


@given(counts())
def test_the_driving_pair_is_two_cells_whose_ratio_is_epsilon(made: cf.Counts) -> None:
    audit = cf.audit(made, estimator=cf.Smoothed(0.5, 0.5))
    for finding in audit.findings.values():
        highest, lowest = finding.highest, finding.lowest
        if highest is None or lowest is None:
            assert finding.evidence.supported == 0
            continue
        if (highest.cell is None and highest.raw == 0) or (lowest.cell is None and lowest.raw == 0):
            assert finding.epsilon == 0  # nobody has a positive label, so no cell has more of them
            continue
        ratio = log_ratio(np.array([highest.estimate]), np.array([lowest.estimate]))[0]
        assert ratio == pytest.approx(finding.epsilon, abs=1e-12)
        for side in (highest, lowest):
            assert side.successes <= side.trials == side.records
            if side.cell is not None:
                assert side.estimate == pytest.approx((side.successes + 0.5) / (side.trials + 1))
                assert side.cell in made.cells.values


def test_for_elift_one_side_is_the_population() -> None:
    finding = cf.audit(counts_of(N), estimator=cf.Smoothed(0, 0))["elift"]
    assert (finding.highest.cell, finding.highest.successes, finding.highest.trials) == (None, 93, 257)
    assert finding.highest.words() == "the population (93 of 257)"
    assert finding.lowest.words() == "v2 (8 of 29)"  # farther from 93 of 257 than v1, 35 of 78


def test_for_equalized_odds_the_pair_is_that_of_the_rate_that_sets_it() -> None:
    audit = cf.audit(counts_of(N), estimator=cf.Smoothed(0, 0))
    widest = max("tpr_parity", "fpr_parity", key=lambda name: audit[name].epsilon)
    assert audit["equalized_odds"].highest == audit[widest].highest
    assert audit["equalized_odds"].lowest == audit[widest].lowest


def test_cells_below_the_support_are_left_out_and_listed() -> None:
    audit = cf.audit(counts_of(N), estimator=cf.Smoothed(), min_support=30)
    evidence = audit["fpr_parity"].evidence
    assert evidence.left_out == ((("v2",), "fpr", 21.0),)
    assert (evidence.cells, evidence.supported) == (3, 2)
    both = audit["equalized_odds"].evidence
    assert {rate for _, rate, _ in both.left_out} == {"tpr", "fpr"}
    without = cf.audit(counts_of(N[:2]), estimator=cf.Smoothed())["fpr_parity"]
    assert audit["fpr_parity"].epsilon == without.epsilon


def test_weights_do_not_make_support() -> None:
    table = {"a": ["x", "x", "y", "y"], "y": [0, 1, 0, 1], "n": [50, 50, 2, 2]}
    table |= {"w": [50.0, 50.0, 900.0, 900.0], "w2": [60.0, 60.0, 500_000.0, 500_000.0]}
    made = cf.Counts.from_table(table, by="a", label="y", weight="w", weight_squared="w2")
    evidence = cf.audit(made, estimator=cf.Smoothed(), min_support=10)["impact_ratio"].evidence
    assert [cell for cell, _, _ in evidence.left_out] == [("y",)]


def test_cells_that_were_never_seen_are_a_number() -> None:
    table = {"a": ["x", "x", "y"], "b": ["u", "v", "u"], "c": [1, 2, 3], "y": [1, 0, 1]}
    evidence = cf.audit(table, by=["a", "b", "c"], label="y", estimator="smoothed")["elift"].evidence
    assert evidence.unobserved == 2 * 2 * 3 - 3


@pytest.mark.parametrize(
    ("n", "dominated"),
    [
        ([[[90, 10], [1, 1]], [[60, 0], [1, 1]]], True),  # no false positive among 60
        ([[[90, 10], [1, 1]], [[60, 1], [1, 1]]], False),  # one is enough for the data to speak
        ([[[0, 50], [1, 1]], [[40, 10], [1, 1]]], False),  # all of 50: ε moves by less than a tenth
    ],
)
def test_the_prior_dominates_where_a_bare_cell_drives_epsilon(n: Any, dominated: bool) -> None:
    finding = cf.audit(counts_of(n), estimator=cf.Smoothed(0.01, 0.01))["fpr_parity"]
    assert finding.evidence.prior_dominated == dominated
    assert any("the prior, not the data, sets ε" in note for note in finding.evidence.notes) == dominated
    moved = abs(finding.epsilon_at(0.01) - finding.epsilon_at(1 / 3))
    assert (moved > 0.1) >= dominated


def test_without_smoothing_no_prior_dominates() -> None:
    n = [[[90, 10], [1, 1]], [[60, 0], [1, 1]]]
    assert not cf.audit(counts_of(n), estimator=cf.Smoothed(0, 0))["fpr_parity"].evidence.prior_dominated


def test_epsilon_at_another_prior_is_that_of_another_audit() -> None:
    finding = cf.audit(counts_of(N), estimator="bayes")["equalized_odds"]
    for alpha, beta in ((0.01, 0.01), (1.0, 2.0), (0.0, 0.0)):
        expected = cf.audit(counts_of(N), estimator=cf.Smoothed(alpha, beta))["equalized_odds"].epsilon
        assert finding.epsilon_at(alpha, beta) == expected


def test_shrinkage_is_the_share_of_the_way_to_the_rate_of_everyone() -> None:
    found = cf.audit(counts_of(N), estimator=cf.Bayes(1, 1))["statistical_parity"]
    everyone = N[:, :, 1].sum() / N.sum()
    for side in (found.highest, found.lowest):
        raw, estimate = side.successes / side.trials, (side.successes + 1) / (side.trials + 2)
        assert side.shrinkage == pytest.approx((raw - estimate) / (raw - everyone))
        assert side.effective == side.trials


def test_small_cells_that_were_drawn_to_the_others_are_named() -> None:
    n = np.array([[[600, 200]], [[900, 280]], [[800, 260]], [[7, 0]]])[:, 0]
    table = {"a": np.repeat(list("uvwx"), 2), "y": [0, 1] * 4, "n": n.ravel()}
    made = cf.Counts.from_table(table, by="a", label="y")
    found = cf.audit(made, metrics="impact_ratio", estimator=cf.Hierarchical())["impact_ratio"]
    assert found.lowest.cell == ("x",)
    assert found.lowest.shrinkage > 0.5
    (note,) = [note for note in found.evidence.notes if note.startswith("much may be chance")]
    rule = r"much may be chance, so estimates go part of the way to everyone's rate: \d+ % for x \(0 of 7\)"
    assert re.fullmatch(rule, note)
    assert not [note for note in _notes_of(made, cf.Bayes()) if note.startswith("much may be chance")]


def _notes_of(made: cf.Counts, estimator: Any) -> tuple[str, ...]:
    return cf.audit(made, metrics="impact_ratio", estimator=estimator)["impact_ratio"].evidence.notes


def test_weights_that_take_support_away_are_told() -> None:
    table = {"a": ["x", "x", "y", "y"], "y": [0, 1, 0, 1], "n": [50, 50, 40, 60]}
    table |= {"w": [50.0, 50.0, 40.0, 60.0], "w2": [50.0, 50.0, 160.0, 240.0]}
    made = cf.Counts.from_table(table, by="a", label="y", weight="w", weight_squared="w2")
    found = cf.audit(made, metrics="impact_ratio", estimator=cf.Bayes())["impact_ratio"]
    assert (found.highest.cell, found.highest.effective) == (("y",), 25.0)
    assert "weights: 100 records of y as 25" in found.evidence.notes
    back = cf.Audit.from_json(cf.audit(made, metrics="impact_ratio", estimator=cf.Bayes()).to_json())
    assert back["impact_ratio"].highest == found.highest
