"""A policy on a table of records: each record's deciding cell and score, then its acceptance or decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import coins, frames, recognise, values
from crossfair.cells import Cells
from crossfair.errors import invalid
from crossfair.frames import records
from crossfair.frames.coded import Coded
from crossfair.frames.records import Raw, Records
from crossfair.policy import Policy
from crossfair.policy_rules import refuse_unseen

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def acceptance(policy: Policy, frame: Any, columns: Mapping[str, str]) -> Any:
    """Return a column of acceptance probabilities, of the frame's library."""
    names = policy.column_names(columns)
    if frames.is_partitioned(frame):
        return frames.partitioned(
            frame,
            list(names.values()),
            lambda part: acceptance(policy, part, columns),
            "acceptance",
            "float64",
        )
    return frames.series(frame, _acceptance(policy, _read(policy, frame, names), names), "acceptance")


def decide(policy: Policy, frame: Any, columns: Mapping[str, str], key: str | None, seed: int | None) -> Any:
    """Return a column of decisions, 0 or 1, of the frame's library."""
    names = policy.column_names(columns)
    if frames.is_partitioned(frame):
        if seed is not None:
            raise invalid("seed", "coins drawn anew would be alike in every part of the frame", got=seed,
                          hint="Name the column of a key: decide(frame, key=…).")  # fmt: skip
        needed = [*names.values(), *([] if key is None else [key])]
        return frames.partitioned(
            frame, needed, lambda part: decide(policy, part, columns, key, None), "decision", "int64"
        )
    table = _read(policy, frame, names, key)
    keys = None if key is None else _keys(table.raw[key], table.size)
    found = coins.decide(_acceptance(policy, table, names), policy.salt, keys, seed)
    return frames.series(frame, found, "decision")


def _read(policy: Policy, frame: Any, names: Mapping[str, str], key: str | None = None) -> Records:
    numbers = {names[name]: "bins" for name in policy.deciding_cells.bins}
    if policy.source.kind == "score":
        numbers[names[policy.input_name]] = "score"
    codes = [column for column in names.values() if column not in numbers]
    return records.read(frame, codes=codes, numbers=numbers, raw=[] if key is None else [key])


def _keys(column: Raw, size: int) -> coins.Lookup:
    if column.missing:
        raise coins.bad_key(f"a missing value in {column.missing} of {size} records")
    return column.at


def _acceptance(policy: Policy, table: Records, names: Mapping[str, str]) -> Floats:
    """Each record's acceptance probability; unseen cells are refused by an example."""
    cells = policy.deciding_cells
    columns = [_attribute(table, names[name], i, cells) for i, name in enumerate(cells.by)]
    positions = walk(cells, [codes for codes, _ in columns], table.size)
    unseen = np.flatnonzero(positions < 0)
    if len(unseen) and policy.unseen == "error":
        example = tuple(show(unseen[0]) for _, show in columns)
        raise refuse_unseen(len(unseen), table.size, f", such as {example}")
    column = names[policy.input_name]
    scored = policy.source.kind == "score"
    scores = table.numbers[column] if scored else _flags(policy, table.coded[column])
    return policy.acceptance_at(positions, scores)


def walk(cells: Cells, columns: Sequence[Ints], records: int) -> Ints:
    """Return the position of the cell with the given codes of levels, −1 where there is none.

    The cells are a tree with an attribute at each depth; all records walk down it together.

    >>> cells = Cells.of(["sex", "old"], [("F", True), ("M", False)])
    >>> walk(cells, [np.array([0, 1, 1]), np.array([1, 0, -1])], 3).tolist()
    [0, 1, -1]
    """
    here = np.zeros(records, dtype=np.int64)
    node = np.zeros(len(cells), dtype=np.int64)
    for codes, own, level in zip(columns, cells.codes.T, cells.levels):
        # One row and one column more than needed: position −1 leads to them, and they lead nowhere.
        size = int(node.max()) + 2
        pairs, below = np.unique(node * len(level) + own, return_inverse=True)
        onward = np.full((size, len(level) + 1), -1, dtype=np.int64)
        onward[pairs // len(level), pairs % len(level)] = np.arange(len(pairs))
        here, node = onward[here, codes], below
    # Cells differ in some attribute, so each has a leaf of its own.
    cell_of_leaf = np.append(np.argsort(node), -1)
    return np.asarray(cell_of_leaf[here])


def _attribute(table: Records, column: str, place: int, cells: Cells) -> tuple[Ints, Callable[[int], Any]]:
    """The code of each record's level, −1 for a value that is none; and how to show a record's value."""
    name, level = cells.by[place], cells.levels[place]
    if name not in cells.bins:
        coded = table.coded[column]
        distinct = [values.normalise(raw, name) for raw in coded.levels]
        return recognise.levels(distinct, level, name)[coded.codes], lambda i: distinct[coded.codes[i]]
    numbers, edges = table.numbers[column], np.array(cells.bins[name])
    found = np.where(np.isfinite(numbers), np.searchsorted(edges, numbers), len(edges) + 1)
    return recognise.ranges(cells.bins[name], level, name)[found], lambda i: float(numbers[i])


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
    return np.array(flags, dtype=np.float64)[column.codes]
