"""Numbers that come as text, as from a CSV: one rule for every engine, and for a single item."""

from __future__ import annotations

import decimal
import math
import numbers
import re
from typing import Any

import numpy as np

from crossfair import values
from crossfair.errors import invalid

# For every engine's regular expressions. An empty text, NaN and the infinities are no numbers but say so;
# any other text is an error.
NUMERAL = r"^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
NO_NUMERAL = r"^(?i:[+-]?(?:nan|inf|infinity))?$"


def parse_number(item: Any, argument: str, name: str) -> float | None:
    """Return the number an item holds, NaN when it is missing, None when it is text that spells no number.

    >>> [parse_number(item, "bins", "age") for item in (" 2.5 ", "", "old")]
    [2.5, nan, None]
    """
    if isinstance(item, str):
        text = item.strip(" \t\r\n")
        if re.match(NUMERAL, text):
            return float(text)
        return math.nan if re.match(NO_NUMERAL, text) else None
    if isinstance(item, (bool, np.bool_)) or is_number(type(item)):
        return float(item)
    if values.normalise(item, name) is None:
        return math.nan
    raise invalid(argument, f"{name!r} must hold numbers", got=f"{item!r} of type {type(item).__name__}")


def is_number(kind: type) -> bool:
    """Whether a type is one of numbers; booleans are not.

    >>> is_number(float), is_number(bool)
    (True, False)
    """
    return issubclass(kind, (numbers.Real, decimal.Decimal)) and not issubclass(kind, bool)
