"""The hierarchical estimator: rates share a prior that is itself inferred, so small cells borrow strength.

Independent flat priors call the noise of many small cells unfairness. Here family, location and scale
of the prior are unknown too: integrated over a fixed number of nodes, drawn with the rates, never plugged in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossfair import checks
from crossfair.counts import Counts
from crossfair.errors import invalid
from crossfair.estimators._clusters import TwoGroups
from crossfair.estimators._design import Design
from crossfair.estimators._effects import Effects
from crossfair.estimators._exchangeable import Exchangeable
from crossfair.estimators._family import AllEqual, Drawable, Family
from crossfair.estimators._likelihood import Floats, Ints, Likelihood, blocks
from crossfair.estimators._shapes import SHAPES
from crossfair.estimators.pooled import PooledFit

#: Prior weight of each family; those that the data cannot have are left out.
FAMILIES = {
    "logit-normal": 0.06,
    "Beta": 0.06,
    "logit-t": 0.63,
    "main effects": 0.12,
    "two groups": 0.1,
    "all equal": 0.03,
}
TELLING = 0.005  # a family with less weight is not named
DRAWN_NODES = 100  # distinct priors among the draws, each drawn about equally often


@dataclass(frozen=True)
class Hierarchical:
    """Draws of all rates from their joint posterior under an inferred prior, families averaged by evidence.

    >>> rng = np.random.default_rng(0)
    >>> rates = Hierarchical(draws=500).draw([30, 0, 50], [100, 2, 100], rng)
    >>> rates.shape
    (500, 3)
    """

    draws: int = 1000

    name: ClassVar[str] = "hierarchical"
    drawn: ClassVar[bool] = True
    summary: ClassVar[str] = "median"

    def __post_init__(self) -> None:
        checks.whole("draws", self.draws, least=1)

    @property
    def smooths(self) -> bool:
        """Whether a cell without records still has a rate."""
        return True

    def words(self) -> str:
        """The prior, in words."""
        return "an inferred prior that the cells share, averaged over families by their evidence"

    def apply(self, counts: Counts, seed: int) -> PooledFit:
        """Apply to counts."""
        return PooledFit(partial(_fit, design=Design.of(counts.cells.codes)), self.draws, seed)

    def fit(self, successes: ArrayLike, trials: ArrayLike, codes: Ints | None = None) -> Posterior:
        """Return the posterior, which states its prior and its means and can be drawn from.

        `codes` (cells, attributes) are the levels of each cell's attributes, for main effects.
        """
        return _fit(successes, trials, None if codes is None else Design.of(codes))

    def draw(self, successes: ArrayLike, trials: ArrayLike, rng: np.random.Generator) -> Floats:
        """Return rates (draws, cells) from the joint posterior."""
        return self.fit(successes, trials).draw(rng, self.draws)


def _fit(successes: ArrayLike, trials: ArrayLike, design: Design | None) -> Posterior:
    return Posterior.of(Likelihood.of(*_checked(successes, trials)), design)


def _checked(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    yes, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    if yes.ndim != 1 or yes.shape != n.shape or not len(n):
        shapes = f"shapes {yes.shape} and {n.shape}"
        raise invalid(
            "successes and trials", "must be one number per cell each, for at least one cell", got=shapes
        )
    bad = ~(np.isfinite(n) & (yes >= 0) & (yes <= n))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        came = f"{yes[first]} of {n[first]} in cell {first}"
        raise invalid("successes", "must lie between 0 and the trials, which must be finite", got=came)
    return yes, n


@dataclass(frozen=True)
class Posterior:
    """The joint posterior of the rates: families of priors, and the weight of every node of each.

    >>> posterior = Hierarchical().fit([300, 420, 1], [1000, 1000, 2])
    >>> posterior.means.round(1)
    array([0.3, 0.4, 0.4])
    """

    likelihood: Likelihood
    families: tuple[Family, ...]
    weights: tuple[Floats, ...]

    @classmethod
    def of(cls, likelihood: Likelihood, design: Design | None = None) -> Posterior:
        """Weight every node of every family by its prior and its evidence."""
        families = _families(likelihood, design)
        logs = [np.log(share) + family.log_weight for family, share in families]
        highest = max(log.max() for log in logs)
        # Rounded, so that the last bits of a matrix product cannot decide which nodes are drawn.
        weights = [np.round(np.exp(log - highest), 12) for log in logs]
        total = sum(weight.sum() for weight in weights)
        return cls(likelihood, tuple(f for f, _ in families), tuple(weight / total for weight in weights))

    @cached_property
    def means(self) -> Floats:
        """Posterior mean rate of each cell."""
        pairs = zip(self.families, self.weights)
        return np.asarray(sum(family.means(weights) for family, weights in pairs if weights.any()))

    @cached_property
    def prior(self) -> str:
        """The prior in words, with what was inferred about it."""
        shares = [(weights.sum(), family.name) for family, weights in zip(self.families, self.weights)]
        told = [
            f"{name} {100 * share:.0f} %" for share, name in sorted(shares, reverse=True) if share >= TELLING
        ]
        families = ", ".join(told)
        weights = np.concatenate(self.weights) * (self._spreads > 0)
        order = np.argsort(self._spreads)
        cumulative = np.cumsum(weights[order])
        low, middle, high = self._spreads[order][
            np.searchsorted(cumulative, np.array([0.025, 0.5, 0.975]) * cumulative[-1])
        ]
        return (
            f"the cells' rates share an inferred prior: {families}; "
            f"unless all are equal, the spread of their log odds is {middle:.2g} ({low:.2g} to {high:.2g})"
        )

    @cached_property
    def _spreads(self) -> Floats:
        return np.concatenate([family.spread for family in self.families])

    def draw(self, rng: np.random.Generator, draws: int = 1000) -> Floats:
        """Return rates (draws, cells) from the joint posterior."""
        rates = np.empty((draws, len(self.likelihood.rows)))
        for cells, block in self.blocks(rng, draws):
            rates[:, cells] = block
        return rates

    def blocks(self, rng: np.random.Generator, draws: int = 1000) -> Iterator[tuple[slice, Floats]]:
        """Yield the draws for a bounded number of cells at a time; all blocks share the drawn priors."""
        chosen = self._choose(rng, draws)
        groups = [np.flatnonzero(chosen == node) for node in np.unique(chosen)]
        priors = [self._prior(int(chosen[which[0]]), len(which), rng) for which in groups]
        for cells in blocks(len(self.likelihood.rows)):
            rates = np.empty((draws, cells.stop - cells.start))
            for which, prior in zip(groups, priors):
                rates[which] = prior.sample(cells, len(which), rng)
            yield cells, rates

    def _prior(self, node: int, count: int, rng: np.random.Generator) -> Drawable:
        starts = np.cumsum([0, *(len(weights) for weights in self.weights)])
        place = int(np.searchsorted(starts, node, side="right")) - 1
        return self.families[place].prior(node - int(starts[place]), count, rng)

    def _choose(self, rng: np.random.Generator, draws: int) -> NDArray[np.int64]:
        """Draw a node for each draw, by systematic sampling along the spreads."""
        order = np.argsort(self._spreads, kind="stable")
        cumulative = np.cumsum(np.concatenate(self.weights)[order])
        distinct = min(DRAWN_NODES, draws)
        levels = (np.arange(distinct) + rng.random(distinct)) / distinct * cumulative[-1]
        nodes = order[np.minimum(np.searchsorted(cumulative, levels), len(order) - 1)]
        return rng.permutation(np.resize(rng.permutation(nodes), draws))


def _families(likelihood: Likelihood, design: Design | None) -> list[tuple[Family, float]]:
    """The families that the cells can have, each with its prior weight."""
    families: list[tuple[Family, float]] = [
        (Exchangeable.of(shape, likelihood), FAMILIES[shape]) for shape in SHAPES
    ]
    if design is not None:
        families.append((Effects.of(likelihood, design), FAMILIES["main effects"]))
    families.append((TwoGroups.of(likelihood), FAMILIES["two groups"]))
    families.append((AllEqual(likelihood), FAMILIES["all equal"]))
    return families
