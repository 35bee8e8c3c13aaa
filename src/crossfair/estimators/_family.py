"""What the families of priors have in common, and the family in which all rates are equal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import betaln

from crossfair.estimators._likelihood import Floats, Likelihood


class Drawable(Protocol):
    """One prior whose parameters have been drawn."""

    def sample(self, cells: slice, count: int, rng: np.random.Generator) -> Floats:
        """Draw rates (count, cells) from the posterior of these cells."""
        ...


class Family(Protocol):
    """Priors of one form: a fixed number of nodes stands for their unknown parameters."""

    @property
    def name(self) -> str:
        """The family in words."""
        ...

    @property
    def log_weight(self) -> Floats:
        """Log of prior weight × evidence of each node; up to a constant that all families share."""
        ...

    @property
    def spread(self) -> Floats:
        """Standard deviation of the cells' log odds under each node."""
        ...

    def means(self, weights: Floats) -> Floats:
        """Posterior mean rate of each cell, summed over the nodes with these weights."""
        ...

    def prior(self, node: int, count: int, rng: np.random.Generator) -> Drawable:
        """Draw what a node leaves open, for so many draws of the rates."""
        ...


@dataclass(frozen=True)
class AllEqual:
    """All cells have one rate, which is uniform a priori."""

    likelihood: Likelihood
    name: ClassVar[str] = "all cells equal"

    @property
    def spread(self) -> Floats:
        """None."""
        return np.zeros(1)

    @cached_property
    def log_weight(self) -> Floats:
        """The exact evidence."""
        return np.array([betaln(*self._posterior)])

    def means(self, weights: Floats) -> Floats:
        """The pooled rate."""
        yes, no = self._posterior
        return np.full(len(self.likelihood.rows), weights[0] * yes / (yes + no))

    def prior(self, node: int, count: int, rng: np.random.Generator) -> OneRate:  # noqa: ARG002  # it is the only one
        """One rate per draw."""
        return OneRate(rng.beta(*self._posterior, count))

    @property
    def _posterior(self) -> tuple[float, float]:
        cells = self.likelihood.rows
        yes = float(self.likelihood.successes[cells].sum())
        return yes + 1, float(self.likelihood.trials[cells].sum()) - yes + 1


@dataclass(frozen=True)
class OneRate:
    """The same rate in all cells, another one in each draw."""

    rates: Floats

    def sample(self, cells: slice, count: int, rng: np.random.Generator) -> Floats:  # noqa: ARG002  # drawn already
        """Repeat the rates."""
        return np.repeat(self.rates[:count, None], cells.stop - cells.start, axis=1)
