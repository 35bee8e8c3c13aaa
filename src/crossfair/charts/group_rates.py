"""Rates per cell that decisions are expected to give on a sample, smoothed as a repair sees them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossfair.audit_tables import rate_columns
from crossfair.auditing import Settings
from crossfair.estimators.smoothed import Smoothed
from crossfair.measure import Measurement
from crossfair.metrics import rate
from crossfair.sample import Sample, expected_counts
from crossfair.terms import Terms


def measured(sample: Sample, acceptance: NDArray[np.float64], terms: Terms) -> Measurement:
    """Return the rates of decisions that accept each step with the given probability."""
    settings = Settings(Smoothed(terms.alpha, terms.beta), min_support=max(terms.min_support, 1))
    return settings.measurement(expected_counts(sample.curves, acceptance))


def raw_rates(found: Measurement, name: str) -> list[float | None]:
    """Return a rate of every cell, None where it has no records."""
    column: list[float | None] = rate_columns(found, rate(name), found.outcomes[0])["raw"]
    return column
