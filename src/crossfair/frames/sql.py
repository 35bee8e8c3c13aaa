"""The group-by in SQL, once for every database: the same groups, to the last bit, as any engine gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from crossfair import fixed
from crossfair.frames import objects
from crossfair.frames.database import Database
from crossfair.frames.dialects import WHOLE
from crossfair.frames.groups import LIMBS, MOST_GROUPS, NO_NUMBER, Groups, WeightSums
from crossfair.frames.score_rows import ScoreRows
from crossfair.reading import Reading

_WIDEST = 2**63 - 1

# How the columns are put together that are not added up: the ends of a bin's scores, the largest weight.
ENDS = ("low", "high")
_TOTALS = {"low": "min", "high": "max", "largest": "max"}


def count(database: Database, reading: Reading) -> Groups:
    """Count a table by one query."""
    query = Query(database, reading)
    keys = query.keys(["label", "prediction"])
    if reading.score is not None:
        reached = [f"{query.float('score')} >= {database.dialect.literal(reading.threshold)}"]
        keys["prediction"] = query.coded("score", reached)
    rows = database.all(f"{query.text(keys)} LIMIT {MOST_GROUPS + 1}")
    table = dict(zip(query.names(keys), zip(*rows))) if rows else dict.fromkeys(query.names(keys), ())
    query.check_numbers({name: sum(table[name]) for name in query.wrong})
    return Groups(
        keys=[table[f"k{i}"] for i in range(len(reading.attributes))],
        label=table.get("label"),
        prediction=table.get("prediction"),
        n=np.array(table["n"], dtype=np.int64),
        weights=_weights({name: table[name] for name in query.weighed}) if reading.weight else None,
    )


def records(database: Database) -> int:
    """Return the number of records."""
    return int(database.all(f"SELECT count(*) FROM {database.table}")[0][0])


def extent(database: Database, reading: Reading) -> tuple[float, float]:
    """Return the lowest and the highest finite score."""
    low, high = database.all(Query(database, reading).extent())[0]
    return (float("nan"), float("nan")) if low is None else (float(low), float(high))


def score_rows(database: Database, reading: Reading, bits: int | None, *, probe: bool = False) -> ScoreRows:
    """Return the records of a table by attributes, label and score; `probe` as in `score_kernel`."""
    query = Query(database, reading, ENDS if probe else ())
    keys = query.keys(["label"])
    keys["score"] = query.score(bits)
    grouped, places = len(keys) - 1, {name: i for i, name in enumerate(query.names(keys))}
    known: dict[tuple[Any, ...], int] = {}
    blocks: list[dict[str, Any]] = []
    for rows in database.rows(query.text(keys)):
        columns = list(zip(*rows))
        codes = [known.setdefault(key, len(known)) for key in zip(*columns[:grouped])]
        block = {name: columns[places[name]] for name in ("n", *query.ends, *query.wrong, *query.weighed)}
        blocks.append(_block(codes, columns[grouped], block))
    query.check_numbers({name: sum(int(block[name].sum()) for block in blocks) for name in query.wrong})
    empty = _block([], [], {name: [] for name in ("n", *query.ends, *query.weighed)})
    table = {name: np.concatenate([block[name] for block in blocks or [empty]]) for name in empty}
    *attributes, label = zip(*known) if known else [()] * grouped
    weights = _weights({name: table[name] for name in query.weighed}) if reading.weight else None
    found = ScoreRows(table["group"], attributes, label, table["score"], table["n"], weights, bits)
    return found.unbinned(*(table[end] for end in query.ends)) if probe else found


def _block(codes: Sequence[int], scores: Sequence[Any], sums: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Rows as arrays: Python objects are kept for some thousands of them at a time."""
    floats = {"score": scores} | {name: sums[name] for name in (*ENDS, "largest") if name in sums}
    found = {name: np.array(column, dtype=np.float64) for name, column in floats.items()}  # None becomes NaN
    limbs = {name: np.array(_narrow(sums[name]), dtype=np.int64) for name in sums if name not in floats}
    return {"group": np.array(codes, dtype=np.int64)} | found | limbs


def _narrow(column: Iterable[Any]) -> list[Any]:
    """Sums of PostgreSQL may be wider than 64 bits; then the largest weight is refused all the same."""
    return [min(number, _WIDEST) for number in column]


def _weights(table: Mapping[str, Any]) -> WeightSums:
    sums = {name: np.array(_narrow(table[name]), dtype=np.int64) for name in LIMBS}
    return WeightSums(**sums, largest=float(max(table["largest"], default=0.0)))


