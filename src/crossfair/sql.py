"""A policy as one SQL statement: the records of a table joined to a table of the policy's steps.

Attributes meet as text, so that '1' in one table is 1 in another; see `spelling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossfair import values
from crossfair.cells import Cells, range_names
from crossfair.dialects import DIALECTS, Dialect, case
from crossfair.errors import choose, invalid
from crossfair.spelling import Column, spell
from crossfair.values import Value

if TYPE_CHECKING:
    from crossfair.policy import Policy

_INNER = ("record_key", "record_score", "at_least", "below", "acceptance", "decision")
_FIGURES = {
    "records": "COUNT(*)",
    "given": "SUM(given)",
    "repaired": "SUM(decision)",
    "up": "SUM(CASE WHEN decision > given THEN 1 ELSE 0 END)",
    "down": "SUM(CASE WHEN decision < given THEN 1 ELSE 0 END)",
}
INFINITY = float("inf")


def to_sql(
    policy: Policy,
    table: Any,
    key: Any,
    dialect: str,
    columns: Mapping[str, str],
    changes: bool,
) -> str:
    """Return the statement; see `Policy.to_sql`."""
    engine = DIALECTS[choose("dialect", dialect, DIALECTS)]
    if not isinstance(key, str) or not key or key.casefold() in ("acceptance", "decision"):
        rule = "must name a column that identifies each record, other than acceptance and decision"
        raise invalid("key", rule, got=repr(key))
    kind = _ChangesStatement if changes else _Statement
    return kind(policy, engine, columns).text(_parts(table), key)


def _parts(table: Any) -> list[str]:
    parts = table.split(".") if isinstance(table, str) else table
    if (
        not isinstance(parts, (list, tuple))
        or not parts
        or not all(isinstance(part, str) and part for part in parts)
    ):
        raise invalid(
            "table",
            "must be the name of a table, with its schema before a dot or as a tuple of names",
            got=repr(table),
        )
    return list(parts)


class _Statement:
    """One row per record: its key, its acceptance probability, and the decision, 0 or 1."""

    def __init__(self, policy: Policy, dialect: Dialect, columns: Mapping[str, str]) -> None:
        self.policy, self.sql, self.cells = policy, dialect, self._cells(policy)
        self.columns = policy.column_names(columns, self.cells.by)
        self.names = dict(zip(self.cells.by, map(dialect.name, _aliases(self.cells.by))))

    def _cells(self, policy: Policy) -> Cells:
        """The cells whose attributes are read."""
        return policy.deciding_cells

    def text(self, table: Sequence[str], key: str) -> str:
        """Return the whole statement."""
        deciding = [self.names[name] for name in self.policy.decide_by]
        source = ".".join(map(self.sql.name, table))
        policy, records = (_apart(name, table[-1]) for name in ("policy", "records"))
        return "\n".join(
            [
                *self._comment(),
                f"WITH {policy} ({', '.join([*deciding, 'at_least', 'below', 'acceptance'])}) AS (",
                "  VALUES",
                ",\n".join(f"    ({', '.join(row)})" for row in self._rows()),
                "),",
                f"{records} AS (",
                "  SELECT",
                ",\n".join(f"    {column}" for column in self._record(key)),
                f"  FROM {source} AS t",
                "),",
                "chances AS (",
                f"  SELECT {self._carried()}, {case(self._chances(), 4)} AS acceptance",
                f"  FROM {records} AS r",
                f"  LEFT JOIN {policy} AS p",
                "    ON " + "\n    AND ".join(self._conditions()),
                *self._result(key),
            ]
        )

    def _carried(self) -> str:
        """What the result needs of a record, beside its acceptance."""
        return "r.record_key"

    def _result(self, key: str) -> list[str]:
        decision = case(self._decisions(), 2)
        return [
            ")",
            f"SELECT record_key AS {self.sql.name(key)}, acceptance, {decision} AS decision",
            "FROM chances",
        ]

    def _comment(self) -> list[str]:
        policy = self.policy
        limits = ", ".join(f"{name} <= {limit:.6g}" for name, limit in policy.limits.items())
        method = " ".join(policy.method.split())  # a comment ends with its line
        return [
            f"-- A crossfair policy: {method}, {limits}.",
            f"-- {self.__doc__}",
        ]

    def _rows(self) -> Iterator[list[str]]:
        """A row for each step of each cell."""
        cells = self.policy.deciding_cells
        spelt = [self._level(level) for level in cells.levels]
        for codes, (breaks, probabilities) in zip(cells.codes.tolist(), self.policy.steps):
            cell = [level[code] for level, code in zip(spelt, codes)]
            bounds = zip([-INFINITY, *breaks], [*breaks, INFINITY], probabilities)
            yield from ([*cell, *map(self.sql.number, step)] for step in bounds)

    def _level(self, level: Sequence[Value]) -> list[str]:
        return [self.sql.null() if value is None else self.sql.text(spell(value)) for value in level]

    def _record(self, key: str) -> Iterator[str]:
        """The columns of a record: its key, its attributes as the policy spells them, its score."""
        yield f"t.{self.sql.name(key)} AS record_key"
        for (name, alias), level in zip(self.names.items(), self.cells.levels):
            column = f"t.{self.sql.name(self.columns[name])}"
            edges = self.cells.bins.get(name)
            strict = self.policy.unseen != "error" or name not in self.policy.decide_by
            met = Column(self.sql, column, level, f"attribute {name!r}", strict)
            spelt = met.spelt() if edges is None else self._range(column, edges)
            yield f"{spelt} AS {alias}"
        score = f"t.{self.sql.name(self.columns[self.policy.input_name])}"
        if self.policy.source.kind == "prediction":
            yield f"{self._flag(score)} AS record_score"
        else:
            yield f"CAST({score} AS {self.sql.double_type}) AS record_score"

    def _range(self, column: str, edges: Sequence[float]) -> str:
        sql, number = self.sql, f"CAST({column} AS {self.sql.double_type})"
        *lower, top = [sql.text(name) for name in range_names(edges)]
        below = [(f"{number} <= {sql.number(edge)}", name) for edge, name in zip(edges, lower)]
        above = (f"{number} > {sql.number(edges[-1])}", top)
        return case([(f"NOT {sql.finite(number)}", sql.null()), *below, above], 6)

    def _flag(self, column: str) -> str:
        """A prediction as a score of 0 or 1; NULL where it is nothing that the policy knows."""
        known = self.policy.source.outcomes
        kinds = {values.reads_as(outcome) for outcome in known.values}
        level = [*known.values, *([] if "integer" in kinds else [0, 1])]
        text = Column(self.sql, column, level, "prediction", strict=False).spelt()
        found = [
            (f"{text} = {self.sql.text(spell(outcome))}", self.sql.number(float(outcome == known.positive)))
            for outcome in known.values
        ]
        for kind, spellings in (("integer", ("0", "1")), ("boolean", ("false", "true"))):
            if kind not in kinds:
                found += [
                    (f"lower({text}) = '{word}'", self.sql.number(flag))
                    for flag, word in enumerate(spellings)
                ]
        return case(found, 6)

    def _conditions(self) -> Iterator[str]:
        deciding = self.policy.deciding_cells
        for name, level in zip(deciding.by, deciding.levels):
            pair = f"r.{self.names[name]}", f"p.{self.names[name]}"
            yield self.sql.same(*pair) if None in level else " = ".join(pair)
        yield "r.record_score >= p.at_least"
        yield "r.record_score < p.below"

    def _chances(self) -> Iterator[tuple[str | None, str]]:
        sql, kind = self.sql, self.policy.source.kind
        key = f"COALESCE({sql.plain_text('r.record_key')}, 'NULL')"
        what = "must be a finite number" if kind == "score" else "is none that the policy knows"
        message = f"{sql.text(f'{kind} {what}; the record with key ')} || {key}"
        yield f"r.record_score IS NULL OR NOT {sql.finite('r.record_score')}", sql.refuse(message)
        yield "p.acceptance IS NOT NULL", "p.acceptance"
        if self.policy.unseen == "error":
            message = sql.text("the policy has not seen the cell of the record with key ")
            yield None, sql.refuse(f"{message} || {key}")
            return
        ((breaks, probabilities),) = self.policy.fallback
        for edge, p in zip(breaks, probabilities):
            yield f"r.record_score < {sql.number(edge)}", sql.number(p)
        yield None, sql.number(probabilities[-1])

    def _decisions(self) -> Iterator[tuple[str | None, str]]:
        sql = self.sql
        yield "acceptance >= 1", "1"
        yield "acceptance <= 0", "0"
        if not self.policy.needs_coins:
            return
        text = sql.plain_text("record_key")
        fraction = f"({sql.floating('record_key')}) AND {text} LIKE '%.%'"
        message = sql.text("the key must be an integer or a text, and not missing: ")
        refused = sql.refuse(f"{message} || COALESCE({text}, 'NULL')")
        wrong = f"record_key IS NULL OR {fraction} OR {sql.no_key('record_key')}"
        yield wrong, f"CAST({refused} AS INTEGER)"
        salted = sql.text(f"{self.policy.salt}:")
        yield f"{sql.coin(f'{salted} || {text}')} < acceptance", "1"
        yield None, "0"


class _ChangesStatement(_Statement):
    """One row per cell: its records, those accepted as given and by the policy, those moved up and down."""

    def _cells(self, policy: Policy) -> Cells:
        return policy.cells

    def _carried(self) -> str:
        given = f"r.record_score >= {self.sql.number(self.policy.source.threshold)}"
        attributes = (f"r.{name}" for name in self.names.values())
        return ", ".join(["r.record_key", *attributes, f"CASE WHEN {given} THEN 1 ELSE 0 END AS given"])

    def _result(self, key: str) -> list[str]:  # noqa: ARG002  # a cell has no key
        attributes = ", ".join(self.names.values())
        shown = (f"{alias} AS {self.sql.name(name)}" for name, alias in self.names.items())
        taken = {name.casefold() for name in self.cells.by}
        named = {figure: figure if figure not in taken else f"{figure}_" for figure in _FIGURES}
        figures = ", ".join(f"{term} AS {named[figure]}" for figure, term in _FIGURES.items())
        return [
            "),",
            "decisions AS (",
            f"  SELECT {attributes}, given, {case(self._decisions(), 4)} AS decision",
            "  FROM chances",
            ")",
            f"SELECT {', '.join(shown)}, {figures}",
            "FROM decisions",
            f"GROUP BY {attributes}",
        ]


def _apart(name: str, table: str) -> str:
    """A name for a table of the statement's own: with underscores where the records' table has it."""
    return name if table.casefold().rstrip("_") != name else f"{table}_"


def _aliases(names: Sequence[str]) -> list[str]:
    """The attributes' names, or numbers where two are alike to an engine or one is a name of our own."""
    folded = [name.casefold() for name in names]
    if len(set(folded)) == len(folded) and not set(folded) & {*_INNER, *_FIGURES}:
        return list(names)
    return [f"attribute_{i}" for i in range(1, len(names) + 1)]
