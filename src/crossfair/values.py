"""Values of attributes and outcomes: text, integer, boolean, date or missing, and how they meet.

Engines and files disagree on types: a CSV has '1' where a frame has 1, a column with a null has 1.0.
The rules are here once: an integral float is that integer; None, null and NaN are one value, missing;
text that spells a typed value matches it when tables meet; what could be either is an error.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from crossfair.errors import InputError, invalid, malformed

Value = str | int | bool | datetime.date | None

MISSING: None = None

# What stands for a value that no table knows: equal to no value, not even to a missing one.
UNKNOWN = object()

# Python reads no integer of more than 4,300 digits; so long a text is nothing but text.
_INTEGER = re.compile(r"[+-]?\d{1,300}(\.0*)?\Z", re.ASCII)
_CANONICAL_INTEGER = re.compile(r"(0|-?[1-9]\d{0,299})\Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def normalise(raw: Any, argument: str = "value") -> Value:
    """Return what an engine delivered as one of the five kinds of value.

    >>> normalise(1.0), normalise(float("nan")), normalise("01")
    (1, None, '01')
    """
    if isinstance(raw, np.datetime64):  # one in nanoseconds has a number for an item
        raw = raw.astype("datetime64[us]").item()
    elif isinstance(raw, (np.bool_, np.integer, np.floating)):
        raw = raw.item()
    if isinstance(raw, str):
        return check_text(str.__str__(raw), argument)  # so a member of a text enumeration is text
    if raw is None or isinstance(raw, bool):
        return raw
    if isinstance(raw, int):
        return int(raw)
    if isinstance(raw, (float, Decimal)):
        return _from_real(raw, argument)
    if isinstance(raw, datetime.date):
        return _from_date(raw, argument)
    if type(raw).__name__ == "NAType":  # pandas' own missing value, without importing pandas
        return MISSING
    raise no_value(type(raw), argument, f"{raw!r} of type")


def no_value(kind: type, argument: str, came: str = "one of type") -> InputError:
    """Build the error for what is of a type that no value has."""
    return invalid(
        argument,
        "values must be text, integers, booleans, dates or missing",
        got=f"{came} {kind.__name__}",
        hint="Convert the column first.",
    )


def check_text(text: str, argument: str) -> str:
    """Return a text that a file can hold; one with half a character in it is refused.

    >>> check_text("naïve", "by")
    'naïve'
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise invalid(argument, "text must be Unicode, without lone surrogates", got=ascii(text[:80]),
                      hint="Decode the text by the encoding that it was written in.") from error  # fmt: skip
    return text


def _from_real(raw: float | Decimal, argument: str) -> Value:
    if math.isnan(raw):
        return MISSING
    if math.isfinite(raw) and raw == int(raw):
        return int(raw)
    raise invalid(
        argument,
        "values must be text, integers, booleans, dates or missing",
        got=repr(raw),
        hint=f"Cut the numbers into ranges, for example bins={{{argument!r}: [edge, …]}}.",
    )


def _from_date(raw: datetime.date, argument: str) -> Value:
    if raw != raw:  # noqa: PLR0124  # pandas' NaT is a datetime that differs from itself
        return MISSING
    if not isinstance(raw, datetime.datetime):
        return raw
    if raw.time() == datetime.time() and raw.tzinfo is None:
        return raw.date()
    raise invalid(
        argument,
        "a moment in time is no attribute value",
        got=raw.isoformat(),
        hint="Cast the column to dates or to text.",
    )


def sort_key(value: Value) -> tuple[int, int, str]:
    """Key of the canonical order: numbers, then text by code point, missing last.

    Text that spells an integer stands with the numbers, so that a CSV and a typed table agree.

    >>> sorted(["b", None, "10", "9", "a"], key=sort_key)
    ['9', '10', 'a', 'b', None]
    """
    if value is None:
        return (2, 0, "")
    if isinstance(value, int):
        return (0, int(value), "")
    text = spell(value)
    if _CANONICAL_INTEGER.match(text):
        return (0, int(text), "text")
    return (1, 0, text)


def spell(value: Value) -> str:
    """Return the one spelling in which a value is written as text.

    >>> spell(True), spell(1), spell("01"), spell(datetime.date(2020, 1, 2))
    ('True', '1', '01', '2020-01-02')
    """
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def show(value: Value) -> str:
    """Return a value as people read it.

    >>> show(None), show(3), show("Female")
    ('missing', '3', 'Female')
    """
    return "missing" if value is None else spell(value)


def distinct(column: Iterable[Value]) -> list[Value]:
    """Return each value once, in the order of appearance; 1 and True are two, though Python has them equal.

    >>> distinct([1, True, 1])
    [1, True]
    """
    items = list(column)  # of cells they are many, so that no Python runs for each
    return [value for _, value in dict.fromkeys(zip(map(type, items), items))]


