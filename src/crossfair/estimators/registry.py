"""The estimators by name, for the command line and for files."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any

from crossfair.errors import choose, malformed
from crossfair.estimators.base import Estimator
from crossfair.estimators.bayes import Bayes
from crossfair.estimators.bootstrap import Bootstrap
from crossfair.estimators.guaranteed import Guaranteed
from crossfair.estimators.hierarchical import Hierarchical
from crossfair.estimators.smoothed import Smoothed

ESTIMATORS: MappingProxyType[str, type[Any]] = MappingProxyType(
    {kind.name: kind for kind in (Hierarchical, Bayes, Bootstrap, Smoothed, Guaranteed)}
)


def build(name: str, **parameters: Any) -> Estimator:
    """Return an estimator by name.

    >>> build("bayes", draws=200).words()
    'independent Beta(0.333333, 0.333333) priors'
    """
    kind = ESTIMATORS[choose("estimator", name, ESTIMATORS)]
    for parameter in parameters:
        choose(f"estimator {name!r}: parameter", parameter, [spec.name for spec in dataclasses.fields(kind)])
    built: Estimator = kind(**parameters)
    return built


def to_json(estimator: Estimator) -> dict[str, Any]:
    """Return the JSON form: the name and the parameters."""
    names = [spec.name for spec in dataclasses.fields(ESTIMATORS[estimator.name])]
    return {"name": estimator.name, **{name: getattr(estimator, name) for name in names}}


def from_json(item: Any, source: str) -> Estimator:
    """Read the JSON form."""
    if not isinstance(item, dict) or "name" not in item:
        raise malformed(source, "its estimator must have a name and parameters", got=item)
    return build(item["name"], **{name: value for name, value in item.items() if name != "name"})
