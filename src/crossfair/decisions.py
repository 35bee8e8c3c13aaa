"""A policy on a table of records: each record's deciding cell and score, then its acceptance or decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import coins, frames, recognise, values
from crossfair.cells import Cells, range_names
from crossfair.changes import Changes
from crossfair.errors import invalid
from crossfair.frames import coded, records
from crossfair.frames.coded import Coded
from crossfair.frames.records import Raw, Records
from crossfair.policy import Policy
from crossfair.policy_rules import refuse_unseen
from crossfair.values import Value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Records looked up at a time: their temporary arrays stay in the processor's cache.
BLOCK = 2**14


@dataclass(frozen=True)
class Attribute:
    """A column of attribute values: a code per record, what each code stands for, and which level it means.

    A level of −1 says that the policy has not seen the value.
    """

    codes: NDArray[np.integer[Any]]
    values: Sequence[Value]
    levels: Ints


@dataclass(frozen=True)
class Batch:
    """Records as a policy sees them: their attributes by name, their scores, how to look up their keys."""

    attributes: Mapping[str, Attribute]
    scores: Floats
    keys: coins.Lookup | None


def acceptance(policy: Policy, frame: Any, columns: Mapping[str, str]) -> Any:
    """Return a column of acceptance probabilities, of the frame's library."""
    names = policy.column_names(columns)
    if frames.is_lazy(frame):
        return frames.lazy_column(
            frame,
            list(names.values()),
            lambda part: acceptance(policy, part, columns),
            "acceptance",
            "float64",
        )
    batch = _read(policy, frame, policy.deciding_cells, names, None)
    return frames.series(frame, _acceptance(policy, batch), "acceptance")


def decide(policy: Policy, frame: Any, columns: Mapping[str, str], key: str | None, seed: int | None) -> Any:
    """Return a column of decisions, 0 or 1, of the frame's library."""
    names = policy.column_names(columns)
    coins.check_column(key)
    if frames.is_lazy(frame):
        if seed is not None:
            raise invalid("seed", "coins drawn anew would be alike in every part of the frame", got=seed,
                          hint="Name the column of a key: decide(frame, key=…).")  # fmt: skip
        needed = [*names.values(), *([] if key is None else [key])]
        return frames.lazy_column(
            frame, needed, lambda part: decide(policy, part, columns, key, None), "decision", "int64"
        )
    batch = _read(policy, frame, policy.deciding_cells, names, key)
    return frames.series(frame, _decide(policy, batch, seed), "decision")


def changes(policy: Policy, frame: Any, columns: Mapping[str, str], key: str | None) -> Changes:
    """Return what the policy changes in each cell of the frame: by its decisions, without a key expected."""
    if frames.is_partitioned(frame):
        library = type(frame).__module__.partition(".")[0]
        hint = "Run policy.to_sql(table=…, key=…, changes=True)."
        rule = "changes in a frame that lies in parts are counted by SQL"
        raise invalid("data", rule, got=f"one of {library}", hint=hint)
    coins.check_column(key)
    batch = _read(policy, frame, policy.cells, policy.column_names(columns, policy.by), key)
    accepted = _acceptance(policy, batch) if key is None else _decide(policy, batch, None)
    cells, cell = _cells(policy, batch)
    given = batch.scores >= policy.source.threshold
    return Changes.of(cells, cell, given, accepted, like=frames.library(frame))


def _cells(policy: Policy, batch: Batch) -> tuple[Cells, Ints]:
    """The cells of `by` that the records fall into, seen before or not, and the cell of each record."""
    attributes = [batch.attributes[name] for name in policy.by]
    group, first = coded.combined([Coded(column.codes, column.values) for column in attributes])
    combinations = list(zip(*(Coded(column.codes, column.values).at(first) for column in attributes)))
    cells = Cells.of(policy.by, combinations, policy.cells.bins)
    return cells, np.array([cells.index[cell] for cell in combinations], dtype=np.int64)[group]


def _read(policy: Policy, frame: Any, cells: Cells, names: Mapping[str, str], key: str | None) -> Batch:
    numbers = {names[name]: "bins" for name in cells.bins}
    scored, score = policy.source.kind == "score", names[policy.input_name]
    codes = {
        names[name]: [values.spell(value) for value in level if value is not None]
        for name, level in zip(cells.by, cells.levels)
        if name not in cells.bins
    }
    if scored:
        numbers[score] = "score"
    else:
        codes[score] = []
    table = records.read(frame, codes=codes, numbers=numbers, raw=[] if key is None else [key])
    return Batch(
        {name: _attribute(table, names[name], i, cells) for i, name in enumerate(cells.by)},
        table.numbers[score] if scored else _flags(policy, table.coded[score]),
        None if key is None else _keys(table.raw[key], table.size),
    )


