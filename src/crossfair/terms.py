"""Terms: what a repair was asked, and what it was fitted to. Both are kept in the policy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from crossfair.errors import choose, invalid
from crossfair.metrics import metric
from crossfair.outcomes import Outcomes


@dataclass(frozen=True)
class Source:
    """What the policy was fitted to, and what it reads: a score, or a binary prediction as a score of 0 or 1.

    `column`, `label` and `weight` are names, None where the data had none. The given decision is a score of
    `threshold` or more.

    >>> Source("prediction", "yhat", 1.0, Outcomes((0, 1), 1)).kind
    'prediction'
    """

    kind: Literal["score", "prediction"]
    column: str | None
    threshold: float
    outcomes: Outcomes
    label: str | None = None
    weight: str | None = None
    missing: Literal["level", "drop", "error"] = "level"

    def __post_init__(self) -> None:
        choose("kind", self.kind, ("score", "prediction"))
        choose("missing", self.missing, ("level", "drop", "error"))
        if not math.isfinite(self.threshold):
            raise invalid("threshold", "must be a finite number", got=self.threshold)


@dataclass(frozen=True)
class Terms:
    """What was asked of the repair: the method, the limit on ε per metric, the costs, the smoothing.

    >>> Terms("derived", {"fpr_parity": 0.2}).min_support
    10
    """

    method: str
    limits: Mapping[str, float]
    false_positive: float = 1.0
    false_negative: float = 1.0
    monotone: bool = True
    penalty: float | None = None
    penalty_form: Literal["indicator", "hinge"] = "indicator"
    min_support: int = 10
    alpha: float = 0.01
    beta: float = 0.01

    def __post_init__(self) -> None:
        choose("penalty_form", self.penalty_form, ("indicator", "hinge"))
        for name, limit in self.limits.items():
            metric(name, "limits")
            if not limit >= 0:
                raise invalid(f"limits: {name}", "the limit on ε must be a number, 0 or more", got=limit)