def reading(value: Value) -> tuple[str, object]:
    """Return what a value says, whatever its type: two values of equal reading may be meant as one.

    >>> reading("01"), reading(1)
    (('integer', 1), ('integer', 1))
    """
    if value is None or isinstance(value, bool):
        return ("missing", "") if value is None else ("boolean", value)
    if isinstance(value, int):
        return ("integer", value)
    if isinstance(value, datetime.date):
        return ("date", value.isoformat())
    if value.casefold() in ("true", "false"):
        return ("boolean", value.casefold() == "true")
    if _INTEGER.match(value):
        return ("integer", int(value.split(".")[0]))
    return ("date" if _DATE.match(value) else "text", value)


def reads_as(value: Value) -> str:
    """Return what kind of value it is or, if text, what kind it spells.

    >>> reads_as("12"), reads_as(True), reads_as("yes"), reads_as(None)
    ('integer', 'boolean', 'text', 'missing')
    """
    return reading(value)[0]


def _same_spelling(text: str, typed: Value) -> bool:
    if isinstance(typed, bool):
        return text.casefold() == spell(typed).casefold()
    return text == spell(typed)


def check_column(values: Iterable[Value], argument: str) -> None:
    """Refuse a set of values in which two of different type may be meant as one.

    >>> check_column(["01", 1], "by: 'zip'")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: by: 'zip': two values of different type read alike; got '01' and 1. ...
    """
    found = distinct(values)
    kinds = {type(value) for value in found}
    if kinds <= {str, type(None)}:
        return  # text alone is never ambiguous: '01' and '1' are two values
    readings = {reading(value)[0] for value in found}
    if bool in kinds and "integer" in readings:
        raise invalid(
            argument,
            "booleans and integers in one column read alike",
            got="True or False beside integers",
            hint="Convert the column to one type.",
        )
    seen: dict[tuple[str, object], Value] = {}
    for value in found:
        other = seen.setdefault(reading(value), value)
        if type(other) is not type(value):
            raise invalid(
                argument,
                "two values of different type read alike",
                got=f"{other!r} and {value!r}",
                hint="Convert the column to one type.",
            )


def match(values: Sequence[Value], known: Sequence[Value], argument: str) -> dict[Value, Value]:
    """Map each value to the known value it is meant as; a value nobody knows is left out.

    Text that spells a typed value exactly is that value; text that reads like it but is spelt
    otherwise ('01' for 1, True beside 1) is an error, never a silent new value.

    >>> match(["1", "x"], [0, 1], "sex")
    {'1': 1}
    """
    matched = meanings(values, known, argument)
    check_column([*known, *(value for value in values if value not in matched)], argument)
    return matched


def meanings(values: Sequence[Value], known: Sequence[Value], argument: str) -> dict[Value, Value]:
    """Match as `match` does, but leave booleans beside 0/1 unmatched, for callers that take both as flags.

    >>> meanings([True], [0, 1], "prediction")
    {}
    """
    by_reading: dict[tuple[str, object], list[Value]] = {}
    for value in known:
        by_reading.setdefault(reading(value), []).append(value)
    matched: dict[Value, Value] = {}
    for value in values:
        found = _match_one(value, by_reading.get(reading(value), []), argument)
        if found:
            matched[value] = found[0]
    return matched


def _match_one(value: Value, alike: list[Value], argument: str) -> list[Value]:
    ambiguous: list[Value]
    same: list[Value]
    if isinstance(value, str):
        typed: list[Value] = [other for other in alike if not isinstance(other, str)]
        ambiguous = [other for other in typed if not _same_spelling(value, other)]
        same = [other for other in alike if other == value] or typed
    else:
        texts: list[Value] = [other for other in alike if isinstance(other, str)]
        ambiguous = [other for other in texts if not _same_spelling(str(other), value)]
        same = [other for other in alike if type(other) is type(value)] or texts
    if ambiguous:
        raise invalid(
            argument,
            "two values read alike but are spelt differently",
            got=f"{value!r} and {ambiguous[0]!r}",
            hint="Convert the column to one type in both tables.",
        )
    return same


def to_json(value: Value) -> Any:
    """Return the typed JSON form: dates are {"date": "2020-01-02"}, missing is null.

    >>> to_json(datetime.date(2020, 1, 2)), to_json(None), to_json(True)
    ({'date': '2020-01-02'}, None, True)
    """
    return {"date": value.isoformat()} if isinstance(value, datetime.date) else value


def from_json(item: Any, source: str = "file") -> Value:
    """Read a value from its typed JSON form.

    >>> from_json({"date": "2020-01-02"})
    datetime.date(2020, 1, 2)
    """
    if isinstance(item, str):
        return check_text(item, source)
    if item is None or isinstance(item, (bool, int)):
        return item
    if isinstance(item, dict) and list(item) == ["date"] and isinstance(item["date"], str):
        try:
            return datetime.date.fromisoformat(item["date"])
        except ValueError:
            pass
    raise malformed(source, "a value must be text, an integer, a boolean, null or {'date': …}", got=item)
