"""A column of values in SQL: as text, in the spelling that a policy knows, whatever the column's type.

What `recognise` refuses makes the statement fail: what is no value, such as 1.5, and what reads like a value
of the policy but is spelt differently, such as '01' beside 1. Only what needs care gets more than a cast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from crossfair import outcomes, values
from crossfair.dialects import Dialect, case, one_of
from crossfair.values import Value

# A column's values by condition; the order counts, as in CASE.
Branches = Iterator[tuple[str, str]]

_INTEGER = "[+-]?[0-9]+([.]0*)?"
_UNFIT = "values must be text, integers, booleans, dates or missing"
_ALIKE = "the policy knows a value that reads alike but is spelt differently"
_FLAGS = "booleans and integers in one column read alike"


@dataclass(frozen=True)
class Column:
    """A column, as a piece of SQL, that holds values of a level; `what` names it in what is refused.

    Without `strict`, what no value of the level is spelt like is left for the statement to refuse as unseen.
    """

    sql: Dialect
    column: str
    level: Sequence[Value]
    what: str
    strict: bool

    def spelt(self) -> str:
        """Return the column as text, in the spelling of the value that it means."""
        found = [
            *self._numbers(),
            *self._alike(),
            *self._integers_beside_booleans(),
            *self._moments(),
            *self._booleans(),
        ]
        return case([*found, (None, self._text)], 6) if found else self._text

    @cached_property
    def _kinds(self) -> set[str]:
        return {values.reads_as(value) for value in self.level}

    @cached_property
    def _text(self) -> str:
        write = self.sql.date_text if "date" in self._kinds else self.sql.plain_text
        return write(self.column)

    @cached_property
    def _has_booleans(self) -> bool:
        return any(isinstance(value, bool) for value in self.level)

    @cached_property
    def _odd(self) -> list[str]:
        """The integers that a text of the level spells, but not as the integer is spelt: 1 for '01'."""
        read = {value: values.reading(value) for value in self.level if isinstance(value, str)}
        return [
            str(number) for text, (kind, number) in read.items() if kind == "integer" and text != str(number)
        ]

    def _numbers(self) -> Branches:
        """A number without a fraction is an integer, NaN is missing; one with a fraction is no value."""
        if not self.strict and not any(map(_is_numeral, self.level)):
            return
        whole = self.sql.integral(self.column)
        refused = [(self.sql.fraction(self.column), self._refuse(_UNFIT))]
        if self.strict and self._has_booleans:
            refused.append((f"{whole} IS NOT NULL", self._refuse(_FLAGS)))
        if self._odd:
            refused.append((self._among(whole, self._odd), self._refuse(_ALIKE)))
        yield self.sql.floating(self.column), case([*refused, (None, whole)], 8)

    def _alike(self) -> Branches:
        """Refuse what reads like a value of the level, of another type, but is spelt differently."""
        if self._odd:
            alike = self._among(self._text, self._odd)
            yield f"{self.sql.integer(self.column)} AND {alike}", self._refuse(_ALIKE)
        integers = [value for value in self.level if isinstance(value, int) and not isinstance(value, bool)]
        if self.strict and integers:
            known = self._among(self._text, list(map(str, integers)))
            alike = self.sql.matches(self._text, _spellings(integers))
            yield f"NOT {known} AND {alike}", self._refuse(_ALIKE)

    def _integers_beside_booleans(self) -> Branches:
        if self.strict and self._has_booleans:
            yield self.sql.matches(self._text, _INTEGER), self._refuse(_FLAGS)
        known = {outcomes.as_flag(value) for value in self.level if values.reads_as(value) == "boolean"}
        unknown = [str(flag).lower() for flag in (False, True) if flag not in known]
        if self.strict and "integer" in self._kinds and unknown:
            among = self._among(self._text, unknown)
            yield f"{self.sql.boolean(self.column)} AND {among}", self._refuse(_FLAGS)

    def _moments(self) -> Branches:
        """A midnight is its date; another moment is no value."""
        moment = self.sql.moment(self.column)
        if self.strict:
            yield f"{moment} AND {self._text} NOT LIKE '%00:00:00'", self._refuse(_UNFIT)
        if "date" in self._kinds:
            yield moment, f"regexp_replace({self._text}, '[ T]00:00:00$', '')"

    def _booleans(self) -> Branches:
        """Text in any case meets True; a column of booleans meets text as the policy spells it."""
        if self._has_booleans:
            yield f"lower({self._text}) IN ('true', 'false')", f"lower({self._text})"
            return
        spelt: dict[bool | None, Value] = {}
        for value in self.level:
            if values.reads_as(value) == "boolean":
                spelt.setdefault(outcomes.as_flag(value), value)
        for flag, value in spelt.items():
            meant = f"{self.sql.boolean(self.column)} AND {self._text} = '{str(flag).lower()}'"
            yield meant, self.sql.text(str(value))

    def _among(self, text: str, options: Sequence[str]) -> str:
        return one_of(text, [self.sql.text(option) for option in options])

    def _refuse(self, rule: str) -> str:
        message = self.sql.text(f"{self.what}: {rule}; got ")
        return self.sql.plain_text(self.sql.refuse(f"{message} || {self._text}"))


def spell(value: Value) -> str:
    """Return the one spelling of a value in SQL.

    >>> spell(True), spell(1), spell("True")
    ('true', '1', 'True')
    """
    return values.spell(value).lower() if isinstance(value, bool) else values.spell(value)


def _is_numeral(value: Value) -> bool:
    """Whether a column of numbers may hold what is meant by the value, or is written alike."""
    if value is None:
        return True
    try:
        float(values.spell(value))
    except ValueError:
        return False
    return True


def _spellings(integers: Sequence[int]) -> str:
    """A pattern of all that reads as one of the integers: 1, 01, +1 and 1.0 for 1.

    >>> _spellings([0, 1, -7])
    '([+]?0*(0|1)|-0*(0|7))([.]0*)?'
    """
    signs = {"[+]?": [n for n in integers if n >= 0], "-": [-n for n in integers if n <= 0]}
    either = [f"{sign}0*({'|'.join(map(str, digits))})" for sign, digits in signs.items() if digits]
    return f"({'|'.join(either)})([.]0*)?"
