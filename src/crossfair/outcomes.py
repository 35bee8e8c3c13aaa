"""Outcomes: the values of the label and the prediction, brought into one list, and which is positive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from crossfair import values
from crossfair.errors import InputError, invalid
from crossfair.values import Value

Codes = dict[Value, int]


@dataclass(frozen=True)
class Outcomes:
    """The outcomes in canonical order, and the positive one where it is known.

    >>> outcomes, of_label, of_prediction = resolve(["<=50K", ">50K"], [0, 1], ">50K")
    >>> outcomes.values, of_prediction
    (('<=50K', '>50K'), {0: 0, 1: 1})
    """

    values: tuple[Value, ...]
    positive: Value

    @property
    def canonical(self) -> bool:
        """Whether the outcomes are distinct, in order, not missing, and the positive one is among them."""
        known = list(self.values)
        ordered = known == sorted(set(known), key=values.sort_key) and None not in known
        return ordered and (self.positive is None or self.positive in known)

    def towards(self, positive: Any) -> Self:
        """Return the outcomes with another positive one of them."""
        found = find_positive(self.values, positive)
        if found is None:
            raise _unknown_positive(self.values, positive)
        return type(self)(self.values, found)

    @property
    def positive_code(self) -> int:
        """Position of the positive outcome; an error when none was named."""
        if self.positive is None:
            shown = ", ".join(repr(value) for value in self.values[:5])
            raise invalid(
                "positive",
                "must name the positive outcome when the values are not 0/1 or False/True",
                got=f"the values {shown}{', …' if len(self.values) > 5 else ''}",
                hint=f'Say positive={self.values[-1]!r}, or outcomes="all" in an audit.',
            )
        return self.values.index(self.positive)


def resolve(
    labels: Sequence[Value], predictions: Sequence[Value], positive: Any = None
) -> tuple[Outcomes, Codes, Codes]:
    """Return the outcomes of a label and a prediction column, and the code of each value of either column.

    `labels` and `predictions` are the distinct values without the missing ones; either may be empty
    when there is no such column. Predictions of 0/1 or False/True say whether the outcome is positive.
    """
    values.check_column(labels, "label")
    values.check_column(predictions, "prediction")
    given = labels or predictions
    chosen = _positive(given, predictions, positive)
    known = _complete(given, chosen)
    if not labels or not predictions:
        return Outcomes(tuple(known), chosen), _codes(labels, known), _codes(predictions, known)
    matched = values.meanings(predictions, known, "prediction")
    flags = {value: as_flag(value) for value in predictions}
    if len(matched) < len(predictions) and None not in flags.values():
        return _meet_flags(labels, {value: bool(flag) for value, flag in flags.items()}, known, chosen)
    shard = len(labels) == 1 and as_flag(labels[0]) is None  # its predictions may all be other outcomes
    if not matched and not shard:
        raise invalid(
            "prediction",
            f"must hold values of the label ({', '.join(map(repr, known[:5]))}) or 0/1",
            got=", ".join(repr(value) for value in list(predictions)[:5]),
        )
    new = [value for value in predictions if value not in matched]
    known = sorted([*known, *new], key=values.sort_key)
    values.check_column(known, "prediction")
    of_prediction = {value: known.index(matched.get(value, value)) for value in predictions}
    return Outcomes(tuple(known), chosen), _codes(labels, known), of_prediction


def as_flag(value: Value) -> bool | None:
    """Return what 0/1, False/True or text that spells them says; None for any other value.

    >>> as_flag("true"), as_flag(0), as_flag("no")
    (True, False, None)
    """
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.casefold() in ("0", "1", "false", "true"):
        return value.casefold() in ("1", "true")
    return None


def find_positive(given: Sequence[Value], positive: Any) -> Value:
    """Return the one of the given values that `positive` means; None where it means none of them.

    >>> find_positive(["no", "yes"], "yes"), find_positive([False, True], "1")
    ('yes', True)
    """
    wanted = values.normalise(positive, "positive")
    matched = values.meanings([wanted], given, "positive")
    flag = as_flag(wanted)
    return matched[wanted] if wanted in matched else None if flag is None else _flag_counterpart(given, flag)


def _positive(given: Sequence[Value], predictions: Sequence[Value], positive: Any) -> Value:
    if positive is None:
        return _flag_counterpart(given, True)
    only_flags = all(as_flag(value) is not None for value in predictions)
    for column in (given, [] if only_flags else predictions):
        found = find_positive(column, positive)
        if found is not None:
            return found
    wanted = values.normalise(positive, "positive")
    if len(given) == 1 and (not predictions or not only_flags or as_flag(wanted) is None):
        return wanted  # a shard in which nobody has the positive outcome
    raise _unknown_positive(given, positive)


def _unknown_positive(given: Sequence[Value], positive: Any) -> InputError:
    shown = ", ".join(repr(value) for value in sorted(given, key=values.sort_key)[:10])
    return invalid("positive", f"must be one of the values of the label, {shown}", got=repr(positive))


def _flag_counterpart(given: Sequence[Value], flag: bool) -> Value:
    """The value that says `flag` in the style of the given 0/1 or False/True values, else None."""
    if not given or any(as_flag(value) is None for value in given) or len(given) > 2:
        return None
    for value in given:
        if as_flag(value) is flag:
            return value
    other = given[0]
    if isinstance(other, bool):
        return flag
    if isinstance(other, int):
        return int(flag)
    styles = {"0": "1", "1": "0", "false": "true", "true": "false", "False": "True", "True": "False"}
    return styles.get(str(other), "TRUE" if flag else "FALSE")


def _complete(given: Sequence[Value], positive: Value) -> list[Value]:
    """The outcomes in canonical order, with an unseen positive one, or one of 0/1 or False/True, added."""
    known = list(given) if positive is None or positive in given else [*given, positive]
    flag = as_flag(positive)
    if flag is not None and len(known) == 1:
        other = _flag_counterpart(known, not as_flag(known[0]))
        known += [] if other is None else [other]
    return sorted(known, key=values.sort_key)


def _codes(column: Sequence[Value], known: list[Value]) -> Codes:
    return {value: known.index(value) for value in column}


def _meet_flags(
    labels: Sequence[Value], flags: dict[Value, bool], known: list[Value], positive: Value
) -> tuple[Outcomes, Codes, Codes]:
    """Predictions that only say "positive" or not: the labels become the positive one and the rest."""
    Outcomes(tuple(known), positive).positive_code  # noqa: B018  # raises when none was named
    rest = [value for value in known if value != positive]
    other = rest[0] if len(rest) == 1 else f"not {values.show(positive)}"
    pair = sorted([other, positive], key=values.sort_key)
    of_label = {value: pair.index(positive if value == positive else other) for value in labels}
    of_prediction = {value: pair.index(positive if flag else other) for value, flag in flags.items()}
    return Outcomes(tuple(pair), positive), of_label, of_prediction
