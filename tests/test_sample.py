"""Expected counts and performances, against sums written out record by record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossfair.errors import InputError
from crossfair.outcomes import Outcomes
from crossfair.sample import Sample, expected_counts, from_counts
from crossfair.terms import Source
from samples import curves, hiring_counts

SCORE = Source("score", None, 0.5, Outcomes((True,), True))


def acceptance_of(steps):
    return st.lists(st.floats(0, 1), min_size=steps, max_size=steps).map(np.array)


@given(curves(), st.data())
def test_each_record_falls_to_either_side_in_part(given_curves, data):
    p = data.draw(acceptance_of(len(given_curves.scores)))
    counts = expected_counts(given_curves, p)
    for cell in range(len(given_curves.cells)):
        here = given_curves.cell_of_step == cell
        for label in (0, 1):
            accepted = sum(given_curves.n[here, label] * p[here])
            assert counts.n[cell, label, 1] == pytest.approx(accepted)
            weight = sum(given_curves.mass[here, label] * p[here])
            assert counts.mass[cell, label, 1] == pytest.approx(weight, abs=1e-8)
    assert np.allclose(counts.n.sum(axis=2), given_curves.records)
    if given_curves.weights is not None:
        assert np.allclose(counts.weights.squares.floats.sum(axis=2), given_curves.squares.floats, atol=1e-8)


@given(curves())
def test_the_given_decision_and_its_binary_sample_agree(given_curves):
    sample = Sample(given_curves, SCORE)
    binary = sample.binary()
    whole = expected_counts(given_curves, sample.given)
    assert np.allclose(whole.n, expected_counts(binary.curves, binary.given).n)
    assert np.allclose(whole.mass, expected_counts(binary.curves, binary.given).mass)


def test_counts_of_a_prediction_are_a_score_of_one_or_zero():
    counts = hiring_counts()
    sample = from_counts(counts, Source("prediction", None, 1.0, counts.outcomes))
    assert sample.curves.scores.tolist() == [1.0, 0.0, 1.0, 0.0]
    assert expected_counts(sample.curves, sample.given).n.tolist() == counts.n.tolist()
    assert expected_counts(sample.curves, 1 - sample.given).n.tolist() == counts.n[:, :, ::-1].tolist()


def test_expected_counts_cannot_be_repaired():
    counts = hiring_counts(n=[60.5, 5, 25, 10, 40, 20, 10, 30])
    with pytest.raises(InputError, match="must be counts of records; got expected counts"):
        from_counts(counts, Source("prediction", None, 1.0, counts.outcomes))
