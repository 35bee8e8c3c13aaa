"""Tables in databases, through DB-API connections or by URL: what they hold, and what is wrong with them."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from crossfair.errors import InputError, invalid, malformed, missing_extra, nearest
from crossfair.frames.dialects import Column, Dialect, Postgres, SQLite, quoted

_URL = re.compile(r"(postgresql|postgres|sqlite)://")
_FILES = (".sqlite", ".sqlite3")


@dataclass(frozen=True)
class Database:
    """One table of a database, its columns by name, and how to ask for rows."""

    connection: Any
    dialect: Dialect
    table: str
    known: dict[str, Column]

    def column(self, name: str) -> Column:
        """Return a column; an unknown one is an error."""
        if name not in self.known:
            shown = ", ".join(list(self.known)[:12]) + (", …" if len(self.known) > 12 else "")
            raise invalid("data", f"table {self.table} has no column {name!r}", got=f"the columns {shown}",
                          hint=nearest(name, self.known))  # fmt: skip
        return self.known[name]

    def rows(self, query: str, size: int = 10_000) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a query, some thousands at a time."""
        cursor = self.dialect.cursor(self.connection)
        try:
            # psycopg reads % as a placeholder only where parameters are passed.
            cursor.execute(query, self.dialect.parameters) if self.dialect.parameters else cursor.execute(
                query
            )
            while rows := cursor.fetchmany(size):
                yield rows
        finally:
            cursor.close()

    def all(self, query: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        return [row for rows in self.rows(query) for row in rows]


def is_database(data: Any) -> bool:
    """Whether data are a connection that is asked in SQL, or say where one leads.

    >>> is_database("postgresql://host/db"), is_database("people.csv")
    (True, False)
    """
    return _root(data) in _DIALECTS or is_location(data)


def is_location(data: Any) -> bool:
    """Whether data are the URL of a database or the file of an SQLite one."""
    if not isinstance(data, (str, os.PathLike)):
        return False
    place = os.fspath(data)
    return isinstance(place, str) and (bool(_URL.match(place)) or place.lower().endswith(_FILES))


def without_password(location: str) -> str:
    """Return a URL as it may be shown.

    >>> without_password("postgresql://ann:secret@host/db?password=x")
    'postgresql://ann:…@host/db?password=…'
    """
    shown = re.sub(r"(://[^/@:]*):[^/]*@", r"\1:…@", location) if _URL.match(location) else location
    return re.sub(r"(?i)(password=)[^&]*", r"\1…", shown)


@contextlib.contextmanager
def opened(data: Any, table: str | None) -> Iterator[Database]:
    """Give the table of a connection, or of the database that a URL names, which is closed again."""
    if table is None:
        raise invalid("table", "must name the table of the database", got="none")
    if not is_location(data):
        with _guard(data), _kept(data):
            yield _table(data, table)
        return
    connection = _connect(os.fspath(data))
    try:
        with _guard(connection), _kept(connection):
            yield _table(connection, table)
    finally:
        connection.close()


def _root(data: Any) -> str:
    kinds = [kind.__module__.partition(".")[0] for kind in type(data).__mro__]
    named = [root for kind, root in zip(type(data).__mro__, kinds) if kind.__name__ == "Connection"]
    return next((root for root in named if root in _DIALECTS), "")


_DIALECTS: dict[str, Callable[[], Dialect]] = {"psycopg": Postgres, "sqlite3": SQLite}


def _table(connection: Any, table: str) -> Database:
    dialect = _DIALECTS[_root(connection)]()
    parts = [name[1:-1].replace('""', '"') if name.startswith('"') else name
             for name in re.findall(r'"(?:[^"]|"")*"|[^."]+', table)]  # fmt: skip
    with contextlib.closing(dialect.cursor(connection)) as cursor:
        columns = dialect.columns(cursor, parts) if parts else []
        if not columns:
            known = dialect.tables(cursor)
            shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
            raise invalid("table", f"there is no table {table!r}", got=f"the tables {shown or 'none'}",
                          hint=nearest(table, known))  # fmt: skip
    return Database(connection, dialect, quoted(*parts), {column.name: column for column in columns})


def _connect(location: str) -> Any:
    shown = without_password(location)
    if not location.startswith("postgres"):
        path = location.removeprefix("sqlite://").removeprefix("/") if "://" in location else location
        if not os.path.isfile(path):
            raise malformed(
                shown, "there is no such file", hint="Check the path, and the folder it starts from."
            )
        address = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"
        return sqlite3.connect(address, uri=True)
    psycopg = _psycopg()
    try:
        return psycopg.connect(location)
    except psycopg.Error as error:
        raise invalid("data", f"cannot connect to {shown}", got=_words(error)) from error


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise missing_extra("psycopg", "postgres", "Reading from PostgreSQL") from error
    return psycopg


@contextlib.contextmanager
def _guard(connection: Any) -> Iterator[None]:
    """Turn what a database says into an error that says what to do."""
    kind = sqlite3.Error if _root(connection) == "sqlite3" else _psycopg().Error
    try:
        yield
    except kind as error:
        raise _explained(error, connection) from error


def _kept(connection: Any) -> AbstractContextManager[Any]:
    """Leave what is the user's own as it was, also after an error: a transaction, or how text is given."""
    if _root(connection) == "psycopg":
        transaction: AbstractContextManager[Any] = connection.transaction()
        return transaction
    return _text_as_str(connection)


@contextlib.contextmanager
def _text_as_str(connection: Any) -> Iterator[None]:
    """SQLite gives text by a factory that belongs to the connection, not to a cursor."""
    factory, connection.text_factory = connection.text_factory, str
    try:
        yield
    finally:
        connection.text_factory = factory


def _explained(error: Any, connection: Any) -> InputError:
    said, kind = _words(error), type(error).__name__
    if kind == "InsufficientPrivilege":
        hint = "Ask for the right to SELECT from it."
        return invalid("table", "must be one that this user may read", got=said, hint=hint)
    if kind == "NumericValueOutOfRange" or "integer overflow" in said:
        hint = "Divide all weights by a constant; only their ratios matter."
        return invalid("data", "numbers must be of moderate size to be added up exactly", got=said, hint=hint)
    if _is_lost(connection, kind, said):
        rule = "the connection to the database must last until all is counted"
        return invalid("data", rule, got=said, hint="Connect again; nothing was counted.")
    return invalid("data", "the database refused to count", got=said)


def _is_lost(connection: Any, kind: str, said: str) -> bool:
    closed = getattr(connection, "closed", False) or (kind == "ProgrammingError" and "closed" in said)
    return bool(closed) or kind in ("InterfaceError", "AdminShutdown")


def _words(error: Any) -> str:
    """The first line of what a database said."""
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
