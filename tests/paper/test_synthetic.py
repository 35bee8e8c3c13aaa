"""The synthetic experiment: its data, that runs do not depend on how they are cut, and its summaries."""

import math

import numpy as np
import pytest

from crossfair.paper import summaries, synthetic
from crossfair.paper.estimators import ESTIMATORS


def drawn(size, datasets=3, seed=0):
    return synthetic.tables(size, datasets, seed)


def test_the_data_are_the_papers():
    assert sum(synthetic.CELL_SHARES) == pytest.approx(1)
    assert pytest.approx(2.94, abs=0.005) == synthetic.TRUTH
    shares = drawn(10**7)[0].sum(axis=1) / 10**7
    rates = drawn(10**7)[0][:, 1] / drawn(10**7)[0].sum(axis=1)
    assert shares == pytest.approx(np.array(synthetic.CELL_SHARES), abs=1e-3)
    assert rates == pytest.approx(np.array(synthetic.POSITIVE_RATES), abs=2e-3)


def test_the_first_data_sets_are_the_same_however_many_there_are():
    assert np.array_equal(drawn(200, 5)[:3], drawn(200, 3))
    assert not np.array_equal(drawn(200, seed=1), drawn(200))


def test_the_number_of_data_sets_does_not_change_what_comes_out():
    few = synthetic.run(2, 0, sizes=[100], workers=1)
    many = synthetic.run(22, 0, sizes=[100], workers=1)  # three chunks
    for short, long in zip(few, many, strict=True):
        assert (short.size, short.estimator) == (long.size, long.estimator)
        assert np.array_equal(short.estimates, long.estimates[:2], equal_nan=True)


def test_the_slow_estimator_sees_the_first_data_sets_only(monkeypatch):
    monkeypatch.setattr(synthetic, "MOST", {"bayes": 13})
    found = synthetic.run(25, 0, sizes=[100], estimators=["bayes", "smoothed"], workers=1)
    assert {one.estimator: len(one.estimates) for one in found} == {"bayes": 13, "smoothed": 25}
    rows = summaries.summarise(found)
    assert [row["datasets"] for row in rows["summaries"]] == [13, 25]
    (pair,) = rows["pairs"]
    gaps = found[0].squared_errors - found[1].squared_errors[:13]
    assert pair["mse_difference"] == pytest.approx(gaps.mean())
    assert pair["mse_difference_error"] == pytest.approx(gaps.std(ddof=1) / math.sqrt(13))


def test_progress_adds_up_to_the_whole():
    told = []
    synthetic.run(1, 0, sizes=[50, 100], workers=1, advance=told.append)
    assert sum(told) == pytest.approx(1)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_is_close_on_much_data(name):
    point, low, high = synthetic.estimate(name, drawn(10**6)[0], seed=0)
    assert point == pytest.approx(synthetic.TRUTH, abs=0.1)
    assert name == "smoothed" or low < synthetic.TRUTH < high


def test_smoothed_is_the_papers_formula_with_empty_cells():
    table = np.array([[0, 0], [1, 9], [2, 2], [5, 0], [3, 4], [1, 1]])
    rates = (table[:, 1] + 0.01) / (table.sum(axis=1) + 0.02)
    assert synthetic.estimate("smoothed", table, 0)[0] == pytest.approx(math.log(rates.max() / rates.min()))


def ratio(rates):
    return np.log(rates.max(axis=1) / rates.min(axis=1))


def test_bayes_is_the_papers_simulation():
    table = drawn(500)[0]
    rng = np.random.default_rng(1)
    draws = ratio(rng.beta(table[:, 1] + 1 / 3, table[:, 0] + 1 / 3, size=(100_000, 6)))
    point, low, high = synthetic.estimate("bayes", table, 0)
    assert point == pytest.approx(draws.mean(), abs=5 * draws.std() / math.sqrt(1000))
    assert [low, high] == pytest.approx(np.quantile(draws, [0.025, 0.975]).tolist(), rel=0.15)


def test_bootstrap_is_resampling_of_records():
    table = drawn(500)[0]
    records = np.repeat(np.arange(12), table.ravel())
    rng = np.random.default_rng(1)
    resampled = [
        np.bincount(rng.choice(records, len(records)), minlength=12).reshape(6, 2) for _ in range(3000)
    ]
    n = np.array(resampled, dtype=float)
    draws = ratio((n[:, :, 1] + 0.01) / (n.sum(axis=2) + 0.02))
    point, low, high = synthetic.estimate("bootstrap", table, 0)
    assert point == pytest.approx(draws.mean(), abs=5 * draws.std() / math.sqrt(1000))
    assert [low, high] == pytest.approx(np.quantile(draws, [0.025, 0.975]).tolist(), rel=0.1)


def test_a_series_knows_its_errors_its_coverage_and_its_widths():
    truth = synthetic.TRUTH
    rows = np.array([[truth + 2, truth - 1, truth + 3], [truth, truth + 0.5, truth + 1]])
    series = synthetic.Series(50, "bayes", rows, 0.0)
    assert series.squared_errors == pytest.approx([4, 0])
    assert series.covered.tolist() == [True, False]
    assert series.widths == pytest.approx([4, 0.5])
    assert not synthetic.Series(50, "smoothed", np.full((1, 3), np.nan), 0.0).covered.any()
