"""From the names of metrics to limits on rates, and what cannot be limited, with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from crossfair.errors import invalid
from crossfair.metrics import METRICS, Metric, metric
from crossfair.mitigation.problem import Limit

LINEAR = frozenset({"selection", "tpr", "fpr", "tnr", "fnr"})
SUPPORTED = tuple(name for name, known in METRICS.items() if LINEAR.issuperset(r.name for r in known.rates))


def read_limits(limits: Mapping[str, float]) -> tuple[Limit, ...]:
    """Return the limits on rates that limits on metrics mean; a rate limited twice keeps the tighter one.

    >>> limits = read_limits({"equalized_odds": 0.2, "fpr_parity": 0.1})
    >>> [(limit.rate.name, limit.epsilon) for limit in limits]
    [('tpr', 0.2), ('fpr', 0.1)]
    """
    tightest: dict[str, Limit] = {}
    for name, epsilon in limits.items():
        known = metric(name, "limits")
        _check_supported(known)
        for rate in known.rates:
            limit = Limit(known.name, rate, _number(known.name, epsilon))
            other = tightest.get(rate.name, limit)
            tightest[rate.name] = min(limit, other, key=lambda one: one.epsilon)
    return tuple(tightest.values())


def _number(name: str, epsilon: object) -> float:
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)):
        raise invalid(f"limits: {name}", "the limit on ε must be a number, 0 or more", got=epsilon)
    return float(epsilon)


def _check_supported(known: Metric) -> None:
    if known.name in SUPPORTED:
        return
    if not known.needs_prediction:
        reason = "depends on the labels alone, so no policy can change it"
    elif known.name == "accuracy_parity":
        reason = "counts accepted positives and rejected negatives together, which no threshold moves one way"
    else:
        reason = "divides by the number accepted or rejected, so it is not linear in the policy"
    raise invalid(
        f"limits: {known.name}",
        f"cannot be limited: it {reason}",
        hint=f"Limit one of {', '.join(SUPPORTED)}.",
    )
