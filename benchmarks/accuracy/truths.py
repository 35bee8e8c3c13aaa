"""Truths of the study: how the rates of the cells come about, drawn anew in every run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]
Rng = np.random.Generator

#: Levels of the three attributes, by the number of cells.
LEVELS = {16: (2, 2, 4), 64: (4, 4, 4), 256: (4, 8, 8)}


@dataclass(frozen=True)
class Truth:
    """A way in which rates come about, for so many cells."""

    name: str
    words: str
    draw: Callable[[Rng, int], Floats]


def _logit_normal(rng: Rng, cells: int) -> Floats:
    return np.asarray(expit(rng.normal(-1.2, 0.5, cells)))


def _beta(rng: Rng, cells: int) -> Floats:
    return np.asarray(rng.beta(3, 9, cells))


def _main_effects(rng: Rng, cells: int) -> Floats:
    log_odds = rng.normal(-1.3, 0.15, LEVELS[cells])
    for axis, size in enumerate(LEVELS[cells]):
        shape = [1, 1, 1]
        shape[axis] = size
        log_odds = log_odds + rng.normal(0, 0.35, size).reshape(shape)
    return np.asarray(expit(log_odds.ravel()))


def _heavy_tails(rng: Rng, cells: int) -> Floats:
    return np.asarray(expit(-1.2 + 0.4 * rng.standard_t(4, cells)))


def _two_clusters(rng: Rng, cells: int) -> Floats:
    low = rng.permutation(cells) < max(1, round(cells / 10))
    return np.asarray(expit(np.where(low, -3.0, -1.0)))


def _all_equal(rng: Rng, cells: int) -> Floats:
    return np.full(cells, float(expit(rng.normal(-1.2, 0.5))))


TRUTHS = {
    truth.name: truth
    for truth in (
        Truth("logit-normal", "log odds normal, mean −1.2, standard deviation 0.5", _logit_normal),
        Truth("Beta", "rates Beta(3, 9)", _beta),
        Truth(
            "main effects",
            "log odds −1.3 plus an effect of each attribute's level (0.35) and a residual (0.15)",
            _main_effects,
        ),
        Truth(
            "heavy tails", "log odds −1.2 plus 0.4 times Student's t with 4 degrees of freedom", _heavy_tails
        ),
        Truth("two clusters", "one cell in ten at log odds −3, the others at −1", _two_clusters),
        Truth("all equal", "one rate for all cells, its log odds normal as above", _all_equal),
    )
}


def sizes(rng: Rng, cells: int, records: int) -> NDArray[np.int64]:
    """Records per cell: a multinomial draw with Dirichlet(0.8) shares."""
    return np.asarray(rng.multinomial(records, rng.dirichlet(np.full(cells, 0.8))))
