"""The bootstrap from counts against naive resampling of the records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import crossfair as cf
from core_strategies import counts_of
from crossfair.errors import InputError
from crossfair.estimators.bootstrap import Bootstrap
from crossfair.fixed import Fixed, Weights

# Seeds are fixed, so a p-value below this is a defect, not bad luck. Two samples of 2,000 tell apart, at this
# level, distribution functions that differ by 0.09 anywhere with near certainty.
STRICT = 1e-4
RESAMPLES = 2000
N = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]], [[20, 1], [6, 2]]])
METRICS = ["elift", "impact_ratio", "statistical_parity", "fpr_parity", "equalized_odds", "fnr_parity"]


def naive(places: Any, weights: Any, cells: int, seed: int) -> Any:
    """Weight sums (resamples, cells, 2, 2) of datasets of records drawn with replacement."""
    rng = np.random.default_rng(seed)
    drawn = (rng.integers(0, len(places), len(places)) for _ in range(RESAMPLES))
    sums = [np.bincount(places[rows], weights[rows], minlength=cells * 4) for rows in drawn]
    return np.array(sums).reshape(RESAMPLES, cells, 2, 2)


def epsilons(n: Any, metric: str, alpha: float, scale: Any) -> Any:
    """ε of each resampled table, from its smoothed rates, written out."""

    def spread(successes: Any, trials: Any, complement: bool = False) -> Any:
        rates = (successes * scale + alpha) / (trials * scale + 2 * alpha)
        rates = 1 - rates if complement else rates
        with np.errstate(divide="ignore"):  # ε is infinite where a resample has no success
            return np.log(rates.max(1) / rates.min(1))

    everyone = n.sum((2, 3))
    if metric == "elift":
        rates = (n[:, :, 1].sum(2) + alpha) / (everyone + 2 * alpha)
        overall = n[:, :, 1].sum((1, 2)) / n.sum((1, 2, 3))
        return abs(np.log(rates / overall[:, None])).max(1)
    tpr, fpr = ((n[:, :, y, 1], n[:, :, y].sum(2)) for y in (1, 0))
    return {
        "impact_ratio": lambda: spread(n[:, :, 1].sum(2), everyone),
        "statistical_parity": lambda: spread(n[:, :, :, 1].sum(2), everyone),
        "fpr_parity": lambda: spread(*fpr),
        "fnr_parity": lambda: spread(*tpr, complement=True),
        "equalized_odds": lambda: np.maximum(spread(*tpr), spread(*fpr)),
    }[metric]()


def test_without_weights_it_is_naive_resampling_in_distribution() -> None:
    places = np.repeat(np.arange(N.size), N.ravel())
    tables = naive(places, np.ones(len(places)), len(N), seed=1)
    audit = cf.audit(counts_of(N), estimator=Bootstrap(RESAMPLES, 0.5, 0.5), metrics=METRICS, seed=2)
    for metric in METRICS:
        expected = epsilons(tables, metric, 0.5, 1.0)
        assert stats.ks_2samp(audit[metric].draws, expected).pvalue > STRICT, metric
        assert audit[metric].epsilon == pytest.approx(audit[metric].draws.mean())


def test_with_weights_it_is_naive_resampling_in_distribution() -> None:
    rng = np.random.default_rng(3)
    places = np.repeat(np.arange(N.size), 10 * N.ravel())
    weights = rng.lognormal(0.0, 0.7, len(places))
    sums = [np.bincount(places, weights**power) for power in (1, 2)]
    counts = counts_of(10 * N)
    shaped = Weights(*(Fixed.from_floats(held.reshape(N.shape)) for held in sums))
    weighted = cf.Counts(counts.cells, counts.outcomes, counts.n, shaped)
    audit = cf.audit(weighted, estimator=Bootstrap(RESAMPLES, 0.0, 0.0), metrics=METRICS, seed=4)
    tables = naive(places, weights, len(N), seed=5)
    for metric in METRICS:
        assert stats.ks_2samp(audit[metric].draws, epsilons(tables, metric, 0.0, 1.0)).pvalue > STRICT, metric


def test_equal_weights_are_no_weights() -> None:
    counts = counts_of(N)
    sums = (3.0 * N, 9.0 * N)
    weights = Weights(*(Fixed.from_floats(held) for held in sums))
    weighted = cf.Counts(counts.cells, counts.outcomes, counts.n, weights)
    one, other = (cf.audit(made, estimator=Bootstrap()) for made in (counts, weighted))
    for metric in one:
        assert np.allclose(one[metric].draws, other[metric].draws, rtol=1e-9)


def test_an_empty_cell_is_never_drawn() -> None:
    n = np.array([[[5, 0], [0, 3]], [[0, 0], [0, 0]], [[7, 1], [0, 0]]])
    fit = Bootstrap(500).apply(counts_of(n), 0)
    assert (fit.drawn.sum(axis=1) == n.sum()).all()
    assert fit.places.tolist() == np.flatnonzero(n).tolist()
    assert fit.drawn.mean(axis=0) == pytest.approx(n[n > 0], abs=0.5)


def test_draws_do_not_depend_on_the_blocks_they_are_made_in(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counts_of(np.array([[[5, 2], [4, 3]], [[7, 1], [6, 0]]]))
    whole = cf.audit(counts, estimator=Bootstrap(50))
    monkeypatch.setattr("crossfair.estimators.bootstrap.MOST_PLACES", 20)
    parts = cf.audit(counts, estimator=Bootstrap(50))
    assert all((parts[name].draws == whole[name].draws).all() for name in whole)


def test_a_cell_that_is_empty_in_a_resample_has_the_rate_of_the_prior() -> None:
    n = np.array([[[1, 0], [0, 0]], [[300, 0], [300, 0]]])
    audit = cf.audit(counts_of(n), estimator=Bootstrap(2000, 0.25, 0.75), metrics="impact_ratio")
    # The single record of the first cell is absent from a resample with probability (1 − 1/601)^601 = 1/e.
    rates = np.exp(audit["impact_ratio"].draws)
    alone = audit["impact_ratio"].draws[(rates > 1.8) & (rates < 2.2)]  # ½ against α / (α + β) = ¼
    assert len(alone) / 2000 == pytest.approx(np.exp(-1), abs=0.06)


def test_one_outcome_alone_has_rates_of_1() -> None:
    table = {"a": ["x", "y"], "y": ["yes", "yes"], "n": [5, 9]}
    counts = cf.Counts.from_table(table, by="a", label="y", positive="yes")
    audit = cf.audit(counts, estimator=Bootstrap(50, 0, 0))
    assert audit["elift"].draws.tolist() == [0.0] * 50
    assert audit.groups()["estimate"] == [1.0, 1.0]
    part = audit.measurement.parts(audit["elift"].metric)[0]
    assert audit.measurement.applied.extremes(part.counts, part.supported).overall.tolist() == [1.0] * 50


def test_all_metrics_are_computed_on_the_same_resamples() -> None:
    metrics = ["tpr_parity", "fpr_parity", "equalized_odds"]
    audit = cf.audit(counts_of(N), estimator=Bootstrap(), metrics=metrics)
    widest = np.maximum(audit["tpr_parity"].draws, audit["fpr_parity"].draws)
    assert np.array_equal(audit["equalized_odds"].draws, widest)


def test_expected_counts_are_resampled_too() -> None:
    counts = counts_of(N * 0.5 + 0.1)
    assert np.isfinite(cf.audit(counts, estimator=Bootstrap(50))["equalized_odds"].draws).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"resamples": 0}, "resamples: must be an integer of at least 1; got 0"),
        ({"alpha": -1}, "alpha: must be a finite number of at least 0; got -1"),
        ({"beta": None}, "beta: must be a finite number of at least 0; got None"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Bootstrap(**parameters)
    assert Bootstrap(10, 0, 0).words() == "10 resamples, raw rates"
