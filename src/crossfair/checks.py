"""Checks of scalar arguments: each returns the value, or raises naming the argument and the rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from crossfair.errors import invalid


def real(value: Any) -> bool:
    """Whether a value is a number that fits a float; truth values are none.

    >>> real(3), real(float("inf")), real(True), real("3"), real(10**400)
    (True, True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def number(argument: str, value: Any, *, least: float = 0.0, strict: bool = False) -> float:
    """Return a finite number of at least `least` (above it, if strict).

    >>> number("alpha", -1)
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: alpha: must be a finite number of at least 0; got -1.
    """
    if not real(value) or not math.isfinite(value) or value < least or (strict and value == least):
        words = "above" if strict else "of at least"
        raise invalid(argument, f"must be a finite number {words} {least:g}", got=repr(value))
    return float(value)


def whole(argument: str, value: Any, *, least: int = 0, most: int | None = None) -> int:
    """Return an integer within bounds.

    >>> whole("draws", 0, least=1)
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: draws: must be an integer of at least 1; got 0.
    """
    integral = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integral or value < least or (most is not None and value > most):
        words = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise invalid(argument, f"must be an integer {words}", got=repr(value))
    return int(value)


def probability(argument: str, value: Any) -> float:
    """Return a number strictly between 0 and 1.

    >>> probability("level", 95)
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: level: must lie strictly between 0 and 1; got 95.
    """
    if not real(value) or not 0 < value < 1:
        raise invalid(argument, "must lie strictly between 0 and 1", got=repr(value))
    return float(value)


def mapping(argument: str, value: Any, rule: str) -> Mapping[str, Any]:
    """Return what maps names to values.

    >>> mapping("bins", [50], "must map attributes to edges")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: bins: must map attributes to edges; got [50].
    """
    if not isinstance(value, Mapping):
        raise invalid(argument, rule, got=repr(value))
    return value
