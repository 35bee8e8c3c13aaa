"""Policy: what a repair gives back. Per cell, acceptance probabilities as a step function of the score.

Numpy only, and servable alone: what meets a frame or an audit is imported when it is called.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from crossfair import documents, policy_file, policy_rules, sql
from crossfair.errors import FormatError, InputError
from crossfair.mitigation.certificate import Certificate
from crossfair.performance import Performance
from crossfair.population import Population
from crossfair.rule import Rule
from crossfair.shown import Shown, plain
from crossfair.steps import Steps
from crossfair.terms import Terms

if TYPE_CHECKING:
    from crossfair.changes import Changes
    from crossfair.drift import Drift
    from crossfair.evaluation import Evaluation


@dataclass(frozen=True, eq=False, kw_only=True)
class Policy(Rule, Shown):
    """A repaired classifier: for each cell, how probable a positive decision is at each score.

    A policy is a `Rule` with the terms of the repair, its certificate, and what decisions are expected to
    give on the data that it was fitted to.

    >>> import numpy as np
    >>> from crossfair.cells import Cells
    >>> from crossfair.outcomes import Outcomes
    >>> from crossfair.terms import Source
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
    >>> policy.changes({"sex": ["F", "M"], "p": [0.45, 0.7]})
    <Changes: 1 decisions up and 0.5 down of 2, in 2 cells>
    >>> 'FROM "main"."people" AS t' in policy.to_sql(table="main.people", key="id")
    True
    """

    terms: Terms
    certificate: Certificate | None = None
    expected: Mapping[str, Performance] = field(default_factory=dict)
    unconstrained: Steps | None = None
    population: Population | None = None

    def __post_init__(self) -> None:
        policy_rules.check(self)

    @property
    def limits(self) -> Mapping[str, float]:
        """The limit on ε per metric."""
        return self.terms.limits

    @property
    def method(self) -> str:
        """The method of the repair."""
        return self.terms.method

    def acceptance(self, frame: Any, *, columns: Mapping[str, str] | None = None) -> Any:
        """Return the acceptance probability of each row, a column of the frame's own library.

        A lazy frame of polars, and one of Spark, Dask or Ibis, gets a lazy column, to be computed with it;
        a relation of DuckDB, which has no columns of its own, an array. `columns` maps the policy's names to
        the frame's where they differ: {"sex": "gender"}.
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
        """Return 0 or 1 for each row, a column of the frame's own library, as `acceptance` does.

        The same key always gets the same decision. `key` may be left out if no row needs a coin; an explicit
        `seed` draws the coins anew in each call.
        """
        from crossfair import decisions

        return decisions.decide(self, frame, columns or {}, key, seed)

    def changes(
        self, data: Any, *, key: str | None = None, columns: Mapping[str, str] | None = None
    ) -> Changes:
        """Return how many decisions on data change in each cell of `by`, up and down; see `changes.Changes`.

        `data` are records as for `decide`, or labelled ones as counts or curves. With a `key` the decisions
        are counted, without one the expected number of them.
        """
        from crossfair import serving

        return serving.changes(self, data, key, columns or {})

    def decide_files(
        self,
        data: Any,
        out: str | os.PathLike[str],
        *,
        key: str | None = None,
        seed: int | None = None,
        columns: Mapping[str, str] | None = None,
        table: str | None = None,
    ) -> Changes | None:
        """Write the decisions on files of any size to a Parquet, CSV or TSV file, whole or not at all.

        Its columns are the key, or the number of the `record` where there is none, `acceptance` and
        `decision`; its rows need not be in the order of the files. Returns what changed, unless the files
        lack an attribute of `by`.
        """
        from crossfair import serving

        return serving.decide_files(self, data, out, key=key, seed=seed, columns=columns, table=table)

    def to_sql(
        self,
        *,
        table: str | Sequence[str],
        key: str,
        dialect: Literal["duckdb", "postgresql", "spark"] = "duckdb",
        columns: Mapping[str, str] | None = None,
        changes: bool = False,
    ) -> str:
        """Return one SQL statement that gives each record's key, acceptance and decision, as `decide` does.

        `table` may be qualified: "schema.people", or a tuple of names. What `decide` refuses makes the
        statement fail: a cell not seen, a score or prediction missing, a key missing where it is needed, and
        in any `unseen` mode a value that is ambiguous ('01' beside 1) or of no kind of attributes (1.5).
        With `changes` it gives the table of `changes` instead, one row per cell.
        """
        return sql.to_sql(self, table, key, dialect, columns or {}, changes)

    def evaluate(self, holdout: Any, **options: Any) -> Evaluation:
        """Return how the policy does on other data, with intervals and verdicts: see `evaluation`."""
        from crossfair import evaluation

        return evaluation.evaluate(self, holdout, **options)

    def check(self, data: Any, **options: Any) -> Drift:
        """Return whether the policy still does what it was made for, on data that came later: see `drift`.

        `data` are counts of labels and of the decisions made, or records: with `prediction=` naming the
        decisions, else the policy's own are expected on them. Beside a verdict on each limit stands one on
        the population: `cell_shares` and `base_rates` may have moved by `tolerance=0.1` at most.
        """
        from crossfair import drift

        return drift.check(self, data, **options)

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
        cells = f"{len(self.cells):,} cells of {plain(', '.join(self.by))}"
        return f"<Policy {self.method}: {limits} over {cells}{loss}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return policy_file.body(self) == policy_file.body(other)

    __hash__ = None  # type: ignore[assignment]
