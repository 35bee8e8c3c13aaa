"""Serving: a policy on data of any kind, for what needs no column of the caller's library back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from crossfair import changes as changing
from crossfair import checks, coins, decisions, shards, values
from crossfair.cells import Cells
from crossfair.changes import FIGURES, Changes
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import invalid
from crossfair.frames import query
from crossfair.policy import Policy
from crossfair.read_sample import read_like
from crossfair.sample import Sample
from crossfair.values import Value

# The column of records' numbers, where there is no key.
RECORD = "record"


def changes(policy: Policy, data: Any, key: str | None, columns: Mapping[str, str]) -> Changes:
    """Return what the policy changes in each cell; see `Policy.changes`."""
    data = shards.load(data)
    if not isinstance(data, Counts | Curves | Sample):
        return decisions.changes(policy, data, columns, key)
    if key is not None or columns:
        raise invalid("key, columns", "name columns of records, but the data are counted already")
    return changing.of_sample(policy, read_like(policy, data, {}))


def decide_files(
    policy: Policy,
    data: Any,
    out: str | os.PathLike[str],
    *,
    key: str | None = None,
    seed: int | None = None,
    columns: Mapping[str, str] | None = None,
    table: str | None = None,
    count_changes: bool = True,
    advance: Callable[[float], None] = lambda _: None,
) -> Changes | None:
    """Write the decisions on files to a file, in a stream; see `Policy.decide_files`.

    `advance` is told the share of the work just done. The changes are counted in a second reading, where the
    data have all attributes of `by`.
    """
    query.check_target(out, data)
    policy, key_name = _tossing(policy, key, seed)
    names = policy.column_names(columns or {}, policy.by)
    counted = count_changes and {names[name] for name in policy.by} <= query.names(data, table)
    cells = policy.cells if counted else policy.deciding_cells
    names = {name: names[name] for name in (*cells.by, policy.input_name)}
    inner = {name: f"{key_name} {i}" for i, name in enumerate(names)}  # none of these is the key's name
    numbers = {inner[name]: "bins" for name in cells.bins}
    if policy.source.kind == "score":
        numbers[inner[policy.input_name]] = "score"
    wanted = {inner[name]: column for name, column in names.items()} | ({} if key is None else {key: key})
    number = RECORD if key is None else None
    with query.opened(data, wanted, numbers, table, row_number=number) as asked:
        reading: dict[str, Any] = {"table": (query.VIEW,), "key": key_name, "columns": inner}
        with asked.written(policy.to_sql(**reading), out, advance):
            if not counted:
                return None
            return _changes(policy.cells, asked.rows(policy.to_sql(**reading, changes=True)))


def _tossing(policy: Policy, key: str | None, seed: int | None) -> tuple[Policy, str]:
    """The policy with the salt for its coins, and the name of the column that tosses them."""
    coins.check_column(key)
    if key is not None and seed is not None:
        raise invalid("key, seed", "give one of them: a seed draws coins anew in each call", got="both")
    if key is not None:
        return policy, key
    if seed is None and policy.needs_coins:
        hint = "Name a column that identifies each record for good, or give a seed for coins drawn anew."
        raise invalid("key", "the policy tosses coins, so it needs a key", got="none", hint=hint)
    return replace(policy, salt=coins.draw_salt(checks.whole("seed", seed or 0))), RECORD


def _changes(known: Cells, rows: list[tuple[Any, ...]]) -> Changes:
    """The rows of the table of changes, whose attributes are texts: typed as the policy's own are."""
    size = len(known.by)
    columns = [_typed([row[i] for row in rows], known, i) for i in range(size)]
    found = list(zip(*columns))
    cells = Cells.of(known.by, found, known.bins)
    figures = np.zeros((len(FIGURES), len(cells)))
    for cell, row in zip(found, rows):
        figures[:, cells.index[cell]] += [float(figure) for figure in row[size:]]
    records, given, _, up, down = figures
    return Changes(cells, records, given, up, down)


def _typed(column: list[Value], known: Cells, place: int) -> list[Value]:
    meant = values.match(list(dict.fromkeys(column)), known.levels[place], f"attribute {known.by[place]!r}")
    return [meant.get(value, value) for value in column]
