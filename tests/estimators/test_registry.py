"""The estimators by name."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import crossfair as cf
from core_strategies import counts_of
from crossfair import documents
from crossfair.errors import FormatError, InputError
from crossfair.estimators import registry

N = np.array([[[90, 10], [30, 20]], [[40, 3], [10, 25]], [[20, 1], [6, 2]]])


@pytest.mark.parametrize("name", registry.ESTIMATORS)
def test_every_estimator_measures_every_metric_for_one_outcome_and_for_all(name: str) -> None:
    estimator = registry.build(name)
    one = cf.audit(counts_of(N), estimator=estimator)
    every = cf.audit(counts_of(N), estimator=estimator, outcomes="all")
    assert list(one) == list(every)
    for metric in one:
        assert one[metric].epsilon > 0
        assert every[metric].epsilon >= one[metric].epsilon - 1e-12
        assert one[metric].evidence.prior
        if estimator.drawn:
            assert one[metric].low <= one[metric].epsilon <= one[metric].high
            assert (every[metric].draws >= one[metric].draws - 1e-9).all()


@pytest.mark.parametrize("name", registry.ESTIMATORS)
def test_every_estimator_takes_three_outcomes(name: str) -> None:
    counts = cf.Counts.from_table(
        {"a": list("xxxyyy"), "y": list("abcabc"), "n": [9, 8, 3, 4, 8, 8]}, by="a", label="y"
    )
    audit = cf.audit(counts, estimator=name, outcomes="all")
    assert audit["impact_ratio"].highest.outcome in ("a", "b", "c")


@pytest.mark.parametrize("name", registry.ESTIMATORS)
def test_json_is_an_identity(name: str) -> None:
    estimator = registry.build(name)
    item = json.loads(documents.dump("demo", 1, registry.to_json(estimator)))
    del item["format"]
    assert registry.from_json(item, "file") == estimator


def test_parameters_of_numpy_are_numbers_in_files() -> None:
    estimator = registry.build("bayes", draws=np.int64(200), alpha=np.float64(0.5))
    item = json.loads(documents.dump("demo", 1, {"estimator": registry.to_json(estimator)}))["estimator"]
    assert registry.from_json(item, "file") == registry.build("bayes", draws=200, alpha=0.5)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Bayes", r"estimator: must be one of 'hierarchical', .*; got Bayes\. Did you mean 'bayes'\?"),
        ("bayesian", r"estimator: must be one of .*; got bayesian\. Did you mean 'bayes'\?"),
        ("mcmc", r"estimator: must be one of .*; got mcmc\.$"),
    ],
)
def test_an_unknown_name_brings_the_nearest(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        registry.build(name)


def test_an_unknown_parameter_brings_the_nearest() -> None:
    message = r"estimator 'bayes': parameter: must be one of .*'draws'; got draw\. Did you mean 'draws'"
    with pytest.raises(InputError, match=message):
        registry.build("bayes", draw=3)


@pytest.mark.parametrize("item", [None, {}, "bayes", ["bayes"]])
def test_an_estimator_in_a_file_must_have_a_name(item: Any) -> None:
    with pytest.raises(FormatError, match="file: its estimator must have a name and parameters"):
        registry.from_json(item, "file")
