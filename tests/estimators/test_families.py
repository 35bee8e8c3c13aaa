"""The families of the inferred prior, each against plain integration or simulation that shares no code."""

import numpy as np
import pytest
from scipy.special import betaln, expit, gammaln, log_expit, logsumexp
from scipy.stats import beta as beta_distribution
from scipy.stats import kstest, norm
from scipy.stats import t as student

from crossfair.estimators._clusters import TwoGroups
from crossfair.estimators._design import Design
from crossfair.estimators._effects import Effects
from crossfair.estimators._exchangeable import Exchangeable
from crossfair.estimators._family import AllEqual
from crossfair.estimators._likelihood import Likelihood
from crossfair.estimators._shapes import Prior, prior_masses

THETA = np.linspace(-16, 14, 1201)

CELLS = {
    "ordinary": ([3.0, 40.0, 0.0, 7.0], [10.0, 100.0, 5.0, 7.0]),
    "fractional": ([2.5, 0.25, 7.125], [9.75, 3.5, 20.0]),
    "empty cells": ([0.0, 12.0, 0.0], [0.0, 50.0, 0.0]),
    "huge": ([3e8, 3.1e8, 1.0], [1e9, 1e9, 4.0]),
}
SMALL = {
    "ordinary": CELLS["ordinary"],
    "no success": ([0.0, 0.0], [4.0, 9.0]),
    "one cell": ([2.0], [5.0]),
    "fractional": ([1.5, 0.0], [8.25, 0.0]),
    "two groups": ([2.0, 3.0, 40.0, 38.0, 1.0], [90.0, 80.0, 90.0, 85.0, 40.0]),
}


def log_likelihood(yes, n, log_odds):
    return yes * log_expit(log_odds) + (n - yes) * log_expit(-log_odds)


def beta_parameters(location, scale):
    mean = expit(location)
    return mean / (scale**2 * mean * (1 - mean)), (1 - mean) / (scale**2 * mean * (1 - mean))


@pytest.mark.parametrize("cells", CELLS)
def test_one_beta_prior_gives_the_conjugate_posterior(cells):
    """Evidence and draws under one Beta prior are the closed forms."""
    yes, n = map(np.array, CELLS[cells])
    likelihood = Likelihood.of(yes, n)
    location, scale = np.array([-0.7]), np.array([0.8])
    alpha, beta = beta_parameters(location[0], scale[0])
    masses = prior_masses("Beta", likelihood, location, scale)
    exact = (betaln(yes + alpha, n - yes + beta) - betaln(alpha, beta)).sum()
    assert likelihood.evidence(masses)[0] == pytest.approx(exact, abs=1e-3)
    rng = np.random.default_rng(1)
    rates = Prior(likelihood, "Beta", location, scale).sample(slice(0, len(n)), 20_000, rng)
    for cell in range(len(n)):
        target = rng.beta(yes[cell] + alpha, n[cell] - yes[cell] + beta, 20_000)
        assert kstest(rates[:, cell], target).pvalue > 1e-4


def density_of(shape, theta, location, scale):
    """Density over log odds, from other formulas than the package's."""
    if shape == "logit-normal":
        return norm.pdf(theta, location, scale)
    if shape == "logit-t":
        return student.pdf(theta, 3, location, scale)
    rate = expit(theta)
    return beta_distribution.pdf(rate, *beta_parameters(location, scale)) * rate * (1 - rate)


def integrate(shape, yes, n):
    """Log evidence and posterior means over dense grids of location, scale and log odds."""
    location, scale = np.linspace(-9, 7, 65), np.exp(np.linspace(np.log(0.02), np.log(4), 25))
    likelihood = np.exp(log_likelihood(yes[:, None], n[:, None], THETA))
    total, weighted = 0.0, np.zeros(len(n))
    for s in scale:
        prior = density_of(shape, THETA[:, None], location, s)
        prior /= prior.sum(axis=0)
        each = likelihood @ prior
        rate = (likelihood * expit(THETA)) @ prior / each
        weight = expit(location) * expit(-location) * s / (1 + s**2) / np.arctan(4) * each.prod(axis=0)
        total, weighted = total + weight.sum(), weighted + rate @ weight
    return np.log(total * (location[1] - location[0]) * np.log(scale[1] / scale[0])), weighted / total


def evidence_and_means(family):
    log_evidence = logsumexp(family.log_weight)
    return log_evidence, family.means(np.exp(family.log_weight - log_evidence))


@pytest.mark.parametrize("shape", ["logit-normal", "Beta", "logit-t"])
@pytest.mark.parametrize("cells", ["ordinary", "no success", "one cell", "fractional"])
def test_exchangeable_families_agree_with_plain_integration(shape, cells):
    yes, n = map(np.array, SMALL[cells])
    exact, exact_means = integrate(shape, yes, n)
    found, means = evidence_and_means(Exchangeable.of(shape, Likelihood.of(yes, n)))
    assert found == pytest.approx(exact, abs=0.1)
    # The nodes are few: the mean of a cell with 0 of 5, .128, comes out as .122, a twentieth of its spread.
    assert means == pytest.approx(exact_means, rel=0.04, abs=7e-3)


