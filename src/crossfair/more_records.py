"""How many more records would decide a verdict, and of which cells.

Around the draws, ε is taken as linear in the log odds of the two cells that set it, and all of them as
normal. More records of a cell narrow its log odds by a known amount; where the narrowed ε will then lie is
as uncertain as what the records take away. So the chance that it falls clear of the limit has a closed form.

Where other cells keep ε uncertain too, the advice is about the sample as a whole: all variances then shrink
alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtr, ndtri

from crossfair import values
from crossfair.cells import Cell, show_cell

Floats = NDArray[np.float64]

CHANCE = 0.8  # of a verdict, with so many more records
SIZES = np.geomspace(10, 1e9, 161)
MOST = 20  # times the present sample: more is no advice


@dataclass(frozen=True)
class More:
    """So many more records of each of these cells would decide a verdict in four of five cases.

    Without cells: of all cells together, in the shares that they have.

    >>> More(400, (("F",),)).words()
    'about 400 more records of F would decide it'
    """

    records: int
    cells: tuple[Cell, ...]

    def words(self) -> str:
        """The advice in words."""
        if not self.cells:
            return f"about {self.records:,} more records of all groups, in these shares, would decide it"
        each = " each" if len(self.cells) > 1 else ""
        who = " and ".join(show_cell(cell) for cell in self.cells)
        return f"about {self.records:,} more records{each} of {who} would decide it"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "records": self.records,
            "cells": [[values.to_json(value) for value in cell] for cell in self.cells],
        }


@dataclass(frozen=True, eq=False)
class End:
    """A cell at one end of ε: draws of its rate, and how many effective trials one more record brings."""

    cell: Cell
    rates: Floats
    per_record: float

    @property
    def log_odds(self) -> Floats:
        """Draws of the log odds, those of rates rounded to 0 or 1 brought inside."""
        return np.asarray(logit(np.clip(self.rates, 1e-12, 1 - 1e-12)))

    @property
    def information(self) -> float:
        """What one more record says about the log odds: the precision it adds."""
        return self.per_record * float(np.mean(self.rates * (1 - self.rates)))


def more_records(
    draws: Floats, ends: Sequence[End], records: float, limit: float, confidence: float
) -> More | None:
    """Return the fewest records that would decide a limit on ε; None if even `MOST` times the sample may not.

    They are of one end or of both, or, where that is not enough, of the whole sample of so many `records`.

    >>> rng = np.random.default_rng(0)
    >>> low, high = rng.beta(10, 90, 4000), rng.beta(3000, 7000, 4000)
    >>> ends = [End(("F",), low, 1.0), End(("M",), high, 1.0)]
    >>> more_records(np.log(high / low), ends, 10_100, limit=0.8, confidence=0.95).cells
    (('F',),)
    """
    if not np.isfinite(draws).all() or not ends:
        return None
    goal = _Goal(float(draws.mean()), limit, float(ndtri(confidence)))
    found = _of_ends(draws, ends, goal)
    if found:
        return min(found, key=lambda more: more.records * len(more.cells))
    variance = float(draws.var(ddof=1))
    stays = variance / (1 + SIZES / records)
    size = goal.first(stays, variance - stays)
    return None if size is None or size > MOST * records else More(_rounded(size), ())


@dataclass(frozen=True)
class _Goal:
    """A limit that ε, whose mean is now here, shall lie clear of by so many standard deviations."""

    mean: float
    limit: float
    margin: float

    def first(self, stays: Floats, moves: Floats) -> float | None:
        """The first of `SIZES` that gives the wanted chance, if the variance so splits up for each."""
        clear, spread = self.margin * np.sqrt(stays), np.sqrt(np.maximum(moves, 1e-300))
        away = self.limit - self.mean
        chance = ndtr((away - clear) / spread) + ndtr((-away - clear) / spread)
        enough = np.flatnonzero(chance >= CHANCE)
        return float(SIZES[enough[0]]) if len(enough) else None


def _of_ends(draws: Floats, ends: Sequence[End], goal: _Goal) -> list[More]:
    """What records of one end, and of both, would do."""
    slopes, covariance, rest = _linear(draws, np.array([end.log_odds for end in ends]))
    choices = [[k] for k in range(len(ends))] + ([[0, 1]] if len(ends) == 2 else [])
    found = []
    for chosen in choices:
        gain = np.array([end.information * (k in chosen) for k, end in enumerate(ends)])
        stays = np.array([_left(slopes, covariance, size * gain) for size in SIZES])
        size = goal.first(stays + rest, float(slopes @ covariance @ slopes) - stays)
        if size is not None:
            found.append(More(_rounded(size), tuple(ends[k].cell for k in chosen)))
    return found


def _linear(draws: Floats, log_odds: Floats) -> tuple[Floats, Floats, float]:
    """Slopes of ε in the log odds, the covariance of these, and the variance of ε that they leave."""
    covariance = np.atleast_2d(np.cov(log_odds)) + 1e-12 * np.eye(len(log_odds))
    centred = log_odds - log_odds.mean(axis=1, keepdims=True)
    slopes = np.linalg.solve(covariance, centred @ (draws - draws.mean()) / (len(draws) - 1))
    rest = float(draws.var(ddof=1) - slopes @ covariance @ slopes)
    return slopes, covariance, max(rest, 0.0)


def _left(slopes: Floats, covariance: Floats, gain: Floats) -> float:
    """Variance of ε that is left when the log odds gain so much precision."""
    return float(slopes @ np.linalg.inv(np.linalg.inv(covariance) + np.diag(gain)) @ slopes)


def _rounded(size: float) -> int:
    """Two figures, upwards.

    >>> _rounded(412.0), _rounded(17.2)
    (420, 18)
    """
    unit = 10.0 ** max(np.floor(np.log10(size)) - 1, 0)
    return int(np.ceil(size / unit) * unit)
