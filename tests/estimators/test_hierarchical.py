import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit

from crossfair.errors import InputError
from crossfair.estimators.hierarchical import Hierarchical


def draw(successes, trials, *, seed=0, draws=1000):
    return Hierarchical(draws=draws).draw(successes, trials, np.random.default_rng(seed))


def epsilon(rates):
    return np.log(rates.max(axis=-1) / rates.min(axis=-1))


def test_fewer_records_shrink_more():
    """The same share is pulled further towards the others the fewer records bear it."""
    yes, n = [300, 310, 290], [1000, 1000, 1000]
    means = [Hierarchical().fit([*yes, 0.6 * size], [*n, size]).means[3] for size in (5, 50, 5000)]
    assert 0.3 < means[0] < means[1] < means[2] < 0.6


@settings(max_examples=15)
@given(arrays(np.int64, st.integers(1, 12), elements=st.integers(0, 500)), st.randoms(use_true_random=False))
def test_permuting_the_cells_permutes_the_posterior(trials, random):
    """No cell's place matters."""
    n = trials.astype(float)
    yes = np.floor(n * np.array([random.random() for _ in n]))
    order = np.array(random.sample(range(len(n)), len(n)))
    posterior, permuted = Hierarchical().fit(yes, n), Hierarchical().fit(yes[order], n[order])
    assert permuted.means == pytest.approx(posterior.means[order], rel=1e-6)


@settings(max_examples=25)
@given(
    arrays(np.float64, st.integers(1, 8), elements=st.sampled_from([0, 0.3, 1, 7, 400, 1e5, 1e9])), st.data()
)
def test_any_counts_give_rates_between_0_and_1(trials, data):
    """One cell, empty cells, no success, only successes, fractions and huge counts are all fine."""
    share = data.draw(arrays(np.float64, len(trials), elements=st.sampled_from([0, 1e-9, 0.1, 0.5, 1])))
    rates = draw(trials * share, trials, draws=50)
    assert ((rates >= 0) & (rates <= 1)).all()


def test_the_same_seed_gives_the_same_bits():
    yes, n = [3, 0, 40], [10, 4, 90]
    assert np.array_equal(draw(yes, n, seed=3), draw(yes, n, seed=3))
    assert not np.array_equal(draw(yes, n, seed=3), draw(yes, n, seed=4))


def test_huge_cells_are_drawn_around_their_own_rates():
    rates = draw([1e8, 3e8, 3.5e8], [1e9, 1e9, 1e9])
    assert rates.mean(axis=0) == pytest.approx([0.1, 0.3, 0.35], abs=2e-6)
    assert rates.std(axis=0) == pytest.approx(np.sqrt(np.array([0.09, 0.21, 0.2275]) / 1e9), rel=0.1)


def test_equal_cells_are_recognised():
    """16 equal cells and 10,000 records: nearly no ε, with a lower bound of 0."""
    n = np.full(16, 625.0)
    yes = np.random.default_rng(5).binomial(625, 0.23, 16)
    low, middle, _ = np.quantile(epsilon(draw(yes, n)), [0.025, 0.5, 0.975])
    assert low < 0.05
    assert middle < 0.3


def test_huge_cells_in_two_groups_do_not_mislead_the_main_effects():
    """Cells so large and so far apart that the likelihood of main effects is cut off almost everywhere."""
    yes = [330, 1343, 2039, 5116, 716, 918, 1060, 181, 325, 1370, 492, 3336, 534, 174, 750, 4901]
    n = [6807, 5145, 7576, 18976, 2770, 3348, 3997, 644, 7430, 5100, 1822, 12570, 1988, 605, 2857, 18365]
    codes = np.array(np.unravel_index(np.arange(16), (2, 2, 4))).T
    posterior = Hierarchical().fit(yes, n, codes)
    low, _, high = np.quantile(epsilon(posterior.draw(np.random.default_rng(0))), [0.025, 0.5, 0.975])
    assert 1.5 < low < high < 2.2
    assert "two groups of equal cells 100 %" in posterior.prior


def test_the_prior_is_stated():
    yes, n = [30, 20, 50, 60], [100, 100, 100, 100]
    prior = Hierarchical().fit(yes, n).prior
    for family in ("logit-normal", "Beta", "logit-t", "two groups of equal cells"):
        assert family in prior
    assert "main effects" not in prior
    assert "all cells equal" in Hierarchical().fit([20, 21, 19], [100, 100, 100]).prior
    assert "main effects" in Hierarchical().fit(yes, n, np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).prior


def run_of_the_study(seed, cells=64, records=5000):
    """ε of the truth, the interval and point of Hierarchical, and that of flat posteriors."""
    rng = np.random.default_rng([2, seed])
    rates, n = (
        expit(rng.normal(-1.2, 0.5, cells)),
        rng.multinomial(records, rng.dirichlet(np.full(cells, 0.8))),
    )
    yes = rng.binomial(n, rates)
    truth = epsilon(rates[n > 0])
    draws = epsilon(Hierarchical().draw(yes[n > 0], n[n > 0], rng))
    flat = epsilon(rng.beta(yes[n > 0] + 1 / 3, (n - yes)[n > 0] + 1 / 3, (500, np.count_nonzero(n))))
    return truth, *np.quantile(draws, [0.025, 0.975, 0.5]), flat.mean()


def test_intervals_cover_and_the_point_beats_flat_priors_twentyfold():
    """64 cells, 5,000 records, truths drawn anew: at a nominal 95 %, chance misses 90 % once in 500."""
    truth, low, high, point, flat = np.array([run_of_the_study(seed) for seed in range(200)]).T
    assert ((low <= truth) & (truth <= high)).mean() >= 0.90
    assert ((point - truth) ** 2).mean() <= ((flat - truth) ** 2).mean() / 20


@pytest.mark.parametrize(
    ("successes", "trials", "message"),
    [
        ([1, 2], [3], "successes and trials: must be one number per cell each"),
        ([], [], "at least one cell"),
        ([1, 5], [3, 4], "successes: must lie between 0 and the trials, .* got 5.0 of 4.0 in cell 1"),
        ([float("nan")], [3], "successes: must lie between 0 and the trials"),
        ([1], [float("inf")], "must be finite"),
    ],
)
def test_bad_counts_are_refused(successes, trials, message):
    with pytest.raises(InputError, match=message):
        Hierarchical().fit(successes, trials)


def test_draws_must_be_positive():
    with pytest.raises(InputError, match="draws: must be an integer of at least 1; got 0"):
        Hierarchical(draws=0)
