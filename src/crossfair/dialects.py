"""How three engines write the same SQL: names, literals, types, and the few functions a policy needs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from crossfair.errors import invalid

SIDES = 2**52  # 16¹³: as many as there are coins


@dataclass(frozen=True)
class Dialect:
    """What differs between engines; every function takes and gives pieces of SQL, but for the quoting.

    `floating`, `integer`, `boolean` and `moment` say whether an expression is of a type of fractions, of
    integers, of booleans, of moments in time, `no_key` whether of one that no key may be. For a type of
    fractions, `fraction` says whether there is one, as in infinity; `integral` spells what has none as an
    integer, and NaN as NULL. `matches` says whether a pattern describes the whole text.

    >>> print(DIALECTS["duckdb"].name('a "b"'), DIALECTS["spark"].text("O'Brien"))
    "a ""b"\"" 'O\\'Brien'
    """

    text_type: str
    double_type: str
    name: Callable[[str], str]
    text: Callable[[str], str]
    plain_text: Callable[[str], str]
    date_text: Callable[[str], str]
    integral: Callable[[str], str]
    fraction: Callable[[str], str]
    floating: Callable[[str], str]
    integer: Callable[[str], str]
    boolean: Callable[[str], str]
    moment: Callable[[str], str]
    no_key: Callable[[str], str]
    finite: Callable[[str], str]
    matches: Callable[[str, str], str]
    same: Callable[[str, str], str]
    coin: Callable[[str], str]
    refuse: Callable[[str], str]
    digits: Callable[[float], str]

    def number(self, value: float) -> str:
        """Write a float so that the engine reads the same bits."""
        if math.isfinite(value):
            return self.digits(value)
        return f"CAST('{'-' if value < 0 else ''}Infinity' AS {self.double_type})"

    def null(self) -> str:
        """Write a missing text."""
        return f"CAST(NULL AS {self.text_type})"


def _quoted(text: str, mark: str) -> str:
    return f"{mark}{text.replace(mark, mark * 2)}{mark}"


def case(branches: Iterable[tuple[str | None, str]], indent: int) -> str:
    """Return a CASE of (condition, result) pairs, the last without a condition for ELSE."""
    lines = [f"ELSE {then}" if when is None else f"WHEN {when} THEN {then}" for when, then in branches]
    space = "\n" + " " * indent
    return "CASE" + "".join(f"{space}{line}" for line in lines) + "\n" + " " * (indent - 2) + "END"


def one_of(expression: str, options: Sequence[str]) -> str:
    """Return whether an expression is one of the options."""
    return f"{expression} IN ({', '.join(options)})"


def _no_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid("policy", "holds a text that is no Unicode, so no SQL", got=ascii(text)) from None
    return text


def _duckdb_text(text: str) -> str:
    if "\0" not in text:
        return _quoted(_no_surrogates(text), "'")
    return "(" + " || chr(0) || ".join(_duckdb_text(part) for part in text.split("\0")) + ")"


def _typeof(expression: str, *types: str) -> str:
    return one_of(f"typeof({expression})", [f"'{name}'" for name in types])


def _tried_fraction(x: str, text_type: str, whole: str) -> str:
    """Whether a number is infinite or has a fraction; `whole` is a function that takes it away."""
    number = f"TRY_CAST(CAST({x} AS {text_type}) AS DOUBLE)"
    return f"abs({number}) = CAST('Infinity' AS DOUBLE) OR {number} <> {whole}({number})"


def _tried_integral(x: str, text_type: str, nan: str) -> str:
    """A number without a fraction as an integer; as it is where that has more digits than decimals have."""
    text = f"CAST({x} AS {text_type})"
    return f"NULLIF(COALESCE(CAST(TRY_CAST({text} AS DECIMAL(38, 0)) AS {text_type}), {text}), '{nan}')"


DUCKDB = Dialect(
    text_type="VARCHAR",
    double_type="DOUBLE",
    name=lambda name: _quoted(name, '"'),
    text=_duckdb_text,
    plain_text=lambda x: f"CAST({x} AS VARCHAR)",
    date_text=lambda x: f"CAST({x} AS VARCHAR)",
    integral=lambda x: _tried_integral(x, "VARCHAR", "nan"),
    fraction=lambda x: _tried_fraction(x, "VARCHAR", "trunc"),
    floating=lambda x: f"{_typeof(x, 'FLOAT', 'DOUBLE')} OR typeof({x}) LIKE 'DECIMAL%'",
    integer=lambda x: f"regexp_full_match(typeof({x}), 'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?')",
    boolean=lambda x: f"typeof({x}) = 'BOOLEAN'",
    moment=lambda x: f"typeof({x}) LIKE 'TIMESTAMP%'",
    no_key=lambda x: f"{_typeof(x, 'BOOLEAN', 'DATE')} OR typeof({x}) LIKE 'TIME%'",
    finite=lambda x: f"isfinite({x})",  # a comparison may be dropped for a file's statistics, which omit NaN
    matches=lambda x, pattern: f"regexp_full_match({x}, '{pattern}')",
    same=lambda a, b: f"{a} IS NOT DISTINCT FROM {b}",
    coin=lambda x: f"CAST('0x' || substr(md5({x}), 1, 13) AS BIGINT) / {SIDES}e0",
    refuse=lambda x: f"error({x})",
    digits=lambda value: repr(value) if "e" in repr(value) else f"{value!r}e0",  # 0.5 would be a decimal
)


def _postgresql_text(text: str) -> str:
    if "\0" in text:
        raise invalid("policy", "holds a text with a NUL, which PostgreSQL cannot hold", got=repr(text))
    literal = _quoted(_no_surrogates(text), "'")
    # Only so does a backslash mean itself under either setting of standard_conforming_strings.
    return "E" + literal.replace("\\", "\\\\") if "\\" in text else literal


def _regtype(expression: str, *types: str) -> str:
    return one_of(f"pg_typeof({expression})", [f"'{name}'::regtype" for name in types])


def _postgresql_fraction(x: str) -> str:
    number = f"CAST(CAST({x} AS text) AS numeric)"
    return f"CAST({x} AS text) LIKE '%Infinity' OR {number} <> trunc({number})"


POSTGRESQL = Dialect(
    text_type="text",
    double_type="float8",
    name=lambda name: _quoted(name, '"'),
    text=_postgresql_text,
    plain_text=lambda x: f"CAST({x} AS text)",
    date_text=lambda x: f"(to_json({x}) #>> '{{}}')",  # ISO, whatever the server's DateStyle
    integral=lambda x: f"CAST(trunc(CAST(NULLIF(CAST({x} AS text), 'NaN') AS numeric)) AS text)",
    fraction=_postgresql_fraction,
    floating=lambda x: _regtype(x, "real", "double precision", "numeric"),
    integer=lambda x: _regtype(x, "smallint", "integer", "bigint"),
    boolean=lambda x: f"pg_typeof({x}) = 'boolean'::regtype",
    moment=lambda x: _regtype(x, "timestamp without time zone", "timestamp with time zone"),
    no_key=lambda x: _regtype(
        x, "boolean", "date", "time", "timestamp without time zone", "timestamp with time zone"
    ),
    finite=lambda x: f"abs({x}) < CAST('Infinity' AS float8)",  # NaN is above infinity there
    matches=lambda x, pattern: f"{x} ~ '^({pattern})$'",
    # An equality of what cannot be null, so that the join can hash.
    same=lambda a, b: f"COALESCE({a}, '') = COALESCE({b}, '') AND ({a} IS NULL) = ({b} IS NULL)",
    coin=lambda x: (
        f"CAST(CAST('x' || substr(md5(convert_to({x}, 'UTF8')), 1, 13) AS bit(52)) AS bigint)"
        f" / CAST({SIDES} AS float8)"
    ),
    refuse=lambda x: f"CAST({x} AS float8)",  # no text of ours is a number: its error shows it
    digits=lambda value: f"float8 '{value!r}'",
)

_SPARK_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}


def _spark_text(text: str) -> str:
    """Backslashes escape there, and ${…} is replaced before anything is parsed, even inside a literal."""
    escaped = "".join(_SPARK_ESCAPES.get(letter, letter) for letter in _no_surrogates(text))
    return "'" + escaped.replace("$", "\\u0024") + "'"


def _spark_name(name: str) -> str:
    if re.search(r"\$\{", name):
        raise invalid("columns", "Spark would replace ${…} in a name", got=repr(name), hint="Rename it.")
    return _quoted(name, "`")


SPARK = Dialect(
    text_type="STRING",
    double_type="DOUBLE",
    name=_spark_name,
    text=_spark_text,
    plain_text=lambda x: f"CAST({x} AS STRING)",
    date_text=lambda x: f"CAST({x} AS STRING)",
    integral=lambda x: _tried_integral(x, "STRING", "NaN"),
    fraction=lambda x: _tried_fraction(x, "STRING", "rint"),
    floating=lambda x: f"{_typeof(x, 'float', 'double')} OR typeof({x}) LIKE 'decimal%'",
    integer=lambda x: _typeof(x, "tinyint", "smallint", "int", "bigint"),
    boolean=lambda x: f"typeof({x}) = 'boolean'",
    moment=lambda x: _typeof(x, "timestamp", "timestamp_ntz"),
    no_key=lambda x: _typeof(x, "boolean", "date", "timestamp", "timestamp_ntz"),
    finite=lambda x: f"abs({x}) < CAST('Infinity' AS DOUBLE)",  # NaN is above infinity there
    matches=lambda x, pattern: x + " RLIKE " + _spark_text(rf"^({pattern})\z"),
    same=lambda a, b: f"{a} <=> {b}",
    coin=lambda x: f"CAST(conv(substr(md5({x}), 1, 13), 16, 10) AS DOUBLE) / {SIDES}D",
    refuse=lambda x: f"CAST(raise_error({x}) AS DOUBLE)",
    digits=lambda value: f"{value!r}D",
)

DIALECTS = {"duckdb": DUCKDB, "postgresql": POSTGRESQL, "spark": SPARK}
