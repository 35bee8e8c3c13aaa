"""Policy: what a repair gives back. Per cell, acceptance probabilities as a step function of the score.

Numpy only, and servable alone: what meets a frame or an audit is imported when it is called.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossfair import coins, documents, policy_file, policy_rules, sql
from crossfair.cells import Cell, Cells
from crossfair.coins import Key, Keys
from crossfair.errors import FormatError, InputError, invalid
from crossfair.mitigation.certificate import Certificate
from crossfair.performance import Performance
from crossfair.single import Explanation, Single
from crossfair.steps import Steps
from crossfair.terms import Source, Terms

if TYPE_CHECKING:
    from crossfair.evaluation import Evaluation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Policy:
    """A repaired classifier: for each cell, how probable a positive decision is at each score.

    `cells` are those it was fitted to; it decides by their attributes `decide_by`, one row of `steps` for
    each of `deciding_cells`. `fallback` holds the row for cells that it has not seen, none with
    unseen="error".

    >>> from crossfair.outcomes import Outcomes
    >>> policy = Policy(
    ...     cells=Cells.of(["sex"], [("F",), ("M",)]),
    ...     decide_by=("sex",),
    ...     steps=Steps.of([([0.4], [0.0, 1.0]), ([0.6], [0.0, 0.5])]),
    ...     source=Source("score", "p", 0.5, Outcomes((False, True), True)),
    ...     terms=Terms("derived", {"statistical_parity": 0.2}),
    ...     salt="demo",
    ... )
    >>> sex, score = policy.find([("F",), ("M",), ("M",)]), np.array([0.4, 0.5, 0.7])
    >>> policy.acceptance_at(sex, score).tolist()
    [1.0, 0.0, 0.5]
    >>> policy.decide_at(sex, score, keys=[11, 12, 17]).tolist()
    [1, 0, 1]
    >>> policy.decide_one({"sex": "M"}, score=0.7, key=17)
    1
    >>> 'FROM "main"."people" AS t' in policy.to_sql(table="main.people", key="id")
    True
    """

    cells: Cells
    decide_by: tuple[str, ...]
    steps: Steps
    source: Source
    terms: Terms
    salt: str
    certificate: Certificate | None = None
    expected: Mapping[str, Performance] = field(default_factory=dict)
    unconstrained: Steps | None = None
    unseen: Literal["error", "pooled", "given"] = "error"
    fallback: Steps = field(default_factory=lambda: Steps.of([]))

    def __post_init__(self) -> None:
        policy_rules.check(self)

    @property
    def by(self) -> tuple[str, ...]:
        """The attributes over whose cells the limits hold."""
        return self.cells.by

    @property
    def limits(self) -> Mapping[str, float]:
        """The limit on ε per metric."""
        return self.terms.limits

    @property
    def method(self) -> str:
        """The method of the repair."""
        return self.terms.method

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
        outside = (rows < 0) | (rows >= len(self.steps))
        if not outside.any():
            return rows
        if self.unseen == "error":
            raise policy_rules.refuse_unseen(int(np.count_nonzero(outside)), len(rows))
        return np.where(outside, len(self.steps), rows)

    def column_names(self, columns: Mapping[str, str]) -> dict[str, str]:
        """Return the table's column for each name that the policy uses, given those that differ."""
        known = [*self.decide_by, self.input_name]
        for name in columns:
            if name not in known:
                raise invalid("columns", f"maps names of the policy, {', '.join(known)}", got=repr(name))
        return {name: columns.get(name, name) for name in known}

    def acceptance(self, frame: Any, *, columns: Mapping[str, str] | None = None) -> Any:
        """Return the acceptance probability of each row, a column of the frame's own library.

        `columns` maps the policy's names to the frame's where they differ: {"sex": "gender"}.
        """
        from crossfair import decisions

        return decisions.acceptance(self, frame, columns or {})

    def decide(
        self,
        frame: Any,
        *,
        key: str | None = None,
        seed: int | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Any:
        """Return 0 or 1 for each row, a column of the frame's own library.

        The same key always gets the same decision. `key` may be left out if no row needs a coin; an explicit
        `seed` draws the coins anew in each call.
        """
        from crossfair import decisions

        return decisions.decide(self, frame, columns or {}, key, seed)

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

    def to_sql(
        self,
        *,
        table: str | Sequence[str],
        key: str,
        dialect: Literal["duckdb", "postgresql", "spark"] = "duckdb",
        columns: Mapping[str, str] | None = None,
    ) -> str:
        """Return one SQL statement that gives each record's key, acceptance and decision, as `decide` does.

        `table` may be qualified: "schema.people", or a tuple of names. What `decide` refuses makes the
        statement fail: a cell not seen, a score or prediction missing, a key missing where it is needed.
        """
        return sql.to_sql(self, table, key, dialect, columns or {})

    def evaluate(self, holdout: Any, **options: Any) -> Evaluation:
        """Return how the policy does on other data, with intervals and verdicts: see `evaluation`."""
        from crossfair import evaluation

        return evaluation.evaluate(self, holdout, **options)

    def chart(self, name: str, data: Any = None, *, most: int = 40, **reading: Any) -> Any:
        """Return an Altair chart: "thresholds", or "roc", which needs the data; `save` writes it to a file.

        With more than `most` cells, "thresholds" shows those at either end, and "roc" the largest.
        """
        from crossfair.charts import of_policy

        return of_policy.chart(self, name, data, most=most, **reading)

    def to_html(self, path: str | os.PathLike[str], data: Any = None, **known: Any) -> None:
        """Write a page that tells the repair to people who do not run code; see `report.build.write_policy`.

        `data` are those it was fitted to, for what it does to each group. What else is known goes onto the
        page too: `evaluation` on other data, a `frontier` of the same limits, the `audit` of the decisions as
        given with its `verdicts`, a `title`, the files of the `source` and `held_out`, and the `command`.
        """
        from crossfair.report import build

        build.write_policy(path, self, data, **known)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a JSON file, compressed where the name ends in .gz; whole or not at all."""
        documents.write(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a policy from a file written by `save`; what breaks a rule is refused, nothing is executed."""
        source = f"policy file {os.fspath(path)!r}"
        return cls.from_json(documents.read(path, policy_file.KIND), source)

    def to_json(self) -> str:
        """Return the text of the policy's file."""
        return documents.dump(policy_file.KIND, policy_file.VERSION, policy_file.body(self), indent=1)

    @classmethod
    def from_json(cls, text: str, source: str = "policy") -> Self:
        """Read the text of a policy's file."""
        try:
            return cls(**policy_file.parse(text, source))
        except FormatError:
            raise
        except InputError as error:
            raise FormatError(f"{source}: {error}") from error

    def __repr__(self) -> str:
        limits = ", ".join(f"{name} ≤ {limit:.4g}" for name, limit in self.limits.items())
        found = self.certificate
        loss = (
            ""
            if found is None
            else f"; on the data fitted to: objective {found.objective:.6g}, gap {found.gap:.3g}"
        )
        return f"<Policy {self.method}: {limits} over {len(self.cells)} cells of {', '.join(self.by)}{loss}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return policy_file.body(self) == policy_file.body(other)

    __hash__ = None  # type: ignore[assignment]
