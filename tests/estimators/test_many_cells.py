"""The hierarchical estimator where cells are so many that those with equal counts are worked on together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossfair as cf
from crossfair.estimators import _likelihood
from crossfair.estimators._ladder import FEW, Ladders
from crossfair.estimators._likelihood import BLOCK, Likelihood
from crossfair.estimators.hierarchical import Hierarchical

CELLS = BLOCK + 902
LEVELS = (8, 10, 100)


def many_cells(kind):
    """Successes, trials and levels of the attributes."""
    rng = np.random.default_rng(3)
    codes = np.array(np.unravel_index(np.sort(rng.choice(np.prod(LEVELS), CELLS, replace=False)), LEVELS)).T
    n = rng.multinomial(9 * CELLS, rng.dirichlet(np.full(CELLS, 0.8)))
    if kind == "some huge":
        n[rng.random(CELLS) < 0.05] += 10**6
    levels = codes[:, 0] if kind == "main effects" else np.arange(CELLS)
    log_odds = rng.normal(-1, 0.5, CELLS)[levels]
    yes = rng.binomial(n, 1 / (1 + np.exp(-log_odds)))
    part = rng.uniform(0.5, 1, CELLS) if kind == "no two alike" else 1.0
    return yes * part, n * part, codes


@pytest.mark.parametrize("kind", ["ordinary", "some huge", "no two alike", "main effects"])
def test_cells_with_equal_counts_give_the_same_bits_together_as_each_on_its_own(kind, monkeypatch):
    yes, n, codes = many_cells(kind)
    together = Hierarchical().fit(yes, n, codes)
    monkeypatch.setattr(_likelihood, "BLOCK", CELLS)
    alone = Hierarchical().fit(yes, n, codes)
    assert len(alone.likelihood.table) == CELLS
    assert len(together.likelihood.table) == len(set(zip(yes, n)))
    for found, expected in zip(together.weights, alone.weights):
        assert np.array_equal(found, expected)
    assert np.array_equal(together.means, alone.means)
    assert together.prior == alone.prior
    draws = (posterior.draw(np.random.default_rng(1), 150) for posterior in (together, alone))
    assert np.array_equal(*draws)


def test_each_cell_has_the_row_of_its_counts():
    yes, n, _ = many_cells("ordinary")
    likelihood = Likelihood.of(yes, n)
    assert np.array_equal(likelihood.successes[likelihood.rows], yes)
    assert np.array_equal(likelihood.trials[likelihood.rows], n)
    rows, places = likelihood.rows_of(slice(100, 900))
    assert np.array_equal(rows[places], likelihood.rows[100:900])


@given(st.integers(1, 5), st.integers(1, 40), st.sampled_from([1, FEW * 8]), st.integers(0, 10**6))
def test_ladders_agree_with_a_search_on_each(number, size, draws, seed):
    """Also for steps of no height, levels of 0 and just below 1, and those that meet a step."""
    rng = np.random.default_rng(seed)
    weights = rng.random((number, size)) * (rng.random((number, size)) < 0.7) ** 2 + 1e-30
    cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    which = rng.integers(0, number, 3)
    levels = np.minimum(rng.random((3, draws)), 1 - 2.0**-53)
    levels[:, 0] = [0.0, 1 - 2.0**-53, 0.5]
    found = Ladders.of(cumulative, levels.size).reached(which, levels)
    for ladder, each, steps in zip(which, levels, found):
        expected = np.minimum(np.searchsorted(cumulative[ladder], each), size - 1)
        near = np.abs(cumulative[ladder][:, None] - each).min(axis=0) < 1e-12  # decided by rounding
        assert np.array_equal(steps[~near], expected[~near])
        assert ((steps >= 0) & (steps < size)).all()


def test_a_rate_has_the_same_draws_alone_as_among_all_that_are_drawn_side_by_side():
    rng = np.random.default_rng(0)
    columns = {name: code.repeat(4) for name, code in zip("abc", many_cells("ordinary")[2].T)}
    outcomes = {"y": np.tile([0, 0, 1, 1], CELLS), "p": np.tile([0, 1, 0, 1], CELLS)}
    counts = cf.Counts.from_table(
        columns | outcomes | {"n": rng.poisson(3, 4 * CELLS)}, by=list("abc"), label="y", prediction="p"
    )
    estimator = Hierarchical(draws=60)
    together = cf.audit(counts, estimator=estimator)
    for name in ("impact_ratio", "fpr_parity"):
        alone = cf.audit(counts, estimator=estimator, metrics=[name])
        assert np.array_equal(alone[name].draws, together[name].draws)
        assert alone[name].highest == together[name].highest
