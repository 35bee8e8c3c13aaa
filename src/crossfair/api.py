"""The functions that take data: a frame, a dict of columns, a path or glob, Counts or Curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from crossfair import checks, shards
from crossfair.auditing import Audit, Outcomes, Settings, run_audit
from crossfair.comparison import Comparison, compare_audits
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import invalid
from crossfair.estimators import registry
from crossfair.estimators.base import Estimator
from crossfair.estimators.hierarchical import Hierarchical
from crossfair.reading import Reading
from crossfair.suppression import suppress

four_fifths = -math.log(0.8)


def count(
    data: Any,
    *,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    label: str | None = None,
    positive: Any = None,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float = 0.5,
    weight: str | None = None,
    missing: str = "level",
    table: str | None = None,
    suppress_below: int | None = None,
) -> Counts:
    """Count records per cell, label and prediction; with `suppress_below`, no count under it can be told.

    Files of counts (`Counts.save("may.counts")`) are added up; `by` and `positive` then choose among what
    they hold, and the other options are left out.

    >>> people = {"sex": ["F", "M", "F"], "hired": [1, 1, 0]}
    >>> count(people, by="sex", label="hired").records
    3
    """
    data = shards.load(data)
    if isinstance(data, Counts | Curves):
        given = {"label": label, "prediction": prediction, "score": score, "weight": weight, "bins": bins,
                 "table": table, "missing": None if missing == "level" else missing,
                 "threshold": None if threshold == 0.5 else threshold}  # fmt: skip
        counts = _of_counts(data, by, positive, given)
        return _suppressed(counts, suppress_below)
    reading = Reading(
        _required(by), bins, label, positive, prediction, score, threshold, weight, missing, table
    )
    from crossfair import frames

    return _suppressed(frames.read_counts(data, reading), suppress_below)


def curves(
    data: Any,
    *,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    label: str | None = None,
    positive: Any = None,
    score: str | None = None,
    weight: str | None = None,
    missing: str = "level",
    table: str | None = None,
    bits: int | None = None,
    most_steps: int = 10_000_000,
) -> Curves:
    """Count records per cell, label and distinct score; with `bits`, per bin 2^−bits wide.

    Without `bits`, data that are not in this process' memory are binned, as finely as can be, if their exact
    curves would have more than `most_steps` rows: `exact`, `bits`, `resolution` and `auc_error` tell.
    Files of curves (`Curves.save("may.curves")`) are added up, by no other option.

    >>> people = {"sex": ["F", "M", "F"], "hired": [1, 1, 0], "p": [0.7, 0.6, 0.2]}
    >>> curves(people, by="sex", label="hired", score="p").scores.tolist()
    [0.7, 0.2, 0.6]
    """
    data = shards.load(data)
    if isinstance(data, Counts | Curves):
        given = {"by": by, "bins": bins, "label": label, "positive": positive, "score": score}
        return _of_curves(data, given | {"weight": weight, "table": table, "bits": bits})
    reading = Reading(
        _required(by), bins, label, positive, score=score, weight=weight, missing=missing, table=table
    )
    from crossfair import frames

    return frames.read_curves(
        data, reading, bits=bits, most_steps=checks.whole("most_steps", most_steps, least=1)
    )


def audit(
    data: Any,
    *,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    label: str | None = None,
    positive: Any = None,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float = 0.5,
    weight: str | None = None,
    missing: str = "level",
    table: str | None = None,
    metrics: Sequence[str] | str | None = None,
    outcomes: Outcomes = "positive",
    estimator: Estimator | str | None = None,
    level: float = 0.95,
    min_support: float = 1,
    seed: int = 0,
    suppress_below: int | None = None,
) -> Audit:
    """Measure ε of every metric over the intersections of the attributes, with its uncertainty and evidence.

    `data` may be `Counts` or files of them, which add up; then the reading options are left out, but for
    `by` and `positive`, which choose among their attributes and outcomes. With `suppress_below` small cells
    are merged before anything is measured, so that no result tells a count under it.

    >>> people = {"sex": ["F", "M"] * 50, "hired": [1, 1, 0, 1, 0] * 20}
    >>> found = audit(people, by="sex", label="hired", metrics="impact_ratio", estimator="smoothed")
    >>> round(found["impact_ratio"].epsilon, 3)
    0.0
    """
    settings = Settings(_estimator(estimator), outcomes, level, min_support, seed)
    data = shards.load(data)
    counts = count(
        data,
        by=by,
        bins=bins,
        label=label,
        positive=positive,
        prediction=prediction,
        score=score,
        threshold=threshold,
        weight=weight,
        missing=missing,
        table=table,
        suppress_below=suppress_below,
    )
    if isinstance(data, Counts):
        return run_audit(counts, settings, metrics)
    from crossfair import frames

    return run_audit(counts, settings, metrics, like=frames.library(data))


def compare(audit_a: Audit, audit_b: Audit) -> Comparison:
    """Say how many times the bias of the second audit is that of the first: exp(ε_b − ε_a) per metric.

    >>> people = {"sex": ["F", "M"] * 50, "hired": [1, 1, 0, 1, 0] * 20}
    >>> found = audit(people, by="sex", label="hired", estimator="smoothed")
    >>> compare(found, found)["impact_ratio"].amplification
    1.0
    """
    return compare_audits(audit_a, audit_b)


def _required(by: str | Sequence[str] | None) -> str | Sequence[str]:
    if by is None:
        raise invalid("by", "must name at least one attribute", got="none")
    return by


def _estimator(given: Estimator | str | None) -> Estimator:
    if given is None:
        return Hierarchical()
    if isinstance(given, str):
        return registry.build(given)
    if type(given) not in registry.ESTIMATORS.values():
        known = ", ".join(f"{kind.__name__}()" for kind in registry.ESTIMATORS.values())
        raise invalid("estimator", f"must be one of {known}", got=given)
    return given


def _of_counts(
    data: Counts | Curves, by: str | Sequence[str] | None, positive: Any, given: Mapping[str, Any]
) -> Counts:
    """Counts that are there already, over fewer attributes or towards another outcome."""
    if isinstance(data, Curves):
        raise invalid("data", "must be records or counts", got="curves of scores",
                      hint="Count the records at the threshold that is in use.")  # fmt: skip
    _refuse_reading(given, "counts")
    counts = data if by is None else data.marginal(by)
    return counts if positive is None else counts.towards(positive)


def _of_curves(data: Counts | Curves, given: Mapping[str, Any]) -> Curves:
    if isinstance(data, Counts):
        raise invalid("data", "must be records or curves", got="counts, which hold no scores")
    _refuse_reading(given, "curves")
    return data


def _suppressed(counts: Counts, below: int | None) -> Counts:
    return counts if below is None else suppress(counts, below)


def _refuse_reading(options: Mapping[str, Any], kind: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise invalid(name, f"says how to read records, but the data are {kind} already", got=value)
