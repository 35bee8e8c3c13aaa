"""The reading options: which columns play which part, the same for every function that takes data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossfair.cells import check_bins
from crossfair.errors import choose, invalid

MISSING_RULES = ("level", "drop", "error")


@dataclass(frozen=True)
class Reading:
    """Which columns are the attributes, the label, the prediction and the weight, and how to take them.

    `by` names one attribute or several; `bins` cuts numeric ones into ranges. Give either `prediction` or
    `score` with `threshold`. `missing` says what a missing attribute value is: a "level" of its own, or a
    reason to "drop" the record, or an "error". `table` names the table of a database file.

    >>> Reading(by="sex", label="hired").by
    ('sex',)
    >>> Reading(by=["sex", "sex"], label="hired")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: by: each column plays one part; got 'sex' named twice.
    """

    by: str | Sequence[str]
    bins: Mapping[str, Sequence[float]] | None = None
    label: str | None = None
    positive: Any = None
    prediction: str | None = None
    score: str | None = None
    threshold: float = 0.5
    weight: str | None = None
    missing: str = "level"
    table: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", _attributes(self.by))
        self._check_names()
        object.__setattr__(self, "bins", check_bins(self.bins, self.attributes))
        choose("missing", self.missing, MISSING_RULES)
        object.__setattr__(self, "threshold", _finite("threshold", self.threshold))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute columns."""
        return tuple(self.by)

    @property
    def edges(self) -> dict[str, tuple[float, ...]]:
        """The edges of each binned attribute."""
        return {name: tuple(edges) for name, edges in (self.bins or {}).items()}

    @property
    def columns(self) -> dict[str, str]:
        """The needed columns, each under the name it has inside: k0, k1, … for the attributes."""
        parts = {f"k{i}": name for i, name in enumerate(self.attributes)}
        rest = {
            "label": self.label,
            "prediction": self.prediction,
            "score": self.score,
            "weight": self.weight,
        }
        return parts | {part: name for part, name in rest.items() if name is not None}

    def _check_names(self) -> None:
        for argument in ("label", "prediction", "score", "weight", "table"):
            name = getattr(self, argument)
            if name is not None and not isinstance(name, str):
                what = "a table" if argument == "table" else "a column"
                raise invalid(argument, f"must be the name of {what}", got=name)
        if self.prediction is not None and self.score is not None:
            raise invalid(
                "prediction, score",
                "give one of them",
                got=f"both, {self.prediction!r} and {self.score!r}",
                hint="A score with a threshold makes predictions.",
            )
        if self.label is None and self.prediction is None and self.score is None:
            raise invalid("label, prediction", "at least one must be named", got="neither")
        named = list(self.columns.values())
        twice = [name for i, name in enumerate(named) if name in named[:i]]
        if twice:
            raise invalid("by", "each column plays one part", got=f"{twice[0]!r} named twice")


def _attributes(by: Any) -> tuple[str, ...]:
    names = (by,) if isinstance(by, str) else by
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise invalid("by", "must be the name of a column or a list of names", got=by)
    if not names:
        raise invalid("by", "must name at least one attribute", got="none")
    return tuple(names)


def _finite(argument: str, number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise invalid(argument, "must be a finite number", got=repr(number))
    return float(number)