@pytest.mark.parametrize("cells", SMALL)
def test_two_groups_agree_with_plain_integration(cells):
    """Sums over values, equally likely under Beta(½, ½), of the two rates and of the lower one's share."""
    yes, n = map(np.array, SMALL[cells])
    rates, shares = (np.sin(np.pi * (np.arange(m) + 0.5) / (2 * m)) ** 2 for m in (160, 24))
    each = np.exp(yes[:, None] * np.log(rates) + (n - yes)[:, None] * np.log1p(-rates))
    low, high = each[:, :, None, None], each[:, None, :, None]
    mixed = shares * low + (1 - shares) * high + 1e-300
    joint = mixed.prod(axis=0) * (rates[:, None] < rates)[:, :, None]
    mean = (shares * low * rates[:, None, None] + (1 - shares) * high * rates[:, None]) / mixed
    exact = np.log(2 * joint.sum() / (160**2 * 24))
    found, means = evidence_and_means(TwoGroups.of(Likelihood.of(yes, n)))
    assert found == pytest.approx(exact, abs=0.1)
    assert means == pytest.approx((mean * joint).sum(axis=(1, 2, 3)) / joint.sum(), abs=0.02)


def test_all_equal_has_the_closed_form():
    yes, n = map(np.array, SMALL["ordinary"])
    found, means = evidence_and_means(AllEqual(Likelihood.of(yes, n)))
    assert found == pytest.approx(gammaln(51) + gammaln(73) - gammaln(124))
    assert means == pytest.approx(np.full(4, 51 / 124))


def half_cauchy(rng, draws):
    """Scales: half-Cauchy up to 4."""
    return np.tan(rng.random((draws, 1)) * np.arctan(4))


EFFECTS = {
    "2 × 2": ([3, 9, 1, 8], [20, 15, 12, 30], (2, 2)),
    "2 × 3 with empty cells": ([2, 0, 9, 0, 5, 6], [14, 0, 20, 8, 9, 30], (2, 3)),
    "2 × 2 × 2": ([1, 2, 0, 3, 4, 1, 1, 3], [4, 6, 3, 5, 6, 4, 7, 6], (2, 2, 2)),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_main_effects_agree_with_simulation_from_the_prior(name):
    """Evidence and means are averages over many prior draws, weighted by their likelihood."""
    yes, n, levels = EFFECTS[name]
    yes, n = np.array(yes, float), np.array(n, float)
    codes = np.array(np.unravel_index(np.arange(len(n)), levels)).T
    rng = np.random.default_rng(0)
    draws = 200_000
    log_odds = rng.logistic(size=(draws, 1)) + np.zeros(len(n))
    for column, size in zip(codes.T, levels):
        effects = rng.standard_normal((draws, size)) * half_cauchy(rng, draws)
        log_odds += effects[:, column]
    log_odds += rng.standard_normal(log_odds.shape) * half_cauchy(rng, draws)
    logs = log_likelihood(yes, n, log_odds).sum(axis=1)
    weights = np.exp(logs - logs.max())
    exact = np.log(weights.mean()) + logs.max()
    error = np.sqrt((weights**2).sum()) / weights.sum()
    found, means = evidence_and_means(Effects.of(Likelihood.of(yes, n), Design.of(codes)))
    assert error < 0.1
    assert found == pytest.approx(exact, abs=0.1 + 3 * error)
    assert means == pytest.approx(weights @ expit(log_odds) / weights.sum(), abs=0.01 + error / 4)


@pytest.mark.parametrize("name", EFFECTS)
def test_sums_over_levels_agree_with_a_matrix_of_zeros_and_ones(name):
    *_, levels = EFFECTS[name]
    codes = np.array(np.unravel_index(np.arange(np.prod(levels)), levels)).T
    design = Design.of(codes)
    ones = np.hstack(
        [np.ones((len(codes), 1)), *(np.eye(size)[column] for column, size in zip(codes.T, levels))]
    )
    rng = np.random.default_rng(0)
    values, coefficients = rng.standard_normal(len(codes)), rng.standard_normal(ones.shape[1])
    root = rng.standard_normal((ones.shape[1], ones.shape[1]))
    assert design.predict(coefficients) == pytest.approx(ones @ coefficients)
    assert design.gather(values) == pytest.approx(ones.T @ values)
    assert design.gram(values) == pytest.approx(ones.T @ np.diag(values) @ ones)
    assert design.variances(root @ root.T) == pytest.approx(np.diag(ones @ root @ root.T @ ones.T))


def test_an_attribute_that_names_every_cell_or_has_one_level_has_no_effects():
    assert Design.of(np.array([[0], [1], [2]])) is None
    assert Design.of(np.array([[0, 0], [1, 0], [2, 0]])) is None
    design = Design.of(np.array([[0, 0], [1, 0], [2, 1], [3, 1]]))
    assert design.sizes == (2,)
