"""Data of any kind → Sample: a frame, a dict of columns, files, Counts or Curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal

from crossfair import sample, shards
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import choose, invalid
from crossfair.outcomes import Outcomes
from crossfair.policy import Policy
from crossfair.reading import Reading
from crossfair.sample import Sample
from crossfair.terms import Source

OPTIONS = tuple(option.name for option in fields(Reading))

# Options that say how to read records have no meaning for tables that are counted already; these are unset.
DEFAULTS = {"missing": "level", "threshold": 0.5}


def read_sample(data: Any, options: Mapping[str, Any]) -> Sample:
    """Read data by the reading options; those left out are None or absent. A sample is one already."""
    if isinstance(data, Sample):
        _refuse(options, ())
        return data
    data = shards.load(data)
    if isinstance(data, Counts | Curves):
        return _counted(data, options)
    if options.get("by") is None:
        raise invalid("by", "must name at least one attribute", got="none")
    reading = Reading(**{name: value for name, value in options.items() if value is not None})
    column = reading.score or reading.prediction
    if reading.label is None:
        raise invalid("label", "a repair needs the column of true outcomes", got="none")
    if column is None:
        raise invalid("score, prediction", "a repair needs the column of one of them", got="neither")
    from crossfair import frames

    like = frames.library(data)
    if reading.score is None:
        counts = frames.read_counts(data, reading)
        return sample.from_counts(counts, _source("prediction", column, counts.outcomes, reading), like)
    curves = frames.read_curves(data, reading)
    known = Outcomes((curves.positive,), curves.positive)
    return Sample(curves, _source("score", column, known, reading), like)


def read_like(policy: Policy, data: Any, options: Mapping[str, Any]) -> Sample:
    """Read data as those that the policy was fitted to, but for the options given."""
    for name in options:
        choose("option", name, OPTIONS)
    data = shards.load(data)
    if isinstance(data, Counts | Curves):
        fitted = {"threshold": policy.source.threshold} if isinstance(data, Curves) else {}
        read = _counted(data, fitted | dict(options))
    elif isinstance(data, Sample):
        read = read_sample(data, options)
    else:
        read = read_sample(data, as_fitted(policy, options))
    if read.source.kind != policy.source.kind:
        raise invalid("data", f"the policy decides by a {policy.source.kind}", got=f"a {read.source.kind}")
    lacking = [name for name in policy.decide_by if name not in read.curves.cells.by]
    if lacking:
        raise invalid(
            "by", f"must hold the attributes {', '.join(policy.decide_by)}", got=read.curves.cells.by
        )
    return read


def as_fitted(policy: Policy, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reading options of the data that the policy was fitted to, but for those given."""
    source = policy.source
    fitted: dict[str, Any] = {
        "by": policy.by,
        "bins": policy.cells.bins,
        "label": source.label,
        "positive": source.outcomes.positive,
        "weight": source.weight,
        "missing": source.missing,
        "threshold": source.threshold,
    }
    if not {"score", "prediction"} & set(options):
        fitted[source.kind] = source.column
    return fitted | dict(options)


def _source(kind: Literal["score", "prediction"], column: str, known: Outcomes, reading: Reading) -> Source:
    threshold = 1.0 if kind == "prediction" else reading.threshold
    missing: Any = reading.missing
    return Source(kind, column, threshold, known, reading.label, reading.weight, missing)


def _counted(data: Counts | Curves, options: Mapping[str, Any]) -> Sample:
    """Tables that are counted already: counts can be seen otherwise, curves only thresholded otherwise."""
    _refuse(options, ("threshold",) if isinstance(data, Curves) else ("by", "positive"))
    if isinstance(data, Curves):
        known = Outcomes((data.positive,), data.positive)
        return Sample(data, Source("score", None, float(options.get("threshold", 0.5)), known))
    for column, there in (("label", data.has_label), ("prediction", data.has_prediction)):
        if not there:
            raise invalid("data", f"a repair needs counts with a {column}", got=f"counts without a {column}")
    if data.suppressed_below is not None:
        raise invalid("data", "a repair needs the counts of every cell", got="counts with small cells merged")
    by, positive = options.get("by"), options.get("positive")
    counts = data if by is None else data.marginal(by)
    counts = counts if positive is None else counts.towards(positive)
    return sample.from_counts(counts, Source("prediction", None, 1.0, counts.outcomes))


def _refuse(options: Mapping[str, Any], left: Sequence[str]) -> None:
    """Refuse options that have no meaning for data that are read already, but for those left."""
    for name, value in options.items():
        if value is not None and name not in left and value != DEFAULTS.get(name):
            raise invalid(name, "says how to read records, but the data are counted already", got=value)
