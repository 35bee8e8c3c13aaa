"""What differs between databases: names, numbers, whole parts, types; and what their refusals mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from crossfair.errors import invalid
from crossfair.parsing import NO_NUMERAL, NUMERAL

# Up to here floating-point numbers can have a fraction.
WHOLE = 2.0**53


@dataclass(frozen=True)
class Column:
    """A column of a table in a database: its name, and its type as the database calls it."""

    name: str
    type: str
    category: str = ""


class Dialect(Protocol):
    """How one database writes what a count needs."""

    name: ClassVar[str]
    binary_order: ClassVar[str]
    parameters: dict[str, float]

    def cursor(self, connection: Any) -> Any:
        """Return a cursor whose rows are tuples, however the connection gives them to others."""
        ...

    def columns(self, cursor: Any, table: Sequence[str]) -> list[Column]:
        """Return the columns of a table, none where there is no such table."""
        ...

    def tables(self, cursor: Any) -> list[str]:
        """Return the names of the tables that can be read."""
        ...

    def check(self, column: Column, argument: str) -> None:
        """Refuse a column whose type holds no values of attributes or outcomes."""
        ...

    def raw(self, column: Column) -> str:
        """Return a column as it is to be grouped by."""
        ...

    def number(self, column: Column, argument: str) -> str:
        """Return a column as floating-point numbers, null where it is missing or spells none."""
        ...

    def wrong(self, column: Column) -> str | None:
        """Return the condition that a value should be a number and is none; None where that cannot be."""
        ...

    def literal(self, number: float) -> str:
        """Return a number, exactly."""
        ...

    def finite(self, number: str) -> str:
        """Return the condition that a number is finite."""
        ...

    def whole(self, number: str) -> str:
        """Return the whole part of a number that is not negative, as a 64-bit integer."""
        ...

    def floor(self, number: str) -> str:
        """Return the largest whole number below a number of moderate size, as a floating-point number."""
        ...


def quoted(*names: str) -> str:
    """Return a name in SQL, safe whatever is in it.

    >>> quoted("public", 'say "hi"')
    '"public"."say ""hi\"""'
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def text(value: str) -> str:
    """Return a text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def not_numeric(column: Column, argument: str) -> Exception:
    """Build the error for a column of another type where numbers are needed."""
    return invalid(argument, f"{column.name!r} must hold numbers", got=f"a column of type {column.type}")


@dataclass
class Postgres:
    """PostgreSQL, through psycopg."""

    parameters: dict[str, float] = field(default_factory=dict)

    name: ClassVar[str] = "PostgreSQL"
    binary_order: ClassVar[str] = ""  # `raw` says it
    _values: ClassVar[str] = "BDENS"  # categories of types: boolean, date, enumeration, number, string

    def cursor(self, connection: Any) -> Any:
        """A factory of its own, beside that of the connection."""
        from psycopg.rows import tuple_row

        return connection.cursor(row_factory=tuple_row)

    def columns(self, cursor: Any, table: Sequence[str]) -> list[Column]:
        """Look the columns up in the catalogue, which is allowed without the right to read all of them."""
        cursor.execute(
            "SELECT a.attname, format_type(a.atttypid, NULL), t.typcategory FROM pg_attribute a "
            "JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = to_regclass(%s) "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            (quoted(*table),),
        )
        return [Column(*row) for row in cursor.fetchall()]

    def tables(self, cursor: Any) -> list[str]:
        """List tables and views; those on the search path without their schema."""
        cursor.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'f') AND "
            "relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]

    def check(self, column: Column, argument: str) -> None:
        """Refuse arrays, JSON, bytes, identifiers and the like."""
        if column.category not in self._values:
            raise invalid(
                argument,
                f"{column.name!r} must hold text, integers, booleans or dates",
                got=f"a column of type {column.type}",
                hint="Cast it in a view.",
            )

    def raw(self, column: Column) -> str:
        """Text compares by its bytes, whatever the collation; the several NaN are one missing value."""
        name = quoted(column.name)
        if column.category in "SE":
            return f'({name}::text COLLATE "C")'
        return f"nullif({name}, 'NaN')" if column.type in ("real", "double precision", "numeric") else name

    def number(self, column: Column, argument: str) -> str:
        """Cast numbers; read text where it spells a number by the rule of all engines."""
        name = quoted(column.name)
        if column.category in "SE":
            return f"(CASE WHEN {self._text(column)} ~ {text(NUMERAL)} THEN {self._text(column)}::float8 END)"
        if column.category == "N":
            return f"{name}::float8"
        if column.category == "B":
            return f"{name}::integer::float8"
        raise not_numeric(column, argument)

    def wrong(self, column: Column) -> str | None:
        """Text that spells no number."""
        if column.category not in "SE":
            return None
        missing = "^(?:" + re.sub(r"^\^\(\?i:(.*)\)\?\$$", r"\1", NO_NUMERAL) + ")?$"
        spelt = self._text(column)
        return f"({spelt} !~ {text(NUMERAL)} AND {spelt} !~* {text(missing)})"

    def literal(self, number: float) -> str:
        """A text cast to float8: a bare 0.1 would be a decimal number."""
        return f"'{number!r}'::float8"

    def finite(self, number: str) -> str:
        """NaN stands above infinity in PostgreSQL."""
        return f"({number} > '-Infinity'::float8 AND {number} < 'Infinity'::float8)"

    def whole(self, number: str) -> str:
        """A cast rounds, so floor first."""
        return f"floor({number})::bigint"

    def floor(self, number: str) -> str:
        """As it is."""
        return f"floor({number})"

    def _text(self, column: Column) -> str:
        return f"btrim({quoted(column.name)}::text, E' \\t\\r\\n')"


@dataclass
class SQLite:
    """SQLite, where every value has a type of its own, whatever the column was declared as."""

    parameters: dict[str, float] = field(default_factory=dict)

    name: ClassVar[str] = "SQLite"
    binary_order: ClassVar[str] = " COLLATE BINARY"

    def cursor(self, connection: Any) -> Any:
        """None is the factory of tuples."""
        cursor = connection.cursor()
        cursor.row_factory = None
        return cursor

    def columns(self, cursor: Any, table: Sequence[str]) -> list[Column]:
        """Ask for the columns, with generated ones, without the hidden ones of virtual tables."""
        *schema, name = table
        attached = {row[1] for row in cursor.execute("PRAGMA database_list").fetchall()}
        if not attached.issuperset(schema):
            return []
        prefix = f"{quoted(*schema)}." if schema else ""
        found = cursor.execute(f"PRAGMA {prefix}table_xinfo({quoted(name)})").fetchall()
        return [Column(row[1], row[2] or "no type") for row in found if row[6] != 1]

    def tables(self, cursor: Any) -> list[str]:
        """List tables and views."""
        found = cursor.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' "
            "UNION SELECT name FROM sqlite_temp_master WHERE type IN ('table', 'view') ORDER BY 1"
        )
        return [name for (name,) in found.fetchall()]

    def check(self, column: Column, argument: str) -> None:
        """Nothing: a value that is none, a BLOB, is found in the result."""

    def raw(self, column: Column) -> str:
        """As it is."""
        return quoted(column.name)

    def number(self, column: Column, argument: str) -> str:  # noqa: ARG002  # a column of any type holds numbers
        """Numbers alone: SQLite would take text that only begins like a number for one."""
        name = quoted(column.name)
        return f"(CASE WHEN typeof({name}) IN ('integer', 'real') THEN CAST({name} AS REAL) END)"

    def wrong(self, column: Column) -> str | None:
        """Text or bytes; SQLite cannot tell text that spells a number from other text."""
        name = quoted(column.name)
        missing = "'', 'nan', 'inf', 'infinity', '+nan', '+inf', '+infinity', '-nan', '-inf', '-infinity'"
        return (
            f"(typeof({name}) = 'blob' OR typeof({name}) = 'text' AND lower(trim({name})) NOT IN ({missing}))"
        )

    def literal(self, number: float) -> str:
        """A parameter: SQLite does not read every decimal to the nearest floating-point number."""
        key = f"x{len(self.parameters)}"
        self.parameters[key] = number
        return f":{key}"

    def finite(self, number: str) -> str:
        """There is no NaN in SQLite."""
        return f"({number} > -9e999 AND {number} < 9e999)"

    def whole(self, number: str) -> str:
        """A cast cuts the fraction off."""
        return f"CAST({number} AS INTEGER)"

    def floor(self, number: str) -> str:
        """Without the functions of mathematics, which not every SQLite has."""
        cut = f"CAST({number} AS INTEGER)"
        return f"CAST({cut} - ({number} < {cut}) AS REAL)"
