"""Audits for tests of charts and pages: an ordinary one, and those that are hard to show."""

from __future__ import annotations

import numpy as np

from crossfair import api
from crossfair.auditing import Audit
from crossfair.counts import Counts
from crossfair.estimators.base import Estimator
from crossfair.estimators.bayes import Bayes
from crossfair.estimators.smoothed import Smoothed

HOSTILE = ("<script>alert(1)</script>", "</script>", 'O\'Brien & "Co"', "א\u202eב <b>x</b>", "<!--", "${x}`")


def counts(names: list[tuple[str, ...]], by: list[str], seed: int = 0, most: int = 400) -> Counts:
    """Counts with a label and a prediction for cells of these names."""
    rng = np.random.default_rng(seed)
    rows = [(*name, label, guess) for name in names for label in (0, 1) for guess in (0, 1)]
    table = {column: list(values) for column, values in zip([*by, "good", "hired"], zip(*rows))}
    n = rng.integers(1, most, size=len(rows))
    return Counts.from_table({**table, "n": n.tolist()}, by=by, label="good", prediction="hired")


def ordinary(estimator: Estimator | None = None) -> Audit:
    """Six cells of two attributes."""
    names = [(sex, age) for sex in ("F", "M") for age in ("old", "middle", "young")]
    return api.audit(counts(names, ["sex", "age"]), estimator=estimator or Bayes(draws=200))


def hostile() -> Audit:
    """Attribute values, and the name of an attribute, that would be markup or code if they were not text."""
    return api.audit(counts([(value, "x") for value in HOSTILE], ["<i>who</i>", "b"]), estimator=Smoothed())


def infinite() -> Audit:
    """Without smoothing a rate of 0 beside a positive one: ε is infinite."""
    table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [50, 0, 30, 20]}
    return api.audit(Counts.from_table(table, by=["sex"], label="hired"), estimator=Smoothed(0, 0))


def single() -> Audit:
    """One cell: nothing to compare."""
    table = {"sex": ["F", "F"], "hired": [0, 1], "n": [30, 20]}
    return api.audit(Counts.from_table(table, by=["sex"], label="hired"), estimator=Bayes(draws=100))


def nothing() -> Audit:
    """All cells are under support."""
    return api.audit(ordinary().counts, estimator=Bayes(draws=100), min_support=1e6)


def long_names() -> Audit:
    """Values of three hundred characters, with and without spaces."""
    names = [("word " * 60 + letter, "W" * 300 + letter) for letter in "abc"]
    return api.audit(counts(names, ["described", "coded"]), estimator=Smoothed())


def unlabelled() -> Audit:
    """Predictions alone."""
    table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [50, 10, 30, 20]}
    return api.audit(Counts.from_table(table, by=["sex"], prediction="hired"), estimator=Bayes(draws=100))


def many(cells: int = 2000) -> Audit:
    """As many cells as a page must still bear."""
    names = [(f"site {i // 20:03}", f"team {i % 20:02}") for i in range(cells)]
    return api.audit(counts(names, ["site", "team"]), estimator=Smoothed())


ODD = {
    "hostile": hostile,
    "infinite": infinite,
    "single": single,
    "nothing": nothing,
    "long names": long_names,
    "unlabelled": unlabelled,
    "many": many,
}
