"""What a policy recognises in the values of a record: levels of its attributes, and a positive prediction.

Each value is judged by itself, so that a decision never depends on the other records of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crossfair import outcomes, values
from crossfair.cells import range_names
from crossfair.errors import InputError, invalid
from crossfair.outcomes import Outcomes
from crossfair.values import Value

Ints = NDArray[np.int64]

NONE = -1


def levels(distinct: Sequence[Value], level: Sequence[Value], name: str) -> Ints:
    """Return the code of each value's level, −1 for a value that is none; what reads alike is refused.

    >>> levels(["1", None, 1], [0, 1, None], "children").tolist()
    [1, 2, 1]
    """
    matched = values.match(list(dict.fromkeys(distinct)), level, f"attribute {name!r}")
    place = {value: code for code, value in enumerate(level)}
    return np.array(
        [place[matched[value]] if value in matched else NONE for value in distinct], dtype=np.int64
    )


def ranges(edges: Sequence[float], level: Sequence[Value], name: str) -> Ints:
    """Return the code of the level of each range that edges cut, and last that of a number that is missing.

    >>> ranges([30, 50], ["≤ 30", "> 50", None], "age").tolist()
    [0, -1, 1, 2]
    """
    return levels([*range_names(edges), None], level, name)


def flag(value: Value, known: Outcomes) -> bool | None:
    """Return whether a prediction says positive; None where it is nothing that the policy knows.

    It is one of the outcomes, or else 0/1 or False/True, if the outcomes are of another kind.

    >>> known = Outcomes(("no", "yes"), "yes")
    >>> flag("yes", known), flag(0, known), flag("maybe", known)
    (True, False, None)
    """
    matched = values.meanings([value], known.values, "prediction")
    if value in matched:
        return matched[value] == known.positive
    kinds = {values.reads_as(outcome) for outcome in known.values}
    return None if values.reads_as(value) in kinds else outcomes.as_flag(value)


def unknown_prediction(unknown: Sequence[Value], known: Outcomes) -> InputError:
    """Build the error for predictions that are nothing the policy knows."""
    return invalid(
        "prediction",
        f"must hold the outcomes that the policy knows, {', '.join(map(repr, known.values))}, or 0/1",
        got=", ".join(repr(value) for value in sorted(unknown, key=values.sort_key)),
    )
