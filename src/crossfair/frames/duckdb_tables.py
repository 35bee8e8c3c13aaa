"""Tables of the user's own DuckDB connection, as relations."""

from __future__ import annotations

from typing import Any

from crossfair.errors import invalid, nearest


def is_connection(data: Any) -> bool:
    """Whether data are a connection of DuckDB, told without importing it."""
    return type(data).__name__ == "DuckDBPyConnection"


def find(connection: Any, table: str | None) -> Any:
    """Return a table or a view of the connection's database as a relation."""
    import duckdb

    if table is None:
        raise invalid("table", "must name the table of the database", got="none")
    try:
        return connection.table(table)
    except (duckdb.CatalogException, duckdb.ParserException) as error:
        known = [name for (name,) in connection.execute(_KNOWN).fetchall()]
        shown = f"the tables {', '.join(known[:12]) or 'none'}"
        hint = nearest(table, known)
        raise invalid("table", f"there is no table {table!r}", got=shown, hint=hint) from error
    except duckdb.Error as error:
        raise invalid("data", "the database refused to count", got=str(error).partition("\n")[0]) from error


_KNOWN = """
SELECT CASE WHEN table_schema = 'main' THEN table_name ELSE table_schema || '.' || table_name END
FROM information_schema.tables ORDER BY 1
"""
