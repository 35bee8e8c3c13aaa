"""Rates and metrics as data: masks over (label, prediction), and the registry of named metrics.

The audit divides sums of counts under these masks; the mitigation reads the same masks as linear
coefficients. Adding a metric is adding one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import choose

Comparison = Literal["between", "population"]
Mask = NDArray[np.bool_]


def _mask(*pairs: str) -> Mask:
    """Mask over [label, prediction] from pairs such as "10" (label 1, prediction 0); "*" is either."""
    mask = np.zeros((2, 2), dtype=np.bool_)
    for pair in pairs:
        rows, columns = (slice(None) if sign == "*" else slice(int(sign), int(sign) + 1) for sign in pair)
        mask[rows, columns] = True
    mask.flags.writeable = False
    return mask


@dataclass(frozen=True, eq=False)
class Rate:
    """A conditional probability per cell: P(numerator | denominator), both masks over [label, prediction].

    >>> rate("tpr").numerator.astype(int).tolist()
    [[0, 0], [0, 1]]
    """

    name: str
    words: str
    numerator: Mask
    denominator: Mask

    @property
    def needs_label(self) -> bool:
        """Whether the rate depends on the label."""
        return self._depends_on(0)

    @property
    def needs_prediction(self) -> bool:
        """Whether the rate depends on the prediction."""
        return self._depends_on(1)

    def _depends_on(self, axis: int) -> bool:
        return any(bool((mask != np.flip(mask, axis)).any()) for mask in (self.numerator, self.denominator))


@dataclass(frozen=True)
class Metric:
    """One or more rates, and how they are compared: between cells, or with the whole population.

    >>> [rate.name for rate in metric("equalized_odds").rates]
    ['tpr', 'fpr']
    """

    name: str
    words: str
    rates: tuple[Rate, ...]
    comparison: Comparison = "between"

    @property
    def needs_label(self) -> bool:
        """Whether any of its rates depends on the label."""
        return any(rate.needs_label for rate in self.rates)

    @property
    def needs_prediction(self) -> bool:
        """Whether any of its rates depends on the prediction."""
        return any(rate.needs_prediction for rate in self.rates)


def _rates(*rows: tuple[str, str, Mask, Mask]) -> MappingProxyType[str, Rate]:
    return MappingProxyType({row[0]: Rate(*row) for row in rows})


RATES = _rates(
    ("base", "share of positive labels", _mask("1*"), _mask("**")),
    ("selection", "selection rate", _mask("*1"), _mask("**")),
    ("tpr", "true positive rate", _mask("11"), _mask("1*")),
    ("fpr", "false positive rate", _mask("01"), _mask("0*")),
    ("tnr", "true negative rate", _mask("00"), _mask("0*")),
    ("fnr", "false negative rate", _mask("10"), _mask("1*")),
    ("ppv", "precision", _mask("11"), _mask("*1")),
    ("npv", "negative predictive value", _mask("00"), _mask("*0")),
    ("accuracy", "accuracy", _mask("00", "11"), _mask("**")),
)


def rate(name: str) -> Rate:
    """Return a rate by name.

    >>> rate("fpr").words
    'false positive rate'
    """
    return RATES[choose("rate", name, RATES)]


def _metrics(*rows: tuple[str, str, tuple[str, ...], Comparison]) -> MappingProxyType[str, Metric]:
    return MappingProxyType(
        {name: Metric(name, words, tuple(RATES[r] for r in rates), how) for name, words, rates, how in rows}
    )


METRICS = _metrics(
    ("elift", "elift", ("base",), "population"),
    ("impact_ratio", "impact ratio", ("base",), "between"),
    ("statistical_parity", "statistical parity", ("selection",), "between"),
    ("tpr_parity", "TPR parity", ("tpr",), "between"),
    ("fpr_parity", "FPR parity", ("fpr",), "between"),
    ("equalized_odds", "equalized odds", ("tpr", "fpr"), "between"),
    ("tnr_parity", "TNR parity", ("tnr",), "between"),
    ("fnr_parity", "FNR parity", ("fnr",), "between"),
    ("ppv_parity", "PPV parity", ("ppv",), "between"),
    ("npv_parity", "NPV parity", ("npv",), "between"),
    ("accuracy_parity", "accuracy parity", ("accuracy",), "between"),
)

ALIASES = MappingProxyType({"equal_opportunity": "tpr_parity", "predictive_parity": "ppv_parity"})


def metric(name: str, argument: str = "metric") -> Metric:
    """Return a metric by its name or an alias of it.

    >>> metric("equal_opportunity").name
    'tpr_parity'
    """
    chosen = choose(argument, name, [*METRICS, *ALIASES])
    return METRICS[ALIASES.get(chosen, chosen)]


def choose_among(names: Iterable[str], name: str) -> str:
    """Return which of some metrics' names is meant by a name or an alias.

    >>> choose_among(["elift", "tpr_parity"], "equal_opportunity")
    'tpr_parity'
    """
    known = list(names)
    chosen = choose("metric", name, [*known, *(alias for alias, of in ALIASES.items() if of in known)])
    return ALIASES.get(chosen, chosen)


def applicable(*, label: bool, prediction: bool) -> list[Metric]:
    """Return the metrics that can be computed with the given columns, in the registry's order.

    >>> [metric.name for metric in applicable(label=True, prediction=False)]
    ['elift', 'impact_ratio']
    """
    return [
        found
        for found in METRICS.values()
        if (label or not found.needs_label) and (prediction or not found.needs_prediction)
    ]
