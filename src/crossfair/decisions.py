"""A policy on a table of records: each record's deciding cell and score, then its acceptance or decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import coins, frames, outcomes, values
from crossfair.cells import Cells, range_names
from crossfair.errors import invalid
from crossfair.frames import objects
from crossfair.policy import Policy, refuse_unseen
from crossfair.values import Value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def acceptance(policy: Policy, frame: Any, columns: Mapping[str, str]) -> Any:
    """Return a column of acceptance probabilities, of the frame's library."""
    table = _read(policy, frame, columns, None)
    return frames.series(frame, policy.acceptance_at(*_located(policy, table)), "acceptance")


def decide(policy: Policy, frame: Any, columns: Mapping[str, str], key: str | None, seed: int | None) -> Any:
    """Return a column of decisions, 0 or 1, of the frame's library."""
    table = _read(policy, frame, columns, key)
    keys = None if key is None else _keys(table[_KEY])
    positions, scores = _located(policy, table)
    return frames.series(frame, policy.decide_at(positions, scores, keys, seed=seed), "decision")


# Parts of the table beside the attributes, which go by their own names: no column is named like this.
_INPUT, _KEY = "\0input", "\0key"


def _read(policy: Policy, frame: Any, columns: Mapping[str, str], key: str | None) -> dict[str, list[Any]]:
    """The needed columns, under the names that the policy has for them."""
    known = [*policy.decide_by, policy.input_name]
    for name in columns:
        if name not in known:
            raise invalid("columns", f"maps names of the policy, {', '.join(known)}", got=repr(name))
    wanted = {name: columns.get(name, name) for name in policy.decide_by}
    wanted[_INPUT] = columns.get(policy.input_name, policy.input_name)
    if key is not None:
        wanted[_KEY] = key
    found = frames.columns(frame, list(wanted.values()))
    return {name: found[column] for name, column in wanted.items()}


def _located(policy: Policy, table: Mapping[str, Sequence[Any]]) -> tuple[Ints, Floats]:
    """Position of the deciding cell, and score, of each record; unseen cells are refused by example."""
    cells = policy.deciding_cells
    coded = [_attribute(table[name], i, cells) for i, name in enumerate(cells.by)]
    positions = walk(cells, [codes for codes, _ in coded], len(table[_INPUT]))
    if policy.unseen == "error":
        unseen = np.flatnonzero(positions < 0)
        if len(unseen):
            example = tuple(shown[unseen[0]] for _, shown in coded)
            raise refuse_unseen(len(unseen), len(positions), f", such as {example}")
    return positions, _scores(policy, table[_INPUT])


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


def _attribute(column: Sequence[Any], place: int, cells: Cells) -> tuple[Ints, Sequence[Any]]:
    """The code of each record's level, −1 for a value that is none; and the column as shown in messages."""
    name, level = cells.by[place], cells.levels[place]
    edges = cells.bins.get(name)
    if edges is not None:
        numbers = objects.to_floats(column, "bins", name)
        passed = np.where(np.isfinite(numbers), np.searchsorted(edges, numbers), len(edges) + 1)
        codes, distinct = passed.astype(np.int64), [*range_names(edges), None]
    else:
        objects.check_types(column, name)
        codes, distinct = objects.codes(column)
    return _levels([values.normalise(raw, name) for raw in distinct], level, name)[codes], column


def _levels(distinct: Sequence[Value], level: Sequence[Value], name: str) -> Ints:
    matched = values.match(list(dict.fromkeys(distinct)), level, f"attribute {name!r}")
    place = {value: code for code, value in enumerate(level)}
    return np.array([place[matched[value]] if value in matched else -1 for value in distinct], dtype=np.int64)


def _scores(policy: Policy, column: Sequence[Any]) -> Floats:
    if policy.source.kind == "score":
        return objects.to_floats(column, "score", policy.input_name)
    codes, raw = objects.codes(column)
    distinct = [values.normalise(item, policy.input_name) for item in raw]
    if None in distinct:
        bad = int((codes == distinct.index(None)).sum())
        raise invalid("prediction", "must not be missing", got=f"{bad} of {len(codes)} records without one")
    return _flags(policy, distinct)[codes]


def _flags(policy: Policy, distinct: Sequence[Value]) -> Floats:
    """1 for each value of the prediction that says positive, 0 for one that does not; others are refused."""
    known = policy.source.outcomes
    met, _, code_of = outcomes.resolve(known.values, list(distinct), known.positive)
    new = set(met.values) - set(known.values)
    if new and any(outcomes.as_flag(value) is None for value in distinct):
        raise invalid(
            "prediction",
            f"must hold the outcomes that the policy knows, {', '.join(map(repr, known.values))}, or 0/1",
            got=", ".join(repr(value) for value in sorted(new, key=values.sort_key)),
        )
    return np.array([code_of[value] == met.positive_code for value in distinct], dtype=np.float64)


def _keys(column: Sequence[Any]) -> Sequence[Any]:
    """Keys must all be integers or text, whether or not this record needs a coin."""
    if set(map(type, column)) <= {int, str}:
        return column
    for key in column:
        if isinstance(key, bool) or not isinstance(key, (int, str, np.integer)):
            raise coins.bad_key(key)
    return column
