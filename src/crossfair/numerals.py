"""How numbers are written wherever people read them: terminal, page, notebook."""

from __future__ import annotations

import math
from collections.abc import Callable

NONE = "–"
INFINITE = "∞"


def number(value: float | None) -> str:
    """Return an ε to three decimals; a dash where there is none.

    >>> number(8.14765), number(float("inf")), number(None)
    ('8.148', '∞', '–')
    """
    if value is None:
        return NONE
    return f"{value:.3f}" if math.isfinite(value) else INFINITE


def span(show: Callable[[float], str], low: float | None, high: float | None) -> str:
    """Return an interval whose ends are shown by `show`; a dash where there is none.

    >>> span(number, 0.5, 1.25), span(number, None, None)
    ('0.500 – 1.250', '–')
    """
    return NONE if low is None or high is None else f"{show(low)} – {show(high)}"


def factor(value: float) -> str:
    """Return a ratio to about three digits.

    >>> factor(1.2346), factor(34.56), factor(3455.25), factor(3e9), factor(float("inf"))
    ('1.23', '34.6', '3,455', '3.0e+09', '∞')
    """
    if not math.isfinite(value):
        return INFINITE
    if value >= 1e6:
        return f"{value:.1e}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def amount(value: float) -> str:
    """Return a number of records, or a sum of weights.

    >>> amount(32560), amount(0.125)
    ('32,560', '0.125')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def counted(records: float) -> str:
    """A number of records; an expected one, or a sum of weights, to one decimal.

    >>> counted(1200), counted(0.2397)
    ('1,200', '0.2')
    """
    return amount(records) if records == int(records) else f"{records:,.1f}"


def share(value: float | None) -> str:
    """Return a rate to four decimals, a tiny one so that it does not look like 0; a dash where there is none.

    >>> share(0.24081), share(0.00003), share(0.0), share(None)
    ('0.2408', '3.0e-05', '0.0000', '–')
    """
    if value is None:
        return NONE
    return f"{value:.1e}" if 0 < value < 0.0005 else f"{value:.4f}"


def percent(value: float | None) -> str:
    """Return a rate as a percentage; a tiny one so that it does not look like 0, nor one near 1 like 1.

    >>> percent(0.24081), percent(0.00003), percent(0.99999), percent(1.0), percent(None)
    ('24.1 %', '< 0.1 %', '> 99.9 %', '100 %', '–')
    """
    if value is None:
        return NONE
    if 0 < value < 0.001:
        return "< 0.1 %"
    if 0.999 < value < 1:
        return "> 99.9 %"
    return f"{100 * value:.0f} %" if value in (0, 1) else f"{100 * value:.1f} %"
