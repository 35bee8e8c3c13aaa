"""Bayesian estimation against Beta distributions and numerical integration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import crossfair as cf
from core_strategies import counts_of
from crossfair.errors import InputError
from crossfair.estimators.bayes import Bayes, draw_beta
from crossfair.metrics import RATES
from crossfair.rate_counts import RateCounts

# Seeds are fixed, so a p-value below this is a defect, not bad luck; and a wrong distribution, with the
# numbers of draws below, has p-values of 1e-20 and less.
STRICT = 1e-4
N = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]]])


@pytest.mark.parametrize(
    ("alpha", "beta"), [(0.01, 7.0), (7.0, 0.01), (1 / 3, 1 / 3), (3.2, 3.2), (200.0, 3.0)]
)
def test_draws_are_beta_distributed_and_so_is_what_they_leave(alpha: float, beta: float) -> None:
    rng = np.random.default_rng(1)
    rates, rests = draw_beta(rng, np.array([alpha]), np.array([beta]), 20_000)
    assert ((rates > 0) & (rests > 0)).all()
    # The smaller of the two keeps its precision near 0; the larger one cannot, being rounded near 1.
    small, shape = (rates, (alpha, beta)) if alpha <= beta else (rests, (beta, alpha))
    assert stats.kstest(small.ravel(), stats.beta(*shape).cdf).pvalue > STRICT
    assert np.allclose(rates + rests, 1.0, atol=1e-15)


def test_epsilon_of_two_cells_is_that_of_two_independent_betas() -> None:
    finding = cf.audit(counts_of(N), estimator=Bayes(draws=20_000), metrics="impact_ratio")["impact_ratio"]
    shapes = [(60 - 10 + 1 / 3, 100 + 1 / 3), (35 + 1 / 3, 43 + 1 / 3)]
    one, other = (stats.beta(*shape) for shape in shapes)
    grid = np.linspace(0.0, 1.0, 20_001)

    def cdf(epsilon: Any) -> Any:
        # P(e^−ε ≤ X/Y ≤ e^ε), integrated over Y
        inside = [one.cdf(grid * np.exp(e)) - one.cdf(grid * np.exp(-e)) for e in np.atleast_1d(epsilon)]
        return np.array([integrate.trapezoid(row * other.pdf(grid), grid) for row in inside])

    assert finding.draws is not None
    assert stats.kstest(finding.draws[:2000], cdf).pvalue > STRICT
    # The mean by ∫ P(ε > t) dt; the standard error of the mean of 20,000 draws is below 0.002.
    levels = np.linspace(0, 3, 601)
    mean = integrate.trapezoid(1 - cdf(levels), levels)
    assert finding.epsilon == pytest.approx(mean, abs=0.008)
    assert cdf(finding.low)[0] == pytest.approx(0.025, abs=0.005)
    assert cdf(finding.high)[0] == pytest.approx(0.975, abs=0.005)


def test_the_point_of_each_cell_is_the_posterior_mean() -> None:
    groups = cf.audit(counts_of(N), estimator=Bayes(1, 2), metrics="tpr_parity").groups()
    assert groups["estimate"] == [pytest.approx((20 + 1) / (50 + 3)), pytest.approx((25 + 1) / (35 + 3))]


def test_elift_compares_with_the_mixture_of_the_drawn_cells() -> None:
    # Two cells, X and Y, with shares p and 1 − p: the larger of |log X/(pX + (1−p)Y)| and |log Y/…|.
    finding = cf.audit(counts_of(N), estimator=Bayes(draws=20_000), metrics="elift", seed=3)["elift"]
    rng = np.random.default_rng(4)
    x, y = rng.beta(50 + 1 / 3, 100 + 1 / 3, 20_000), rng.beta(35 + 1 / 3, 43 + 1 / 3, 20_000)
    overall = (150 * x + 78 * y) / 228
    expected = np.maximum(abs(np.log(x / overall)), abs(np.log(y / overall)))
    assert stats.ks_2samp(finding.draws, expected).pvalue > STRICT


def test_weights_count_as_their_effective_number_of_records() -> None:
    # Weights of mean m and twice the mean square: half as many effective records, at the same rates.
    halves = {"a": ["x", "x", "y", "y"], "y": [0, 1, 0, 1], "n": [60, 20, 10, 30]}
    weighted = {**halves, "w": [600.0, 200.0, 100.0, 300.0], "w2": [12000.0, 4000.0, 2000.0, 6000.0]}
    roles = {"by": "a", "label": "y"}
    one = cf.Counts.from_table(weighted, **roles, weight="w", weight_squared="w2")
    other = cf.Counts.from_table({**halves, "n": [30, 10, 5, 15]}, **roles)
    found = [cf.audit(counts, estimator=Bayes(), metrics="elift")["elift"] for counts in (one, other)]
    assert np.allclose(found[0].draws, found[1].draws, rtol=1e-9)


@pytest.mark.parametrize("metric", ["fnr_parity", "tnr_parity", "tpr_parity", "fpr_parity"])
def test_draws_are_never_infinite_however_small_alpha_and_beta(metric: str) -> None:
    n = np.array([[[50, 0], [0, 50]], [[20, 5], [5, 20]]])  # one cell without any error
    finding = cf.audit(counts_of(n), estimator=Bayes(0.01, 0.01, draws=5000), metrics=metric)[metric]
    assert np.isfinite(finding.draws).all()
    # −log of a Beta(α, ·) variate with α = 0.01 has a mean near 1/α; the other rate moves it little.
    if metric in ("fnr_parity", "fpr_parity"):
        assert 80 < finding.epsilon < 120
    else:
        assert finding.epsilon < 1


def test_many_cells_are_drawn_in_blocks_with_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossfair.estimators.base.BLOCK", 2)
    n = np.tile(N, (3, 1, 1))[:5]
    counts = counts_of(n)
    part = RateCounts.of(counts, RATES["tpr"], 1)
    supported = np.array([True, False, True, True, True])
    extremes = Bayes(draws=500).apply(counts, 0).extremes(part, supported)
    shapes = (part.successes + 1 / 3, part.trials - part.successes + 1 / 3)
    rates = np.random.default_rng(5).beta(*shapes, size=(500, 5))
    assert stats.ks_2samp(extremes.highest, rates[:, supported].max(1)).pvalue > STRICT
    assert stats.ks_2samp(extremes.overall, rates @ part.shares).pvalue > STRICT


def test_how_many_draws_are_made_at_a_time_changes_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    part = RateCounts.of(counts_of(N), RATES["tpr"], 1)
    supported = np.array([True, True])
    whole = Bayes(draws=101).apply(counts_of(N), 0).extremes(part, supported)
    monkeypatch.setattr("crossfair.estimators.bayes.CACHED", 8)
    pieces = Bayes(draws=101).apply(counts_of(N), 0).extremes(part, supported)
    for one, other in ((whole, pieces), (whole.complement(), pieces.complement())):
        assert np.array_equal(one.highest, other.highest)
        assert np.array_equal(one.lowest, other.lowest)
        assert np.allclose(one.overall, other.overall, rtol=1e-15)


def test_adding_a_metric_leaves_the_draws_of_the_others_alone() -> None:
    one = cf.audit(counts_of(N), estimator=Bayes(), metrics="fpr_parity")["fpr_parity"]
    among = cf.audit(counts_of(N), estimator=Bayes())["fpr_parity"]
    assert np.array_equal(one.draws, among.draws)
    other = cf.audit(counts_of(N), estimator=Bayes(), metrics="fpr_parity", seed=1)["fpr_parity"]
    assert not np.array_equal(one.draws, other.draws)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha: must be a finite number above 0; got 0"),
        ({"beta": -1}, "beta: must be a finite number above 0; got -1"),
        ({"draws": 0}, "draws: must be an integer of at least 1; got 0"),
        ({"draws": 10.0}, r"draws: must be an integer of at least 1; got 10\.0"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Bayes(**parameters)
