"""Rule: what decides. Per cell, acceptance probabilities as a step function of the score, on plain arrays.

Numpy only; a policy is a rule with all that is known about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossfair import coins, policy_rules
from crossfair.cells import Cell, Cells
from crossfair.coins import Key, Keys
from crossfair.errors import invalid
from crossfair.single import Explanation, Single
from crossfair.steps import Steps
from crossfair.terms import Source

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rule:
    """What a policy decides by.

    `cells` are those it was fitted to; it decides by their attributes `decide_by`, one row of `steps` for
    each of `deciding_cells`. `fallback` holds the row for cells that it has not seen, none with
    unseen="error".
    """

    cells: Cells
    decide_by: tuple[str, ...]
    steps: Steps
    source: Source
    salt: str
    unseen: Literal["error", "pooled", "given"] = "error"
    fallback: Steps = field(default_factory=lambda: Steps.of([]))

    def __getstate__(self) -> dict[str, Any]:
        """What travels to other processes: the parts, not what was made ready here for single records."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def by(self) -> tuple[str, ...]:
        """The attributes over whose cells the limits hold."""
        return self.cells.by

    @cached_property
    def deciding_cells(self) -> Cells:
        """The cells that the decision depends on: those of `decide_by`."""
        return self.cells.marginal(self.decide_by)[0]

    @property
    def input_name(self) -> str:
        """The column that holds the score or the prediction, as the policy names it."""
        return self.source.column or self.source.kind

    @property
    def needs_coins(self) -> bool:
        """Whether any acceptance probability lies between 0 and 1."""
        p = np.concatenate([self.steps.probabilities, self.fallback.probabilities])
        return bool(((p > 0) & (p < 1)).any())

    def find(self, cells: Sequence[Cell]) -> Ints:
        """Return the position of each deciding cell, −1 for one the policy has not seen."""
        return self.deciding_cells.find(cells)

    def acceptance_at(self, positions: Ints, scores: Floats) -> Floats:
        """Return each record's acceptance probability, from the position of its deciding cell and its score.

        A position of −1 is an unseen cell. For a policy on a binary prediction, that is the score, 0 or 1.
        """
        rows = np.asarray(positions, dtype=np.int64)
        heights = np.asarray(scores, dtype=np.float64)
        if rows.shape != heights.shape or rows.ndim != 1:
            raise invalid("scores", "must be as many as cells", got=f"{heights.shape} and {rows.shape}")
        bad = len(heights) - int(np.count_nonzero(np.isfinite(heights)))
        if bad:
            raise invalid(
                "score",
                "must be finite numbers",
                got=f"NaN or infinity in {bad} of {len(heights)} records",
                hint="Drop or fill these records first.",
            )
        return self._rows.at(self._known(rows), heights)

    def decide_at(
        self, positions: Ints, scores: Floats, keys: Keys | None = None, *, seed: int | None = None
    ) -> Ints:
        """Return 0 or 1 per record; where a coin is needed it is that of the record's key, see `coins`."""
        acceptance = self.acceptance_at(positions, scores)
        looked_up = None if keys is None else coins.lookup(keys, len(acceptance))
        return coins.decide(acceptance, self.salt, looked_up, seed)

    @cached_property
    def _rows(self) -> Steps:
        return self.steps.joined(self.fallback)

    def _known(self, rows: Ints) -> Ints:
        """The rows with unseen cells at the fallback, which stands last."""
        if not len(rows) or (rows.min() >= 0 and rows.max() < len(self.steps)):
            return rows
        outside = (rows < 0) | (rows >= len(self.steps))
        if self.unseen == "error":
            raise policy_rules.refuse_unseen(int(np.count_nonzero(outside)), len(rows))
        return np.where(outside, len(self.steps), rows)

    def column_names(
        self, columns: Mapping[str, str], attributes: Sequence[str] | None = None
    ) -> dict[str, str]:
        """Return the table's column for each name that the policy uses, given those that differ.

        `attributes` are those of `decide_by` unless given; `columns` may map the others of `by` as well.
        """
        _check_columns(columns)
        known = [*self.by, self.input_name]
        for name in columns:
            if name not in known:
                raise invalid("columns", f"maps names of the policy, {', '.join(known)}", got=repr(name))
        needed = [*(self.decide_by if attributes is None else attributes), self.input_name]
        return {name: columns.get(name, name) for name in needed}

    def decide_one(
        self,
        record: Mapping[str, Any],
        *,
        score: Any = None,
        prediction: Any = None,
        key: Key | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> int:
        """Return 0 or 1 for one record, as `decide` does for a frame, in microseconds and without one.

        `record` holds the values of the attributes, and may hold more. `score`, or `prediction` for a policy
        on a binary prediction, is what the classifier says of it; a key is needed only if there is a coin.
        """
        return self._single.decide(record, score, prediction, key, columns or {})

    def explain_one(
        self,
        record: Mapping[str, Any],
        *,
        score: Any = None,
        prediction: Any = None,
        key: Key | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Explanation:
        """Return the decision on one record with its cell, its step, its probability and its coin."""
        return self._single.explain(record, score, prediction, key, columns or {})

    @cached_property
    def _single(self) -> Single:
        return Single(self)


def _check_columns(columns: Any) -> None:
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for name in columns.values()):
        raise invalid("columns", "must map names of the policy to those of columns", got=repr(columns))
