"""How many more records would decide: the closed form against simulation with the real audit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

import crossfair as cf
from crossfair.more_records import CHANCE, SIZES, End, More, _Goal, more_records

TABLE = {"group": ["A", "A", "B", "B", "C", "C"], "y": [0, 1] * 3}


def audit(n, estimator):
    counts = cf.Counts.from_table({**TABLE, "n": np.asarray(n).ravel()}, by="group", label="y")
    return cf.audit(counts, metrics="impact_ratio", estimator=estimator)


N = np.array([[1400, 600], [460, 140], [100, 20]])
LIMIT = 0.4


@pytest.mark.parametrize(
    ("estimator", "limit", "runs"), [(cf.Bayes(), 0.4, 100), (cf.Hierarchical(), 0.7, 50)]
)
def test_so_many_more_records_decide_in_four_of_five_cases(estimator, limit, runs):
    """Truths from the posterior, the advised records drawn from them, and the audit done again.

    The chance of a verdict is meant to be 80 %; 100 runs have a standard error of 4 %, 50 one of 6 %, and
    the closed form is an approximation.
    """
    first = audit(N, estimator)
    verdict = first.check({"impact_ratio": limit})["impact_ratio"]
    assert verdict.verdict == "undecided"
    more = verdict.more
    assert more is not None
    assert more.words() in verdict.reason
    rng = np.random.default_rng(0)
    fit = estimator.apply(first.counts, 0)
    if isinstance(estimator, cf.Bayes):
        truths = rng.beta(N[:, 1] + 1 / 3, N[:, 0] + 1 / 3, (runs, 3))
    else:
        truths = fit.posterior(N[:, 1].astype(float), N.sum(axis=1).astype(float)).draw(rng, runs)
    added = np.array([more.records if (cell,) in more.cells else 0 for cell in "ABC"])
    decided = 0
    for rates in truths:
        yes = rng.binomial(added, rates)
        again = audit(N + np.stack([added - yes, yes], axis=1), estimator)
        within = (again["impact_ratio"].draws <= limit).mean()
        decided += within >= 0.95 or within <= 0.05
    assert decided / runs == pytest.approx(0.8, abs=0.15)


def test_the_chance_is_that_of_a_normal_simulation():
    """The least size on the list with a simulated chance of 80 %, and the size before it has less."""
    variance, records, goal = 0.016, 1000.0, _Goal(0.5, 0.62, ndtri(0.95))
    stays = variance / (1 + SIZES / records)
    found = goal.first(stays, variance - stays)
    rng = np.random.default_rng(1)

    def chance(size):
        left = variance / (1 + size / records)
        known = rng.normal(goal.mean, (variance - left) ** 0.5, 400_000)
        return (np.abs(known - goal.limit) >= goal.margin * left**0.5).mean()

    assert chance(found) >= CHANCE - 0.005
    assert chance(found / 1.2) < CHANCE


def test_what_other_cells_leave_open_needs_records_of_all():
    rng = np.random.default_rng(2)
    ends = [End(("A",), rng.beta(200, 800, 1000), 1.0)]
    elsewhere = rng.normal(0.5, 0.1, 1000)
    more = more_records(elsewhere, ends, 10_000, 0.6, 0.95)
    assert more.cells == ()
    assert more.words().endswith("more records of all groups, in these shares, would decide it")
    # A standard deviation of 0.24 of the present one gives 80 %: Φ((1 − 1.645 · 0.24) / 0.97) + Φ(−1.44).
    assert more.records == pytest.approx(10_000 * (1 / 0.24**2 - 1), rel=0.15)


def test_at_the_limit_itself_no_number_of_records_is_named():
    rng = np.random.default_rng(3)
    ends = [End(("A",), rng.beta(200, 800, 1000), 1.0)]
    draws = rng.normal(0.5, 0.1, 1000)
    assert more_records(draws, ends, 10_000, float(draws.mean()), 0.95) is None


def test_a_decided_limit_has_no_advice():
    verdicts = audit(N, cf.Bayes()).check({"impact_ratio": 5.0})
    assert verdicts["impact_ratio"].verdict == "pass"
    assert verdicts["impact_ratio"].more is None
    assert "more records" not in verdicts["impact_ratio"].reason


@pytest.mark.parametrize("estimator", [cf.Bootstrap(), cf.Guaranteed()])
def test_estimators_without_a_posterior_give_no_advice(estimator):
    verdict = audit(N, estimator).check({"impact_ratio": LIMIT})["impact_ratio"]
    assert verdict.more is None


def test_records_that_a_rate_does_not_count_are_added_for_it():
    """A cell of which one record in ten is a positive label needs ten times the records for its TPR."""
    table = {"group": ["A"] * 4 + ["B"] * 4, "y": [0, 0, 1, 1] * 2, "p": [0, 1] * 4}
    n = [900, 900, 120, 80, 900, 900, 130, 70]
    counts = cf.Counts.from_table({**table, "n": n}, by="group", label="y", prediction="p")
    found = cf.audit(counts, metrics="tpr_parity", estimator=cf.Bayes())
    (high, low) = found.measurement.ends(found["tpr_parity"])
    assert (high.cell, low.cell) == (("A",), ("B",))
    assert high.per_record == pytest.approx(0.1)
    assert high.rates.mean() == pytest.approx(0.4, abs=0.01)


def test_the_advice_in_words_and_json():
    more = More(1200, (("F", True), ("M", None)))
    assert more.words() == "about 1,200 more records each of F · True and M · missing would decide it"
    assert more.to_json() == {"records": 1200, "cells": [["F", True], ["M", None]]}
