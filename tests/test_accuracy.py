"""The study of accuracy in small, on the real estimators, and the page that it writes."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.accuracy import choosing, page, study, summary, worlds
from benchmarks.accuracy.study import Result
from benchmarks.accuracy.summary import Figures
from scipy.stats import binom

ROWS = {row.key: row for row in worlds.rows()}

#: Rows that tell estimators apart, and as many runs as a few seconds of processor time allow.
SHORT = {
    "rates-logit-normal-64-1000": 40,
    "rates-main_effects-64-10000": 40,
    "rates-heavy_tails-64-10000": 40,
    "rates-two_clusters-16-10000": 60,
    "classifier-classifier-16-10000": 30,
    "weights-logit-normal-16-10000": 30,
}


def figures(estimator, key, runs):
    return Figures.of(Result(ROWS[key], estimator, np.array(study.perform(estimator, key, 0, runs))))


def least(runs):
    """The coverage that an estimator of 92 % undercuts once in 1,000 times; 67 of 71 rows reach that in full.

    With 40 runs that is 77 %; one that covers 60 % stays below it 98 times in 100, the paper's always.
    """
    return binom.ppf(0.001, runs, 0.92) / runs


@pytest.mark.parametrize("key", SHORT)
def test_the_default_covers(key):
    found = figures("hierarchical", key, SHORT[key])
    assert found.coverage >= least(found.runs)


def test_the_bound_would_catch_an_estimator_that_does_not_cover():
    found = figures("bayes", "rates-logit-normal-64-1000", 10)
    assert found.coverage < least(10)


def test_equal_cells_are_recognised():
    """The median lower bound; and no truth of 0 lies below an interval more often than by chance."""
    found = figures("hierarchical", "rates-all_equal-16-10000", 30)
    assert found.median_low < 0.05
    assert found.coverage >= least(30)


def test_all_estimators_see_the_same_data():
    row = ROWS["rates-heavy_tails-16-1000"]
    truths = {
        name: [run[0] for run in study.perform(name, row.key, 3, 5)] for name in ("smoothed", "guaranteed")
    }
    assert truths["smoothed"] == truths["guaranteed"]
    assert truths["smoothed"][0] == row.sample(3).truth
    assert row.sample(3).counts == row.sample(3).counts


@pytest.mark.parametrize("key", ["rates-two_clusters-16-1000", "classifier-classifier-16-10000"])
def test_the_truth_is_that_of_the_rates_that_made_the_data(key):
    """With a hundred times the records, the raw ε comes near the truth."""
    row = ROWS[key]
    large = worlds.Row(row.part, row.truth, row.cells, 100_000_000, row.draw)
    sample = large.draw(large, np.random.default_rng(0))
    import crossfair as cf

    raw = cf.audit(sample.counts, metrics=sample.metric, estimator=cf.Smoothed(0, 0))
    assert raw[sample.metric].epsilon == pytest.approx(sample.truth, abs=0.05)


def made(key, estimator, truth, point, low, high, runs=100):
    return Result(ROWS[key], estimator, np.tile([truth, point, low, high, 0.01], (runs, 1)))


def test_rows_that_fall_short_are_marked_and_listed():
    key = "rates-logit-normal-64-10000"
    results = [
        made(key, "hierarchical", 1.0, 1.25, 1.1, 1.4),
        made(key, "bayes", 1.0, 1.5, 0.5, 2.0),
        made("rates-Beta-16-1000", "hierarchical", 1.0, 1.0, 0.5, 1.5),
    ]
    text = page.text(results)
    assert "0.0% ± 0.5% ▼ (0.3)" in text
    assert "100.0% ± 0.5% (1.5)" in text
    assert "all but 1: logit-normal, 64 cells, 10,000 records: 0.0%" in text
    claims = {claim.words: claim for claim in summary.claims(results)}
    assert [claim.rows for claim in claims.values()] == [2, 1, 1, 0]
    assert claims["squared error at most 1.05 of that of `Bayes()`"].short == ()
    (told,) = claims[
        "squared error at most 1/20 of that of `Bayes()`, from 64 cells on at 10,000 records"
    ].short
    assert told == "logit-normal, 64 cells, 10,000 records: 1/4.0"
    assert "0%, width 0.3, off by 0.25" in choosing.text(summary.table(results))


def test_errors_are_compared_on_common_runs():
    key = "rates-Beta-16-1000"
    few = made(key, "bayes", 1.0, 1.5, 0, 2, runs=2)
    many = made(key, "hierarchical", 1.0, 1.1, 0, 2, runs=3)
    many.runs[2, 1] = 100.0
    assert summary.ratios([few, many], "hierarchical", "bayes")[0][1] == pytest.approx(0.04)