class Query:
    """The parts of a query: numbers are made in an inner one, coded and cut into limbs in a middle one."""

    def __init__(self, database: Database, reading: Reading, ends: Sequence[str] = ()) -> None:
        self.ends = ends
        self.database, self.reading, self.dialect = database, reading, database.dialect
        self.columns = {part: database.column(name) for part, name in reading.columns.items()}
        self.floats = {part for part in reading.columns if self._is_number(part)}
        self.wrong = {f"bad_{part}": part for part in sorted(self.floats) if self._wrong(part) is not None}
        self.weighed = [*LIMBS, "largest"] if reading.weight is not None else []
        for part, column in self.columns.items():
            if part not in self.floats:
                self.dialect.check(column, "by" if part.startswith("k") else part)

    def float(self, part: str) -> str:
        """A number of the inner query."""
        return f"f_{part}"

    def keys(self, outcomes: Sequence[str]) -> dict[str, str]:
        """What to group by: raw values, but codes of ranges for binned attributes."""
        found = {}
        for i, name in enumerate(self.reading.attributes):
            part = f"k{i}"
            edges = self.reading.edges.get(name, ())
            cuts = [f"{self.float(part)} > {self.dialect.literal(edge)}" for edge in edges]
            found[part] = self.coded(part, cuts) if cuts else f"r_{part}"
        return found | {part: f"r_{part}" for part in outcomes if part in self.columns}

    def coded(self, part: str, steps: Sequence[str]) -> str:
        """How many steps a number has passed, NO_NUMBER where there is no finite number."""
        passed = " + ".join(f"CASE WHEN {step} THEN 1 ELSE 0 END" for step in steps)
        return f"CASE WHEN {self.dialect.finite(self.float(part))} THEN {passed} ELSE {NO_NUMBER} END"

    def score(self, bits: int | None) -> str:
        """The score, or the lower edge of its bin; a large one has no fraction to lose."""
        score = self.float("score")
        if bits is None:
            return score
        scale, whole = self.dialect.literal(2.0**bits), self.dialect.literal(WHOLE / 2.0**bits)
        floor = self.dialect.floor(f"({score} * {scale})")
        return f"CASE WHEN abs({score}) < {whole} THEN {floor} / {scale} ELSE {score} END"

    def names(self, keys: Mapping[str, str]) -> list[str]:
        """The columns of the result."""
        return [*keys, "n", *self.ends, *self.wrong, *self.weighed]

    def extent(self) -> str:
        """The query for the lowest and the highest finite score."""
        score = self.float("score")
        return (
            f"SELECT min({score}), max({score}) FROM (SELECT {_named(self._inner())} "
            f"FROM {self.database.table}) AS parts WHERE {self.dialect.finite(score)}"
        )

    def text(self, keys: dict[str, str]) -> str:
        """The query."""
        sums = {end: self.float("score") for end in self.ends} | {name: name for name in self.wrong}
        sums |= self._limbs() if self.weighed else {}
        middle = keys | sums
        totals = [f"{_TOTALS.get(name, 'sum')}({name})" for name in sums]
        by = ", ".join(f"{key}{self.dialect.binary_order}" for key in keys)
        return (
            f"SELECT {', '.join([*keys, 'count(*)', *totals])} FROM (SELECT {_named(middle)} FROM "
            f"(SELECT {_named(self._inner())} FROM {self.database.table}) AS parts) AS coded GROUP BY {by}"
        )

    def check_numbers(self, wrong: Mapping[str, int]) -> None:
        """Refuse values that are no numbers in a column of numbers, with an example."""
        for name, records in wrong.items():
            if records:
                part = self.wrong[name]
                column = self.columns[part]
                shown = f"CAST({self.dialect.raw(column)} AS text)"
                rows = self.database.all(
                    f"SELECT {shown} FROM {self.database.table} WHERE {self._wrong(part)} LIMIT 1"
                )
                raise objects.text_error(
                    _argument(part), column.name, rows[0][0] if rows else "", int(records)
                )

    def _is_number(self, part: str) -> bool:
        binned = part.startswith("k") and self.reading.columns[part] in self.reading.edges
        return binned or part in ("score", "weight")

    def _wrong(self, part: str) -> str | None:
        return self.dialect.wrong(self.columns[part])

    def _inner(self) -> dict[str, str]:
        found = {
            f"bad_{part}": f"CASE WHEN {self._wrong(part)} THEN 1 ELSE 0 END" for part in self.wrong.values()
        }
        for part, column in self.columns.items():
            if part in self.floats:
                found[self.float(part)] = self.dialect.number(column, _argument(part))
            else:
                found[f"r_{part}"] = self.dialect.raw(column)
        return found

    def _limbs(self) -> dict[str, str]:
        """The fixed-point limbs of each weight and its square; a bad weight only counts as bad."""
        weight = self.float("weight")
        zero, most = self.dialect.literal(0.0), self.dialect.literal(fixed.LARGEST_WEIGHT)
        good = f"{weight} >= {zero} AND {weight} <= {most}"  # NaN is above every number, or is null
        scale, half = self.dialect.literal(float(fixed.SCALE)), self.dialect.literal(0.5)

        def split(value: str) -> list[str]:
            whole = self.dialect.whole(value)
            return [whole, self.dialect.whole(f"(({value} - {whole}) * {scale} + {half})")]

        limbs = [*split(weight), *split(f"({weight} * {weight})")]
        found = {name: f"CASE WHEN {good} THEN {limb} ELSE 0 END" for name, limb in zip(LIMBS, limbs)}
        found["bad"] = f"CASE WHEN {good} THEN 0 ELSE 1 END"
        return found | {"largest": f"CASE WHEN {good} THEN {weight} ELSE {zero} END"}


def _named(expressions: Mapping[str, str]) -> str:
    return ", ".join(f"{expression} AS {name}" for name, expression in expressions.items())


def _argument(part: str) -> str:
    """The argument a user gave a part by."""
    return "bins" if part.startswith("k") else part