def _keys(column: Raw, size: int) -> coins.Lookup:
    if column.missing:
        raise coins.bad_key(f"a missing value in {column.missing} of {size} records")
    return column.at


def _attribute(table: Records, column: str, place: int, cells: Cells) -> Attribute:
    name, level = cells.by[place], cells.levels[place]
    if name in cells.bins:
        numbers, edges = table.numbers[column], cells.bins[name]
        found = np.where(np.isfinite(numbers), np.searchsorted(edges, numbers), len(edges) + 1)
        named: list[Value] = [*range_names(edges), None]
        return Attribute(found, named, recognise.ranges(edges, level, name))
    raw = table.coded[column]
    distinct = [values.normalise(item, name) for item in raw.levels]
    codes = recognise.levels(distinct, level, name)
    meant = [value if code < 0 else level[code] for value, code in zip(distinct, codes.tolist())]
    return Attribute(raw.codes, meant, codes)


def _acceptance(policy: Policy, batch: Batch) -> Floats:
    """Each record's acceptance probability; unseen cells are refused by an example."""
    cells, size = policy.deciding_cells, len(batch.scores)
    attributes = [batch.attributes[name] for name in cells.by]
    positions = walk(cells, [(column.codes, column.levels) for column in attributes], size)
    if policy.unseen == "error" and size and positions.min() < 0:
        unseen = np.flatnonzero(positions < 0)
        example = tuple(column.values[column.codes[unseen[0]]] for column in attributes)
        raise refuse_unseen(len(unseen), size, f", such as {example}")
    return policy.acceptance_at(positions, batch.scores)


def _decide(policy: Policy, batch: Batch, seed: int | None) -> Ints:
    return coins.decide(_acceptance(policy, batch), policy.salt, batch.keys, seed)


def walk(cells: Cells, columns: Sequence[tuple[NDArray[Any], Ints]], records: int) -> Ints:
    """Return the position of each record's cell, −1 where there is none.

    A column holds a code per record, and for each code the level that it means, or −1. The cells are a tree
    with an attribute at each depth; all records walk down it together.

    >>> cells = Cells.of(["sex", "old"], [("F", True), ("M", False)])
    >>> sex, old = (np.array([0, 1, 1]), np.array([0, 1])), (np.array([1, 0, 1]), np.array([0, 1]))
    >>> walk(cells, [sex, old], 3).tolist()
    [0, 1, -1]
    """
    onward, cell_of_leaf = _tree(cells)
    tables = [table[:, levels] for table, (_, levels) in zip(onward, columns)]
    found = np.empty(records, dtype=np.int64)
    for start in range(0, records, BLOCK):
        block = slice(start, start + BLOCK)
        here = np.zeros(len(found[block]), dtype=np.int64)
        for table, (codes, _) in zip(tables, columns):
            here = table.ravel()[here * table.shape[1] + codes[block]]
        found[block] = cell_of_leaf[here]
    return found


def _tree(cells: Cells) -> tuple[list[Ints], Ints]:
    """Per attribute a table from node and level to the node below, and the cell at each of the last nodes.

    Each table has one row and one column more than needed: position −1 leads to them, and they lead nowhere.
    """
    node = np.zeros(len(cells), dtype=np.int64)
    tables = []
    for own, level in zip(cells.codes.T, cells.levels):
        pairs, below = np.unique(node * len(level) + own, return_inverse=True)
        table = np.full((int(node.max()) + 2, len(level) + 1), -1, dtype=np.int64)
        table[pairs // len(level), pairs % len(level)] = np.arange(len(pairs))
        table[table < 0] = len(pairs)
        tables.append(table)
        node = below
    # Cells differ in some attribute, so each has a leaf of its own.
    return tables, np.append(np.argsort(node), -1)


def _flags(policy: Policy, column: Coded) -> Floats:
    """1 where the prediction says positive, 0 where it does not; other values are refused."""
    used = np.bincount(column.codes, minlength=len(column.levels))
    distinct = [
        values.normalise(raw, policy.input_name) if n else None for n, raw in zip(used, column.levels)
    ]
    missing = sum(int(n) for n, value in zip(used, distinct) if value is None)
    if missing:
        raise invalid(
            "prediction", "must not be missing", got=f"{missing} of {used.sum()} records without one"
        )
    known = policy.source.outcomes
    flags = [recognise.flag(value, known) if n else False for n, value in zip(used, distinct)]
    unknown = [value for value, flag in zip(distinct, flags) if flag is None]
    if unknown:
        raise recognise.unknown_prediction(unknown, known)
    return np.asarray(np.array(flags, dtype=np.float64)[column.codes])
