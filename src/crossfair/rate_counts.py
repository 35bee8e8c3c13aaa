"""One rate's numerators and denominators per cell, cut out of the counts: what every estimator works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from crossfair import values
from crossfair.counts import Counts
from crossfair.metrics import RATES, Rate
from crossfair.values import Value

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Of a rate and its complement one is drawn and smoothed, and the other is exactly one minus it.
DRAWN = tuple(found for name, found in RATES.items() if name not in ("tnr", "fnr"))


@dataclass(frozen=True, eq=False)
class RateCounts:
    """Successes and trials per cell of one rate, of one outcome against the rest.

    A rate and its complement (FPR and TNR) are one quantity with two names, so they share successes, trials
    and draws; `flipped` says that the rate is one minus the quantity held here.
    """

    rate: Rate
    table_outcome: Value
    numerator: Mask
    denominator: Mask
    flipped: bool
    successes: Floats
    trials: Floats
    records: Floats
    effective: Floats

    @classmethod
    def of(cls, counts: Counts, rate: Rate, outcome: Value) -> Self:
        """Cut a rate out of counts. Two outcomes are read from one table, so that their rates agree."""
        table_outcome, flip = _table_of(counts, outcome)
        n, mass, squares = counts.one_against_rest(table_outcome)
        top, whole = rate.numerator, rate.denominator
        if flip:
            top, whole = top[::-1, ::-1], whole[::-1, ::-1]
        flipped = _is_complement(top, whole)
        if flipped:
            top = whole & ~top
        trials = mass[:, whole].sum(axis=1)
        records = n[:, whole].sum(axis=1)
        spread = records if squares is None else squares[:, whole].sum(axis=1)
        effective = records if squares is None else _divide(trials * trials, spread)
        return cls(
            rate, table_outcome, top, whole, flipped, mass[:, top].sum(axis=1), trials, records, effective
        )

    @property
    def key(self) -> str:
        """Name of the quantity drawn, which a rate and its complement share."""
        masks = "".join(str(int(bit)) for bit in [*self.numerator.ravel(), *self.denominator.ravel()])
        return f"{masks}:{values.spell(self.table_outcome)}"

    @property
    def observed(self) -> Floats:
        """The quantity as observed, NaN where nothing was."""
        return _divide(self.successes, self.trials, empty=np.nan)

    @property
    def share(self) -> float:
        """The quantity in the whole population; 0 when there is nobody."""
        total = self.trials.sum()
        return float(self.successes.sum() / total) if total > 0 else 0.0

    @property
    def overall(self) -> float:
        """The rate in the whole population."""
        return 1.0 - self.share if self.flipped else self.share

    @property
    def shares(self) -> Floats:
        """Each cell's share of all trials."""
        total = self.trials.sum()
        return self.trials / total if total > 0 else np.zeros_like(self.trials)

    @property
    def effective_successes(self) -> Floats:
        """Successes on the scale of the effective number of trials."""
        return _divide(self.successes, self.trials) * self.effective

    @property
    def direct_successes(self) -> Floats:
        """Successes of the rate itself."""
        return self.trials - self.successes if self.flipped else self.successes

    def direct(self, rates: Floats) -> Floats:
        """Turn rates of the shared quantity into those of the rate itself."""
        return 1.0 - rates if self.flipped else rates

    def supported(self, min_support: float, *, prior: bool) -> Mask:
        """Cells with enough records; one without any has a rate only where a prior gives it one."""
        return (self.records >= min_support) & ((self.trials > 0) | prior)


@dataclass(frozen=True, eq=False)
class Part:
    """One rate of one outcome that a metric is made of, and the cells with support enough to count."""

    counts: RateCounts
    outcome: Value
    supported: Mask


def _table_of(counts: Counts, outcome: Value) -> tuple[Value, bool]:
    """The outcome whose one-against-rest table serves, and whether it is seen from the other side."""
    known = counts.outcomes.values
    if len(known) != 2:
        return outcome, False
    reference = known[1] if counts.outcomes.positive is None else counts.outcomes.positive
    return reference, outcome != reference


def _is_complement(numerator: Mask, denominator: Mask) -> bool:
    """Whether a rate is one minus a rate of the registry that is drawn itself, as FNR is 1 − TPR."""
    known = [(drawn.numerator, drawn.denominator) for drawn in DRAWN]
    pairs = ((numerator, denominator), (denominator & ~numerator, denominator))
    itself, other = (any(np.array_equal(pair, drawn) for drawn in known) for pair in pairs)
    return other and not itself


def _divide(top: Floats, bottom: Floats, empty: float = 0.0) -> Floats:
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, empty), where=bottom > 0))
